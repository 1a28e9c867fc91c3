// The conversations of agents, tool calls folded.
import { useState } from "preact/hooks";
import type { Conversation, Recording } from "./recording";
import type { RunEvent } from "./types";

function Call({ call }: { call: { name?: string; arguments?: string } }) {
  let text = String(call.arguments ?? "");
  try {
    const parsed = JSON.parse(text) as Record<string, unknown>;
    text = Object.entries(parsed).map(([name, value]) => `${name}:\n${typeof value === "string" ? value : JSON.stringify(value)}`).join("\n\n");
  } catch { /* shown as it is */ }
  return <details><summary>{`calls ${call.name ?? "a tool"}`}</summary><pre tabIndex={0}>{text}</pre></details>;
}

function Message({ event }: { event: RunEvent }) {
  if (event.kind === "context_cut") return <li class="cut soft">{`exchanges were ${String(event.how ?? "cut")}`}</li>;
  const role = String(event.role ?? ""), content = String(event.content ?? "");
  const calls = Array.isArray(event.calls) ? (event.calls as { name?: string; arguments?: string }[]) : [];
  const folded = role === "system" || role === "tool" || content.length > 1500;
  return (
    <li class={`message ${/^[a-z]+$/.test(role) ? role : ""}`}>
      <b>{role}</b>
      {content !== "" && (folded ? <details><summary>{content.split("\n", 1)[0].slice(0, 90)}</summary><pre tabIndex={0}>{content}</pre></details> : <pre tabIndex={0}>{content}</pre>)}
      {calls.map((call) => <Call call={call} />)}
    </li>
  );
}

/** One of these conversations up to event `seq`, and a choice between them. */
export function Talks({ talks, seq }: { talks: Conversation[]; seq: number }) {
  const [which, setWhich] = useState(0);
  const talk = talks[Math.min(which, talks.length - 1)];
  return (
    <>
      <label class="choice">Conversation <select value={which} onChange={(e) => setWhich(Number(e.currentTarget.value))}>
        {talks.map((one, i) => <option value={i}>{`${one.title} (${one.events.length})`}</option>)}
      </select></label>
      <ol class="talk">{talk.events.filter((event) => event.seq <= seq).map((event) => <Message key={event.seq} event={event} />)}</ol>
    </>
  );
}

export function TalkView({ recording, seq }: { recording: Recording; seq: number }) {
  if (recording.conversations.length === 0) return <p class="soft">This run has no conversations: its strategy does not talk to models.</p>;
  return <div class="page"><Talks talks={recording.conversations} seq={seq} /></div>;
}
