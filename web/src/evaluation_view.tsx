// An evaluation: figures, costs by role, pass rate against costs, and all problems.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { lengthChart, passChart, type Points, timeChart } from "./charts";
import { compact, duration, fixed, money, percent } from "./figures";
import { useLooks } from "./looks";
import { ProblemList } from "./problem_list";
import type { ServerSource } from "./source";
import type { Figures, Report } from "./types";

const EVERY = 5000; // milliseconds from an answer to the next look at an evaluation that goes on

function parameter(report: Report, name: string): string {
  const value = report.parameters?.[name];
  return typeof value === "string" ? value : "";
}

function setting(report: Report): string {
  const { runs } = report.summary;
  const lean = parameter(report, "lean"), learned = parameter(report, "learning");
  return `${report.models || "built-in policy"}, strategy ${parameter(report, "strategy")}, budget ${parameter(report, "budget")}, `
    + `${runs} run${runs === 1 ? "" : "s"}${lean && `, Lean ${lean}`}${learned && `, learned from ${learned}`}`;
}

function Tile({ value, children }: { value: string | number; children: ComponentChildren }) {
  return <div class="tile"><b>{value}</b> {children}</div>;
}

function Tiles({ report }: { report: Report }) {
  const { summary, models } = report, once = summary.runs === 1;
  const [low, high] = summary.pass_rate_wilson_95, interval = `95 % interval ${fixed(100 * low)}–${percent(high)}`;
  return (
    <div class="tiles" id="tiles">
      <Tile value={`${summary.solved} / ${summary.problems - summary.invalid}`}>{once ? "solved" : "solved in at least one run"}</Tile>
      {once ? <Tile value={percent(summary.pass_rate)}>{`pass rate, ${interval}`}</Tile>
        : <Tile value={`${fixed(100 * summary.pass_rate)} ± ${percent(summary.pass_rate_sigma)}`}>{`pass rate, µ ± σ over ${summary.pass_rate_by_run.length} runs, ${interval}`}</Tile>}
      {summary.disproved !== undefined && <Tile value={summary.disproved}>disproved</Tile>}
      {summary.open !== undefined && <Tile value={summary.open}>open</Tile>}
      {summary.contradictions !== undefined && summary.contradictions.length > 0 && <Tile value={summary.contradictions.length}>CONTRADICTIONS</Tile>}
      <Tile value={summary.invalid}>do not elaborate</Tile>
      <Tile value={compact(summary.samples)}>{models ? "samples" : "candidates"}</Tile>
      {models && (
        <>
          <Tile value={compact(summary.tokens)}>tokens</Tile>
          <Tile value={fixed(summary.tokens_per_sample)}>tokens per sample</Tile>
          <Tile value={money(summary.money)}>money</Tile>
          <Tile value={summary.money_per_solved === null ? "–" : money(summary.money_per_solved)}>money per solved problem</Tile>
        </>
      )}
      <Tile value={duration(summary.seconds)}>wall time</Tile>
      <Tile value={duration(summary.search_seconds)}>total search time</Tile>
    </div>
  );
}

