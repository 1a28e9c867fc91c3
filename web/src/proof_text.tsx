// A proof with a cursor: the tactic state beside the tactic that is chosen, as the infoview shows it.
import { useMemo, useRef, useState } from "preact/hooks";
import { Marked, tokensOf } from "./lean_text";
import type { Steps } from "./types";
import { State } from "./words";

interface Range {
  begin: number;
  end: number;
}

interface Piece extends Range {
  step: number; // the innermost; -1: none
}

/** Offsets in UTF-16 of the places of a text, whose columns count code points. */
function offsets(text: string): (place: [number, number]) => number {
  const lines = text.split("\n"), begins = [0];
  for (const line of lines) begins.push(begins[begins.length - 1] + line.length + 1);
  return ([line, column]) => begins[line - 1] + Array.from(lines[line - 1] ?? "").slice(0, column - 1).join("").length;
}

function rangesOf({ text, steps }: Steps): Range[] {
  const offset = offsets(text);
  return steps.map((step) => ({ begin: offset(step.start), end: offset(step.end) }));
}

/** The text, divided where the innermost step changes. */
function piecesOf(text: string, steps: Range[]): Piece[] {
  const owner = new Int32Array(text.length).fill(-1);
  steps.forEach(({ begin, end }, i) => owner.fill(i, begin, end)); // inner steps come later
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length; ++at) {
    const last = pieces[pieces.length - 1];
    if (last && last.step === owner[at]) last.end = at + 1;
    else pieces.push({ begin: at, end: at + 1, step: owner[at] });
  }
  return pieces;
}

function moved(key: string, at: number, count: number): number | undefined {
  if (key === "ArrowDown" || key === "ArrowRight") return Math.min(at + 1, count - 1);
  if (key === "ArrowUp" || key === "ArrowLeft") return Math.max(at - 1, 0);
  return key === "Home" ? 0 : key === "End" ? count - 1 : undefined;
}

export function ProofText({ proof }: { proof: Steps }) {
  const ranges = useMemo(() => rangesOf(proof), [proof]);
  const pieces = useMemo(() => piecesOf(proof.text, ranges), [ranges]);
  const tokens = useMemo(() => tokensOf(proof.text), [proof]);
  const [chosen, setChosen] = useState(0);
  const code = useRef<HTMLPreElement>(null);
  const at = Math.min(chosen, proof.steps.length - 1); // a later verdict can have fewer steps
  const step = proof.steps[at], range = ranges[at];
  const after = step.next === null ? "" : proof.steps[step.next]?.before ?? "";
  const press = (event: KeyboardEvent) => {
    const next = moved(event.key, at, proof.steps.length);
    if (next === undefined) return;
    event.preventDefault();
    setChosen(next);
    code.current?.querySelector<HTMLElement>(`[data-step="${next}"]`)?.focus();
  };
  const seen = new Set<number>();
  return (
    <div class="steps">
      <pre ref={code} class="cursor" role="group" aria-label="Proof. Arrow keys move between its tactics." onKeyDown={press}>
        {pieces.map(({ begin, end, step: own }) => {
          const inside = <Marked text={proof.text} tokens={tokens} begin={begin} end={end} />;
          if (own < 0) return inside;
          const first = !seen.has(own);
          seen.add(own);
          const mark = begin >= range.begin && end <= range.end ? "step chosen" : "step";
          return first
            ? <span class={mark} role="button" data-step={own} tabIndex={own === at ? 0 : -1} aria-pressed={own === at} onClick={() => setChosen(own)}>{inside}</span>
            : <span class={mark} onClick={() => setChosen(own)}>{inside}</span>;
        })}
      </pre>
      <div class="state" aria-live="polite" aria-label="Tactic state">
        <h3>Before the tactic</h3>
        <State goals={step.before} />
        <h3>After it</h3>
        <State goals={after} before={step.before} />
      </div>
    </div>
  );
}
