// All events of a run, with requests and answers on demand.
import { useMemo, useState } from "preact/hooks";
import type { Recording } from "./recording";
import type { Source } from "./source";
import type { RunEvent } from "./types";
import { seconds } from "./words";

const AT_ONCE = 200;
const ELSEWHERE = ["seq", "at", "kind", "cut", "request", "answer"];

function brief(event: RunEvent): string {
  const fields = Object.entries(event).filter(([name]) => !ELSEWHERE.includes(name));
  return fields.map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`).join(" · ").slice(0, 220);
}

function One({ event, source, run }: { event: RunEvent; source: Source; run: number }) {
  const [whole, setWhole] = useState<RunEvent | null>(null);
  const [trouble, setTrouble] = useState("");
  const open = (toggled: Event) => {
    if (!(toggled.currentTarget as HTMLDetailsElement).open || whole) return;
    if (!event.cut) return setWhole(event);
    source.event(run, event.seq).then(setWhole, (error: Error) => setTrouble(error.message));
  };
  return (
    <details onToggle={open}>
      <summary><span class="soft">{`${event.seq} · ${seconds(event.at)}`}</span> <b>{event.kind}</b> <span class="brief">{brief(event)}</span></summary>
      {whole && <pre tabIndex={0}>{JSON.stringify(whole, null, 1)}</pre>}
      {whole?.cut && <p class="soft">This file leaves long requests and answers out; `zermelo events --jsonl` prints them.</p>}
      {trouble !== "" && <p>{trouble}</p>}
    </details>
  );
}

export function EventView({ recording, source, run, seq, version }: { recording: Recording; source: Source; run: number; seq: number; version: number }) {
  const [kind, setKind] = useState("");
  const [text, setText] = useState("");
  const [shown, setShown] = useState(AT_ONCE);
  const kinds = useMemo(() => [...new Set(recording.events.map((event) => event.kind))].sort(), [recording, version]);
  const found = useMemo(() => {
    const words = text.toLowerCase();
    return recording.events.filter((event) => event.seq <= seq && (kind === "" || event.kind === kind) && (words === "" || JSON.stringify(event).toLowerCase().includes(words)));
  }, [recording, version, seq, kind, text]);
  return (
    <div class="page">
      <div class="tools">
        <label>Kind <select value={kind} onChange={(e) => setKind(e.currentTarget.value)}><option value="">all</option>{kinds.map((one) => <option>{one}</option>)}</select></label>
        <input type="search" aria-label="Find in events" placeholder="Find" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <span class="soft" role="status">{`${found.length} of ${recording.events.length}`}</span>
      </div>
      <div class="events">{found.slice(0, shown).map((event) => <One key={event.seq} event={event} source={source} run={run} />)}</div>
      {found.length > shown && <button type="button" onClick={() => setShown(shown + AT_ONCE)}>Show more</button>}
    </div>
  );
}
