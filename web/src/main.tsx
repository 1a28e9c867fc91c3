// The page: the list of runs of a server, one run, or an evaluation.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { EvaluationView } from "./evaluation_view";
import { type Place, readPlace, writePlace } from "./place";
import { RunView } from "./run_view";
import { RunsView } from "./runs_view";
import { FileSource, KeyNeeded, ServerSource, type Source } from "./source";
import type { Data } from "./types";

const data = JSON.parse(document.getElementById("data")!.textContent ?? "null") as Data;
const server = new ServerSource();
const source: Source = data && "run" in data ? new FileSource(data) : server;

/** `zermelo view` passes its key behind the #, which is not sent to any server. */
function takeKey() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key === null) return;
  server.setKey(key);
  const place = readPlace(location.hash);
  history.replaceState(null, "", writePlace(place));
}

function KeyForm({ why, onKey }: { why: string; onKey: (key: string) => void }) {
  const [key, setKey] = useState("");
  return (
    <form class="page" onSubmit={(event) => { event.preventDefault(); onKey(key); }}>
      <p>This server needs its key.</p>
      {why !== "" && <p class="warn" role="alert">{why}</p>}
      <div class="tools">
        <input type="password" aria-label="Key" autocomplete="off" value={key} onInput={(e) => setKey(e.currentTarget.value)} />
        <button type="submit">Continue</button>
      </div>
    </form>
  );
}

function App() {
  const [place, setPlace] = useState<Place>(readPlace(location.hash));
  const [error, setError] = useState<Error | null>(null);
  const [tries, setTries] = useState(0); // with another key
  useEffect(() => {
    const read = () => setPlace(readPlace(location.hash));
    addEventListener("hashchange", read);
    read(); // it may have changed since the first drawing
    return () => removeEventListener("hashchange", read);
  }, []);
  const go = (change: Partial<Place>) => {
    setPlace((old) => {
      const next = { ...old, ...change };
      // A new view can be left with "back", a new moment or node is not a step of its own.
      if ("view" in change) history.pushState(null, "", writePlace(next));
      else history.replaceState(null, "", writePlace(next));
      return next;
    });
  };
  const shown: Place = data && "run" in data ? { ...place, run: data.run.id } : place;
  const unlock = (key: string) => {
    server.setKey(key);
    setError(null);
    setTries(tries + 1);
  };
  return (
    <>
      <header><a href="#" class="brand">Zermelo</a>{source.live && shown.run !== null && <a href="#">all runs</a>}</header>
      <main key={tries}>
        {error instanceof KeyNeeded ? <KeyForm why={error.message} onKey={unlock} />
          : <>
            {error && <p class="warn" role="alert">{error.message}</p>}
            {data && "evaluation" in data ? <EvaluationView given={data.evaluation} source={server} onTrouble={setError} />
              : shown.run === null ? <RunsView source={source} onTrouble={setError} />
              : <RunView key={shown.run} source={source} place={shown} go={go} onTrouble={setError} />}
          </>}
      </main>
    </>
  );
}

takeKey();
render(<App />, document.getElementById("page")!);
