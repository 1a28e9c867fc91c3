// What a run has cost, against its budget.
import type { Recording } from "./recording";
import type { LeanUse, Run, Spent } from "./types";
import { count, dollars, seconds } from "./words";

interface Budget {
  samples?: number | null;
  tokens?: number | null;
  dollars?: number | null;
}

/** `spent`: null while it is unknown. */
function Share({ name, spent, limit, show }: { name: string; spent: number | null; limit?: number | null; show: (value: number) => string }) {
  return (
    <div class="tile">
      <b>{spent === null ? "?" : show(spent)}</b> {name}
      {typeof limit === "number" && limit > 0 && (
        <div>
          {spent !== null && <progress aria-label={`${name} of the budget`} max={limit} value={Math.min(spent, limit)} />}
          {" "}<span class="soft">{`of ${show(limit)}`}</span>
        </div>
      )}
    </div>
  );
}

function Role({ role, spent, lean }: { role: string; spent?: Spent; lean?: LeanUse }) {
  return (
    <tr>
      <td>{role}{spent?.estimated ? " (estimated)" : ""}</td><td>{count(spent?.calls)}</td><td>{count(spent?.samples)}</td><td>{count(spent?.prompt_tokens)}</td>
      <td>{count(spent?.completion_tokens)}</td><td>{dollars(spent?.dollars)}</td><td>{count(lean?.checks)}</td><td>{lean ? seconds(lean.lean_seconds) : "–"}</td>
    </tr>
  );
}

/** A step curve of the theorems with a proof over the time of the run. */
function Solved({ run, recording }: { run: Run; recording: Recording }) {
  const times = recording.theorems.filter((one) => one.found?.found === true).map((one) => one.found!.at);
  if (times.length === 0) return null;
  const end = Math.max(run.seconds, times[times.length - 1]), width = 520, height = 160;
  const x = (at: number) => (40 + (at / end) * (width - 50)).toFixed(1);
  const y = (solved: number) => (height - 24 - (solved / recording.theorems.length) * (height - 40)).toFixed(1);
  return (
    <figure>
      <figcaption>Theorems with a proof over time</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${times.length} of ${recording.theorems.length} theorems with a proof within ${seconds(end)}`}>
        <path class="axis" d={`M40 16V${height - 24}H${width - 10}`} />
        <path class="curve" d={`M40 ${height - 24}${times.map((at, i) => `H${x(at)}V${y(i + 1)}`).join("")}H${width - 10}`} />
        <text x="34" y="20" text-anchor="end">{recording.theorems.length}</text>
        <text x="34" y={height - 22} text-anchor="end">0</text>
        <text x={width - 10} y={height - 6} text-anchor="end">{seconds(end)}</text>
      </svg>
    </figure>
  );
}

export function CostView({ run, recording }: { run: Run; recording: Recording }) {
  const budget = (run.request?.models ?? {}) as Budget;
  const spent = run.spent, lean = run.lean_by_role ?? {};
  const names = [...new Set([...Object.keys(run.roles ?? {}), ...Object.keys(lean)])].sort();
  const limit = Number(run.request?.seconds) || 0;
  return (
    <div class="page">
      <div class="tiles">
        <Share name="of work" spent={run.seconds} limit={limit * Math.max(recording.theorems.length, 1)} show={seconds} />
        <Share name="samples of models" spent={spent && spent.samples} limit={budget.samples} show={count} />
        <Share name="tokens" spent={spent && spent.tokens} limit={budget.tokens} show={count} />
        <Share name="for models" spent={spent && spent.dollars} limit={budget.dollars} show={dollars} />
        <Share name="checks by Lean" spent={run.checks} show={count} />
        <Share name="of Lean's time" spent={run.lean_seconds} show={seconds} />
      </div>
      {names.length > 0 ? (
        <div class="scroll">
          <table>
            <caption>By role</caption>
            <thead><tr><th>role</th><th>calls</th><th>samples</th><th>tokens in</th><th>tokens out</th><th>dollars</th><th>checks</th><th>Lean's time</th></tr></thead>
            <tbody>{names.map((role) => <Role role={role} spent={run.roles?.[role]} lean={lean[role]} />)}</tbody>
          </table>
        </div>
      ) : <p class="soft">{run.roles ? "No model has been called." : "Costs by role are not known yet."}</p>}
      {run.results.length > 0 && (
        <div class="scroll">
          <table>
            <caption>By theorem</caption>
            <thead><tr><th>theorem</th><th>status</th><th>time</th><th>checks</th><th>tried</th></tr></thead>
            <tbody>{run.results.map((one) => <tr><td>{one.name}</td><td>{one.status}</td><td>{seconds(one.seconds)}</td><td>{count(one.checks)}</td><td>{count(one.samples)}</td></tr>)}</tbody>
          </table>
        </div>
      )}
      <Solved run={run} recording={recording} />
    </div>
  );
}