function Categories({ report }: { report: Report }) {
  return (
    <>
      <h2>By category</h2>
      <div class="scroll">
        <table id="categories">
          <thead><tr><th>category</th><th>solved</th><th>pass rate</th><th></th><th>do not elaborate</th></tr></thead>
          <tbody>
            {report.categories.map((name) => {
              const figures = report.summary.by_category[name];
              return (
                <tr><td>{name}</td><td>{`${figures.solved}/${figures.problems - figures.invalid}`}</td><td>{percent(figures.pass_rate)}</td>
                  <td><progress aria-label={`pass rate of ${name}`} max={1} value={figures.pass_rate} /></td><td>{figures.invalid}</td></tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}

function PassAt({ rates }: { rates: [string, number][] }) {
  if (rates.length === 0) return null;
  return (
    <section id="pass-at">
      <h2>pass@k</h2>
      <p class="soft">Unbiased estimate (Chen et al. 2021) from independent attempts; k counts attempts of the budget above.</p>
      <div class="scroll">
        <table>
          <thead><tr><th>k</th>{rates.map(([k]) => <th>{k}</th>)}</tr></thead>
          <tbody><tr><td>pass@k</td>{rates.map(([, rate]) => <td>{percent(rate)}</td>)}</tr></tbody>
        </table>
      </div>
    </section>
  );
}

function Roles({ report: { summary, judged } }: { report: Report }) {
  const lean = Object.entries(summary.lean_by_role ?? {});
  if (summary.by_role.length + lean.length === 0) return null;
  return (
    <section id="by-role">
      <h2>By role</h2>
      {summary.by_role.length > 0 && <div class="scroll">
        <table id="roles">
          <thead><tr><th>role</th><th>model</th><th>calls</th><th>samples</th><th>tokens in</th><th>tokens out</th><th>money</th><th>calls per problem</th><th>tokens per problem</th></tr></thead>
          <tbody>
            {summary.by_role.map((use) => (
              <tr><td>{use.role}</td><td>{use.model}</td><td>{use.calls}</td><td>{use.samples}</td><td>{compact(use.prompt_tokens)}</td><td>{compact(use.completion_tokens)}</td>
                <td>{money(use.money)}</td><td>{fixed(use.calls / judged)}</td><td>{compact((use.prompt_tokens + use.completion_tokens) / judged)}</td></tr>
            ))}
          </tbody>
        </table>
      </div>}
      {lean.length > 0 && <div class="scroll">
        <table id="lean">
          <caption>Lean</caption>
          <thead><tr><th>role</th><th>checks</th><th>time</th><th>checks per problem</th><th>time per problem</th></tr></thead>
          <tbody>
            {lean.map(([role, use]) => (
              <tr><td>{role}</td><td>{compact(use.checks)}</td><td>{duration(use.lean_seconds)}</td><td>{fixed(use.checks / judged)}</td><td>{duration(use.lean_seconds / judged)}</td></tr>
            ))}
          </tbody>
        </table>
      </div>}
    </section>
  );
}

function Chart({ title, drawn, otherwise }: { title: string; drawn: ComponentChildren; otherwise: string }) {
  return <div class="chart"><h3>{title}</h3>{drawn ?? <p class="soft">{otherwise}</p>}</div>;
}

/** A curve for each role, with their names. */
function RoleChart({ summary, unit }: { summary: Figures; unit: "calls" | "tokens" }) {
  const style = (role: string, i: number) => (role === "all roles" ? "all" : `c${i % 6}`);
  const { roles } = summary.curves;
  const drawn = roles.length === 0 || summary.solved === 0 ? null
    : passChart(roles.map((curves, i) => ({ points: curves[unit], style: style(curves.role, i) })), null, `${unit} by role`);
  if (drawn === null) return null;
  return <Chart title={`Against ${unit} by role`} otherwise=""
    drawn={<>{drawn}<div class="legend">{roles.map(({ role }, i) => <span class={style(role, i)}>{role}</span>)}</div></>} />;
}

function SolvedOverTime({ report: { times, summary } }: { report: Report }) {
  const begun = Date.parse(times.first), since = (time: string) => (Date.parse(time) - begun) / 1000;
  const drawn = timeChart(times.solved.map(since), since(times.last), summary.problems - summary.invalid);
  return drawn && <Chart title="Solved over time" drawn={drawn} otherwise="" />;
}

function Charts({ report }: { report: Report }) {
  const { summary, furthest } = report, { curves } = summary;
  const nothing = "nothing was solved", free = summary.solved === 0 ? nothing : "no proof had such a cost";
  const alone = (points: Points, end: number | null, name: string) => passChart([{ points, style: "" }], end, name);
  return (
    <>
      <h2>Pass rate against cost</h2>
      <div class="charts">
        <Chart title="Against samples" otherwise={nothing} drawn={alone(curves.samples, furthest.samples, report.models ? "samples" : "candidates that Lean tried")} />
        <Chart title="Against tokens" otherwise={free} drawn={alone(curves.tokens, furthest.tokens, "tokens")} />
        <Chart title="Against money" otherwise={free} drawn={alone(curves.money, furthest.money, "dollars")} />
        <Chart title="Against time" otherwise={nothing} drawn={alone(curves.seconds, furthest.seconds, "seconds of search")} />
        {curves.checks.length > 0 && <Chart title="Against Lean checks" otherwise={free} drawn={alone(curves.checks, null, "Lean checks")} />}
        <RoleChart summary={summary} unit="calls" />
        <RoleChart summary={summary} unit="tokens" />
        <SolvedOverTime report={report} />
        <Chart title="Lengths of proofs" otherwise={nothing} drawn={lengthChart(summary.proof_lines)} />
      </div>
    </>
  );
}

/** `given`: null where the server has the evaluation. */
export function EvaluationView({ given, source, onTrouble }: { given: Report | null; source: ServerSource; onTrouble: (error: Error | null) => void }) {
  const [report, setReport] = useState(given);
  useLooks(!given && (() => source.evaluation()), EVERY, setReport, onTrouble, [given, source]);
  useEffect(() => {
    if (report) document.title = `${report.summary.dataset}: ${report.summary.first_line}`;
  }, [report]);
  if (!report) return <p class="soft">Loading the evaluation …</p>;
  const { summary } = report;
  const incomplete = summary.unverified.length + summary.left + summary.missing_shards.length > 0;
  return (
    <div class="page evaluation">
      <h1 id="dataset">{summary.dataset}</h1>
      <p class={incomplete ? "first warn" : "first"} id="first">{summary.first_line}</p>
      <p class="soft" id="setting">{setting(report)}</p>
      <Tiles report={report} />
      <Categories report={report} />
      <PassAt rates={Object.entries(summary.pass_at_k)} />
      <Roles report={report} />
      <Charts report={report} />
      <ProblemList report={report} />
      <h2>Setup</h2>
      <details><summary>versions, commits, parameters, seeds, prices</summary><pre id="setup" tabIndex={0}>{report.setup}</pre></details>
    </div>
  );
}
