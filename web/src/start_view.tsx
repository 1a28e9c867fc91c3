// Starts and cancels runs, where the server allows it.
import { useEffect, useState } from "preact/hooks";
import { writePlace } from "./place";
import type { Files, Job, Jobs, ServerSource } from "./source";
import { fileName } from "./words";

const EVERY = 2000; // milliseconds between two looks at the jobs
const EXAMPLE = "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n";

/** An optional limit of what the models may use. */
function Limit({ name, value, step, onInput }: { name: string; value: string; step: string; onInput: (value: string) => void }) {
  return <label>{`${name} of models`} <input type="number" min={step} step={step} placeholder="no limit" value={value} onInput={(e) => onInput(e.currentTarget.value)} /></label>;
}

function JobLine({ job, source }: { job: Job; source: ServerSource }) {
  const [asked, setAsked] = useState(false);
  const cancel = () => {
    setAsked(true);
    source.cancel(job.job).catch(() => setAsked(false));
  };
  return (
    <li>
      {job.run === null ? fileName(job.file) : <a href={writePlace({ run: job.run, view: "", tree: 0, node: null, at: null })}>{`run ${job.run}`}</a>}
      {` ${job.state} `}
      {job.state === "running" && <button type="button" disabled={asked} onClick={cancel}>cancel</button>}
      {job.message !== "" && <span class="soft">{job.message}</span>}
    </li>
  );
}

export function StartView({ source, onTrouble }: { source: ServerSource; onTrouble: (error: Error) => void }) {
  const [jobs, setJobs] = useState<Jobs | null>(null);
  const [text, setText] = useState(EXAMPLE);
  const [file, setFile] = useState("");
  const [files, setFiles] = useState<Files>({ files: [], more: false });
  const [strategy, setStrategy] = useState("auto");
  const [time, setTime] = useState(60);
  const [samples, setSamples] = useState("");
  const [tokens, setTokens] = useState("");
  const [dollars, setDollars] = useState("");
  const [trouble, setTrouble] = useState("");
  const [missed, setMissed] = useState<Error | null>(null); // why the last look has no answer
  const look = () => source.jobs().then((found) => {
    setJobs(found);
    setMissed(null);
  }, (error: Error) => {
    setMissed(error);
    onTrouble(error);
  });
  useEffect(() => {
    void look();
  }, [source]);
  useEffect(() => {
    if (!missed && !jobs?.jobs.some((one) => one.state === "running")) return;
    const timer = setTimeout(look, EVERY);
    return () => clearTimeout(timer);
  }, [jobs, missed]);
  if (!jobs) return null;
  const lookForFiles = () => void source.files().then(setFiles, (error: Error) => setTrouble(error.message));
  const start = (event: Event) => {
    event.preventDefault();
    setTrouble("");
    const what = file.trim() === "" ? { text } : { file: file.trim() };
    const most = (limit: string) => (limit === "" ? undefined : Number(limit));
    source.start({ ...what, strategy, seconds: time, samples: most(samples), tokens: most(tokens), dollars: most(dollars) }).then(look, (error: Error) => setTrouble(error.message));
  };
  return (
    <details class="new-run" onToggle={(e) => e.currentTarget.open && lookForFiles()}>
      <summary>Start a run</summary>
      <form onSubmit={start}>
        <label>Statements with `sorry` <textarea spellcheck={false} value={text} disabled={file.trim() !== ""} onInput={(e) => setText(e.currentTarget.value)} /></label>
        <div class="tools">
          <label>or a file of the project <input list="files" value={file} placeholder="Folder/File.lean" onInput={(e) => setFile(e.currentTarget.value)} /></label>
          <datalist id="files">{files.files.map((one) => <option key={one} value={one} />)}</datalist>
          {files.more && <span class="soft">Only some of the project's files are offered; others can be typed.</span>}
          <label>Strategy <select value={strategy} onChange={(e) => setStrategy(e.currentTarget.value)}>{jobs.strategies.map((one) => <option>{one}</option>)}</select></label>
          <label>Seconds for each theorem <input type="number" min={1} max={3600} value={time} onInput={(e) => setTime(Number(e.currentTarget.value))} /></label>
          <Limit name="Samples" step="1" value={samples} onInput={setSamples} />
          <Limit name="Tokens" step="1" value={tokens} onInput={setTokens} />
          <Limit name="Dollars" step="0.01" value={dollars} onInput={setDollars} />
          <button type="submit">Start</button>
        </div>
        {trouble !== "" && <p class="warn" role="alert">{trouble}</p>}
      </form>
      <ul>{jobs.jobs.map((job) => <JobLine key={job.job} job={job} source={source} />)}</ul>
    </details>
  );
}
