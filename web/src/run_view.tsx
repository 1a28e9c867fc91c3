// One run: its tree, lemmas, proofs, conversations, costs and events, at any moment.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { CostView } from "./cost_view";
import { EventView } from "./event_view";
import { LemmaView } from "./lemma_view";
import { NodeView } from "./node_view";
import type { Place } from "./place";
import { ProofView } from "./proof_view";
import { Recording } from "./recording";
import { statusOf } from "./runs_view";
import { KeyNeeded, type Source } from "./source";
import { TalkView } from "./talk_view";
import { TreeView } from "./tree_view";
import type { Run } from "./types";
import { count, fileName, seconds, Status } from "./words";

interface Props {
  source: Source;
  place: Place;
  go: (change: Partial<Place>) => void;
  onTrouble: (error: Error | null) => void;
}

const VIEWS: [string, string][] = [["tree", "Tree"], ["lemmas", "Lemmas"], ["proof", "Proof"], ["talk", "Conversation"], ["costs", "Costs"], ["events", "Events"]];
const REDRAW = 120; // milliseconds between two looks at new events
const RELOAD = 2000; // between two requests for results and lemmas
const PLAY_STEPS = 300;

/** The run and its events, kept up to date. */
function useRun({ source, place, onTrouble }: Props) {
  const [run, setRun] = useState<Run | null>(null);
  const [version, setVersion] = useState(0);
  const [trouble, setTrouble] = useState("");
  const recording = useMemo(() => new Recording(), [source, place.run]);
  useEffect(() => {
    const id = place.run!;
    let redraw = 0, reload = 0;
    let known = false;
    const fail = (error: Error) => (error instanceof KeyNeeded || !known ? onTrouble(error) : setTrouble(error.message));
    const load = () => {
      reload = 0;
      source.run(id).then((found) => {
        known = true;
        setRun(found);
        setTrouble("");
        onTrouble(null);
      }, fail);
    };
    load();
    const stop = source.follow(id, {
      events(events) {
        recording.add(events);
        redraw ||= window.setTimeout(() => {
          redraw = 0;
          setVersion(recording.events.length);
        }, source.live ? REDRAW : 0);
        if (source.live) reload ||= window.setTimeout(load, RELOAD);
      },
      ended: load,
      trouble: (error) => (error ? fail(error) : setTrouble("")),
    });
    return () => {
      stop();
      clearTimeout(redraw);
      clearTimeout(reload);
    };
  }, [source, place.run]);
  return { run, recording, version, trouble };
}

function Slider({ recording, at, go }: { recording: Recording; at: number | null; go: Props["go"] }) {
  const last = Math.max(recording.lastSeq, 0), now = at ?? last;
  const [playing, setPlaying] = useState(false);
  const where = useRef(now);
  where.current = now;
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => {
      const next = where.current + Math.max(1, Math.round(last / PLAY_STEPS));
      if (next >= last) setPlaying(false);
      go({ at: next >= last ? null : next });
    }, 50);
    return () => clearInterval(timer);
  }, [playing, last]);
  const play = () => {
    if (!playing && now >= last) go({ at: 0 });
    setPlaying(!playing);
  };
  const event = recording.events[Math.min(now, recording.events.length - 1)];
  return (
    <div class="slider">
      <button type="button" aria-label={playing ? "Pause" : "Play the run"} onClick={play}>{playing ? "❚❚" : "▶"}</button>
      <input type="range" min={0} max={last} value={now} aria-label="Moment of the run" aria-valuetext={event ? `event ${now}, ${seconds(event.at)}` : ""}
        onInput={(e) => { setPlaying(false); const value = Number(e.currentTarget.value); go({ at: value >= last ? null : value }); }} />
      <span class="soft moment">{event ? `event ${count(now)} · ${seconds(event.at)}` : ""}</span>
      <button type="button" disabled={at === null} onClick={() => go({ at: null })}>latest</button>
    </div>
  );
}

function Trees({ recording, place, seq, version, go }: { recording: Recording; place: Place; seq: number; version: number; go: Props["go"] }) {
  const trees = recording.trees;
  const tree = trees[Math.min(place.tree, trees.length - 1)];
  if (!tree) return <p class="soft">This run has no search tree: whole proofs, plans and conversations have none.</p>;
  const chosen = tree.nodeOf(place.node) ?? -1;
  const choose = (node: number) => go({ node: node < 0 ? null : tree.ids[node] });
  return (
    <div class="split">
      <div class="main">
        <div class="tools">
          <label class="choice">Search <select value={trees.indexOf(tree)} onChange={(e) => go({ tree: Number(e.currentTarget.value), node: null })}>
            {trees.map((one, i) => <option value={i}>{`${one.label} (${count(one.size)})`}</option>)}
          </select></label>
          <span class="legend"><i class="open" /> open <i class="accent" /> selected <i class="closed" /> closed <i class="good" /> leads to a proof <i class="way" /> last selection</span>
        </div>
        <TreeView tree={tree} seq={seq} version={version} chosen={chosen} onChoose={choose} />
      </div>
      <div class="side">{chosen >= 0 && tree.born[chosen] <= seq ? <NodeView tree={tree} node={chosen} seq={seq} onChoose={choose} /> : <p class="soft">Choose a node to see its tactic state.</p>}</div>
    </div>
  );
}

function firstView(run: Run, recording: Recording): string {
  if (recording.trees.some((tree) => tree.size > 1)) return "tree";
  return run.subgoals.length > 0 || run.blueprint.length > 0 ? "lemmas" : "proof";
}

export function RunView(props: Props) {
  const { source, place, go } = props;
  const { run, recording, version, trouble } = useRun(props);
  useEffect(() => {
    document.title = run ? `Run ${run.id}: ${fileName(run.file)}` : "Zermelo";
  }, [run]);
  if (!run) return <p class="soft">Loading the run …</p>;
  const view = VIEWS.some(([name]) => name === place.view) ? place.view : firstView(run, recording);
  const seq = place.at ?? recording.lastSeq;
  return (
    <>
      <div class="head">
        <h1>{`Run ${run.id}: ${fileName(run.file)}`} <Status status={statusOf(run)} /></h1>
        <p class="soft">{`${run.strategy ?? ""} · ${run.proved === null ? "" : `${run.proved} of ${run.theorems} proved · `}${seconds(run.seconds)} · ${count(recording.events.length)} events · started ${run.started}`}</p>
        {trouble !== "" && <p class="warn" role="alert">{`Not connected: ${trouble}. Trying again.`}</p>}
      </div>
      <div class="tabs" role="tablist" aria-label="Views">
        {VIEWS.map(([name, title]) => <button type="button" role="tab" id={`tab-${name}`} aria-selected={name === view} onClick={() => go({ view: name })}>{title}</button>)}
      </div>
      <Slider recording={recording} at={place.at} go={go} />
      <div role="tabpanel" class={`view ${view}`} aria-labelledby={`tab-${view}`}>
        {view === "tree" && <Trees recording={recording} place={place} seq={seq} version={version} go={go} />}
        {view === "lemmas" && <LemmaView run={run} recording={recording} seq={seq} />}
        {view === "proof" && <ProofView run={run} recording={recording} />}
        {view === "talk" && <TalkView recording={recording} seq={seq} />}
        {view === "costs" && <CostView run={run} recording={recording} />}
        {view === "events" && <EventView recording={recording} source={source} run={run.id} seq={seq} version={version} />}
      </div>
    </>
  );
}
