// Numbers and texts as the page writes them.
import { Marked, tokensOf } from "./lean_text";

export const marks: Record<string, string> = { proved: "✓", proved_from: "◐", false: "✗", failed: "✗", unproved: "–", error: "!", divided: "…", too_hard: "–", open: "○", proving: "…" };

export function seconds(value: number): string {
  if (value < 60) return `${value.toFixed(value < 10 ? 2 : 1)} s`;
  return value < 3600 ? `${(value / 60).toFixed(1)} min` : `${(value / 3600).toFixed(1)} h`;
}

export function count(value: number | undefined | null): string {
  return value === undefined || value === null ? "–" : value.toLocaleString("en-US");
}

export function dollars(value: number | undefined | null): string {
  return value === undefined || value === null ? "–" : `$${value.toFixed(value < 1 ? 4 : 2)}`;
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function Status({ status }: { status: string }) {
  return <span class={`status ${/^[a-z_]+$/.test(status) ? status : ""}`}>{`${marks[status] ?? ""} ${status.replace("_", " ")}`}</span>;
}

/** Lean code, with a button that copies it. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <button type="button" class="copy" aria-label={`Copy ${label}`} onClick={() => void copy(text)}>copy</button>
      <pre tabIndex={0} aria-label={label}><Marked text={text} tokens={tokensOf(text)} /></pre>
    </div>
  );
}

export async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // a file, or a page over plain HTTP
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** A tactic state; the lines that the state before does not have are marked. */
export function State({ goals, before }: { goals: string; before?: string }) {
  if (goals === "") return <p class="soft">No goals are left.</p>;
  const known = new Set((before ?? goals).split("\n"));
  return (
    <div class="code">
      <button type="button" class="copy" aria-label="Copy the tactic state" onClick={() => void copy(goals)}>copy</button>
      <pre tabIndex={0} aria-label="Tactic state">
        {goals.split("\n").map((line) => <span class={known.has(line) || line === "" ? "" : "new"}>{`${line}\n`}</span>)}
      </pre>
    </div>
  );
}
