// The theorems of a run, their proofs, and who accepted them.
import { useState } from "preact/hooks";
import { ownTactic } from "./draw";
import type { Recording, Theorem } from "./recording";
import type { SearchTree } from "./search_tree";
import type { Result, Run } from "./types";
import { Code, count, fileName, seconds, State, Status } from "./words";

/** The way through the search tree that ended in a proof, with the state beside each tactic. */
function Steps({ tree }: { tree: SearchTree }) {
  let end = 0;
  for (let node = 1; node < tree.size; ++node) {
    if (tree.provedAt[node] < Number.MAX_SAFE_INTEGER && tree.depth[node] > tree.depth[end]) end = node;
  }
  const path = tree.path(end);
  const [chosen, setChosen] = useState(path[1] ?? 0);
  if (end === 0) return null;
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const next = path[path.indexOf(chosen) + step];
    if (step === 0 || !next) return;
    event.preventDefault();
    setChosen(next);
    (event.currentTarget as HTMLElement).querySelectorAll("button")[path.indexOf(next) - 1]?.focus();
  };
  return (
    <>
      <h3>Step by step</h3>
      <div class="steps">
        <ol class="path" onKeyDown={move}>
          {path.slice(1).map((node) => <li><button type="button" class="link" aria-current={node === chosen} onClick={() => setChosen(node)}>{ownTactic(tree, node)}</button></li>)}
        </ol>
        <div aria-live="polite"><State goals={tree.goals[chosen]} before={tree.goals[tree.parent[chosen]]} /></div>
      </div>
    </>
  );
}

function save(name: string, text: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function One({ result, theorem, trees }: { result: Result; theorem?: Theorem; trees: SearchTree[] }) {
  const kernels = (theorem?.verdict?.kernels ?? []) as { kernel: string; verdict: string }[];
  const auxiliary = String(theorem?.verdict?.auxiliary ?? "");
  const text = result.proof === null ? "" : auxiliary === "" ? result.proof : `${auxiliary}\n${result.proof}`;
  const tree = trees.find((one) => one.provedAt[0] < Number.MAX_SAFE_INTEGER);
  return (
    <article class="theorem">
      <h2>{result.name} <Status status={result.status} /></h2>
      <p class="soft">{`line ${result.line} · ${seconds(result.seconds)} · ${count(result.checks)} checks · ${count(result.samples)} tried`}</p>
      {result.message !== "" && <p>{result.message}</p>}
      {theorem?.goals && <Code text={theorem.goals} label="goal" />}
      {text !== "" && (
        <>
          <h3>Proof</h3>
          <Code text={text} label="proof" />
          <p>{kernels.length > 0 ? `Kernels: ${kernels.map((one) => `${one.kernel === "lean" ? "Lean" : "Zermelo"} (${one.verdict})`).join(", ")}.` : "The record names no kernel."}
            {" "}{(result.axioms ?? []).length === 0 ? "No axioms." : `Axioms: ${result.axioms!.join(", ")}.`}</p>
          <p><button type="button" onClick={() => save(`${result.name.replace(/[^\w.]/g, "_")}.lean`, `${text}\n`)}>download</button></p>
          {tree && <Steps tree={tree} key={tree.label} />}
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
      {run.results.map((result, i) => <One key={i} result={result} theorem={recording.theorems.find((one) => one.name === result.name && one.line === result.line)}
        trees={recording.trees.filter((tree) => recording.theorems[tree.theorem]?.name === result.name)} />)}
    </div>
  );
}
