// The list of runs.
import { useState } from "preact/hooks";
import { useLooks } from "./looks";
import { writePlace } from "./place";
import { ServerSource, type Source } from "./source";
import { StartView } from "./start_view";
import type { Summary } from "./types";
import { dollars, fileName, seconds, Status } from "./words";

const EVERY = 3000; // milliseconds from an answer to the next look at the list

export function statusOf(run: Summary): string {
  if (run.state !== "finished") return run.state;
  return run.proved === run.theorems ? "proved" : "unproved";
}

export function RunsView({ source, onTrouble }: { source: Source; onTrouble: (error: Error | null) => void }) {
  const [runs, setRuns] = useState<Summary[] | null>(null);
  const [text, setText] = useState("");
  const [status, setStatus] = useState("");
  useLooks(() => source.list(), EVERY, setRuns, onTrouble, [source]);
  if (!runs) return <p class="soft">Loading the runs …</p>;
  const words = text.toLowerCase();
  const found = runs.filter((run) => (status === "" || statusOf(run) === status) && `${run.id} ${run.file} ${run.strategy ?? ""}`.toLowerCase().includes(words));
  return (
    <div class="page">
      {source instanceof ServerSource && <StartView source={source} onTrouble={onTrouble} />}
      <div class="tools">
        <input type="search" aria-label="Find runs" placeholder="File or strategy" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <label>Status <select value={status} onChange={(e) => setStatus(e.currentTarget.value)}><option value="">all</option>
          {["open", "proved", "unproved"].map((one) => <option>{one}</option>)}</select></label>
        <span class="soft" role="status">{`${found.length} of ${runs.length}`}</span>
      </div>
      {runs.length === 0 && <p>There are no runs yet. `zermelo prove` records one.</p>}
      <div class="scroll">
        <table class="runs">
          <thead><tr><th>run</th><th>file</th><th>status</th><th>proved</th><th>strategy</th><th>time</th><th>cost</th><th>started</th></tr></thead>
          <tbody>
            {found.map((run) => (
              <tr key={run.id}>
                <td><a href={writePlace({ run: run.id, view: "", tree: 0, node: null, at: null })}>{run.id}</a></td>
                <td title={run.file}>{fileName(run.file)}</td><td><Status status={statusOf(run)} /></td>
                <td>{run.proved === null ? "–" : `${run.proved}/${run.theorems}`}</td><td>{run.strategy ?? ""}</td>
                <td>{seconds(run.seconds)}</td><td>{dollars(run.dollars)}</td><td>{run.started.replace("T", " ").replace("Z", "")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
