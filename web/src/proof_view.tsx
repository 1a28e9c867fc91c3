// The theorems of a run, their proofs, and who accepted them.
import { ProofText } from "./proof_text";
import type { Recording, Theorem } from "./recording";
import type { Result, Run, Steps } from "./types";
import { Code, copy, count, fileName, seconds, Status } from "./words";

function save(name: string, text: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const kernelNames: Record<string, string> = { zermelo: "Zermelo", "lean-replay": "Lean (replay)" };

function judgedBy(kernels: Result["kernels"]) {
  if (kernels === undefined) return "The record names no kernel.";
  const said = kernels.map((one) => `${kernelNames[one.kernel] ?? one.kernel} (${one.verdict})`).join(", ");
  if (kernels.some((one) => one.verdict === "accepted")) return `Kernels: ${said}.`;
  return `No independent kernel has accepted it, only the Lean that compiled it${said === "" ? "" : `; ${said}`}.`;
}

function One({ result, theorem }: { result: Result; theorem?: Theorem }) {
  const auxiliary = result.auxiliary ?? "";
  const steps = theorem?.verdict?.steps as Steps | undefined;
  const tactics = auxiliary === "" ? result.proof ?? "" : `${auxiliary}\n${result.proof}`;
  const text = result.proof === null ? "" : steps?.text ?? tactics;
  return (
    <article class="theorem">
      <h2>{result.name} <Status status={result.status} /></h2>
      <p class="soft">{`line ${result.line} · ${seconds(result.seconds)} · ${count(result.checks)} checks · ${count(result.samples)} tried`}</p>
      {result.message !== "" && <p>{result.message}</p>}
      {theorem?.goals && !steps && <Code text={theorem.goals} label="goal" />}
      {text !== "" && (
        <>
          <h3>Proof</h3>
          {steps ? <ProofText proof={steps} /> : <Code text={text} label="proof" />}
          <p>{judgedBy(result.kernels)}{" "}{(result.axioms ?? []).length === 0 ? "No axioms." : `Axioms: ${result.axioms!.join(", ")}.`}</p>
          <p class="tools">
            {steps && <button type="button" onClick={() => void copy(text)}>copy</button>}
            <button type="button" onClick={() => save(`${result.name.replace(/[^\w.]/g, "_")}.lean`, `${text}\n`)}>download</button>
          </p>
        </>
      )}
    </article>
  );
}

export function ProofView({ run, recording }: { run: Run; recording: Recording }) {
  if (run.results.length === 0) return <p class="soft">Nothing has been verified yet.</p>;
  return (
    <div class="page">
      <p class="soft">{`${fileName(run.file)}, Lean ${run.lean?.version ?? "?"}`}</p>
      {run.results.map((result, i) => <One key={i} result={result} theorem={recording.theorems.find((one) => one.name === result.name && one.line === result.line)} />)}
    </div>
  );
}
