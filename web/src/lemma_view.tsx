// The lemmas and subgoals of a run as a graph (dagre): an arrow leads from a statement to what its proof uses.
import { Graph, layout } from "@dagrejs/dagre";
import { useMemo, useState } from "preact/hooks";
import type { Conversation, Recording } from "./recording";
import { Talks } from "./talk_view";
import type { Lemma, Run, Subgoal } from "./types";
import { Code, count, marks, seconds, Status } from "./words";

interface Card {
  lemma: Lemma;
  uses: number[];
  attempts: string[]; // sketches that were refused
}

interface Plan {
  title: string;
  line?: number; // of its theorem, if it may have conversations
  cards: Card[];
}

const WIDTH = 190, HEIGHT = 46, MOST = 600;

function addSubgoal(goal: Subgoal, cards: Card[]): number {
  const card: Card = { lemma: { name: goal.name, statement: goal.statement, status: goal.state, reason: goal.why, ...goal.used }, uses: [], attempts: [] };
  const number = cards.push(card) - 1;
  for (const sketch of goal.sketches) {
    if (sketch.refused !== "") card.attempts.push(`attempt ${sketch.attempt}.${sketch.refinement}: ${sketch.refused}`);
    for (const part of sketch.subgoals) if (part) card.uses.push(addSubgoal(part, cards));
  }
  return number;
}

export function plansOf(run: Run): Plan[] {
  const plans = run.subgoals.map((goal): Plan => {
    const cards: Card[] = [];
    addSubgoal(goal, cards);
    return { title: goal.name, cards };
  });
  for (const theorem of run.blueprint) {
    const number = new Map(theorem.lemmas.map((lemma, i) => [lemma.name, i]));
    const cards = theorem.lemmas.map((lemma) => ({
      lemma, attempts: [], uses: (lemma.depends ?? []).map((name) => number.get(name)).filter((one) => one !== undefined),
    }));
    plans.push({ title: theorem.name, line: theorem.line, cards });
  }
  return plans;
}

/** The conversations about a lemma, and those in which it was proved on the way to something else. */
function talksAbout(lemma: Lemma, plan: Plan, recording: Recording): Conversation[] {
  return recording.conversations.filter((talk) => {
    const theorem = recording.theorems[talk.theorem];
    if (theorem?.name !== plan.title || theorem.line !== plan.line) return false;
    return talk.by === lemma.by || (talk.task === "" ? plan.title : talk.task) === lemma.name;
  });
}

function Drawing({ plan, chosen, onChoose }: { plan: Plan; chosen: number; onChoose: (card: number) => void }) {
  const graph = useMemo(() => {
    const made = new Graph();
    made.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 40, marginx: 8, marginy: 8 });
    made.setDefaultEdgeLabel(() => ({}));
    plan.cards.forEach((_, i) => made.setNode(String(i), { width: WIDTH, height: HEIGHT }));
    plan.cards.forEach((card, i) => card.uses.forEach((used) => made.setEdge(String(i), String(used))));
    layout(made);
    return made;
  }, [plan]);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const press = (event: KeyboardEvent, i: number) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onChoose(i);
    }
  };
  return (
    <div class="scroll">
      <svg class="lemmas" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`Lemmas of ${plan.title}`}>
        {graph.edges().map((edge) => {
          const { points } = graph.edge(edge) as { points: { x: number; y: number }[] };
          return <path class="edge" d={`M${points.map((at) => `${at.x.toFixed(1)} ${at.y.toFixed(1)}`).join("L")}`} />;
        })}
        {plan.cards.map(({ lemma }, i) => {
          const { x, y } = graph.node(String(i)) as { x: number; y: number };
          return (
            <g class={`card ${lemma.status ?? ""} ${i === chosen ? "chosen" : ""}`} transform={`translate(${x - WIDTH / 2} ${y - HEIGHT / 2})`}
              role="button" tabIndex={0} aria-pressed={i === chosen} aria-label={`${lemma.name}: ${lemma.status ?? "open"}`}
              onClick={() => onChoose(i)} onKeyDown={(event) => press(event, i)}>
              <rect width={WIDTH} height={HEIGHT} rx="6" />
              <text x="10" y="19">{short(lemma.name, 24)}</text>
              <text x="10" y="36" class="soft">{`${marks[lemma.status ?? "open"] ?? ""} ${lemma.status ?? ""}${lemma.by ? ` · ${short(lemma.by, 16)}` : ""}`}</text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

function short(text: string, most: number) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function Details({ card }: { card: Card }) {
  const { lemma } = card;
  return (
    <section class="node" aria-live="polite" aria-label="Chosen lemma">
      <h2>{lemma.name} <Status status={lemma.status ?? "open"} /></h2>
      <dl>
        {lemma.by && <><dt>proved by</dt><dd>{lemma.by}</dd></>}
        {lemma.reason && <><dt>reason</dt><dd>{lemma.reason}</dd></>}
        {lemma.calls !== undefined && <><dt>calls</dt><dd>{count(lemma.calls)}</dd></>}
        {lemma.samples !== undefined && <><dt>samples</dt><dd>{count(lemma.samples)}</dd></>}
        {lemma.tokens !== undefined && <><dt>tokens</dt><dd>{count(lemma.tokens)}</dd></>}
        {lemma.checks !== undefined && <><dt>checks by Lean</dt><dd>{count(lemma.checks)}</dd></>}
        {lemma.lean_seconds !== undefined && <><dt>Lean's time</dt><dd>{seconds(lemma.lean_seconds)}</dd></>}
      </dl>
      <h3>Statement</h3>
      <Code text={lemma.statement ?? ""} label="statement" />
      {lemma.proof && <><h3>{lemma.status === "false" ? "Counterexample" : "Proof"}</h3><Code text={lemma.proof} label="proof" /></>}
      {card.attempts.length > 0 && <><h3>Refused sketches</h3><ul>{card.attempts.map((why) => <li>{why}</li>)}</ul></>}
    </section>
  );
}

export function LemmaView({ run, recording, seq }: { run: Run; recording: Recording; seq: number }) {
  const plans = useMemo(() => plansOf(run), [run]);
  const [which, setWhich] = useState(0);
  const [chosen, setChosen] = useState(0);
  const plan = plans[Math.min(which, plans.length - 1)];
  if (!plan) return <p class="soft">This run has no lemmas: its strategy does not divide theorems.</p>;
  const card = plan.cards[Math.min(chosen, plan.cards.length - 1)];
  const talks = talksAbout(card.lemma, plan, recording);
  return (
    <div class="split">
      <div class="main">
        <label class="choice">Theorem <select value={which} onChange={(e) => { setWhich(Number(e.currentTarget.value)); setChosen(0); }}>
          {plans.map((one, i) => <option value={i}>{`${one.title} (${one.cards.length})`}</option>)}
        </select></label>
        {plan.cards.length <= MOST ? <Drawing plan={plan} chosen={chosen} onChoose={setChosen} />
          : <ul>{plan.cards.map((one, i) => <li><button type="button" class="link" onClick={() => setChosen(i)}>{one.lemma.name}</button> <Status status={one.lemma.status ?? "open"} /></li>)}</ul>}
      </div>
      <div class="side">
        <Details card={card} />
        {talks.length > 0 && (
          <section aria-label={`Conversations about ${card.lemma.name}`}>
            <h3>Conversation</h3>
            <Talks key={`${which} ${card.lemma.name}`} talks={talks} seq={seq} />
          </section>
        )}
      </div>
    </div>
  );
}
