// The problems of an evaluation: filtered, sorted, each with its statement and proof.
import { useMemo, useState } from "preact/hooks";
import { compact, countLines, duration, money } from "./figures";
import { LongList } from "./long_list";
import type { Cost, Report, Solved } from "./types";
import { Code } from "./words";

const OUTCOMES = ["proved", "unproved", "invalid", "unverified", "disproved", "contradiction", "missing"];
const KEYS = [["name", "name"], ["outcome", "outcome"], ["samples", "samples"], ["tokens", "tokens"], ["money", "money"], ["seconds", "time"], ["lines", "length"]] as const;
type Key = (typeof KEYS)[number][0];
const NOTHING: Cost = { seconds: 0, samples: 0, tokens: 0, money: 0 };

interface Item extends Record<Key, string | number> {
  name: string;
  solved: Solved;
  outcome: string;
  category: string;
  cost: Cost;
}

function itemOf(solved: Solved): Item {
  const { problem, result } = solved;
  const cost = result?.to_proof ?? result?.cost ?? NOTHING;
  return { solved, name: problem.name, outcome: result?.outcome ?? "missing", category: problem.category || "(none)", cost,
    samples: cost.samples, tokens: cost.tokens, money: cost.money, seconds: cost.seconds, lines: countLines(result?.proof ?? "") };
}

function Block({ title, text }: { title: string; text: string }) {
  return text === "" ? null : <><h3>{title}</h3><Code text={text} label={title} /></>;
}

function Inside({ problem, result }: Solved) {
  return (
    <div class="inside">
      {problem.informal !== "" && <p>{problem.informal}</p>}
      <Block title="Statement" text={problem.statement} />
      {result && result.outcome !== "invalid" && (result.proof === "" ? <Block title="Best attempt" text={result.attempt} /> : <Block title="Proof" text={result.proof} />)}
      {result?.negation && result.negation.proof !== "" && <><Block title="Negation" text={result.negation.statement} /><Block title="Its proof" text={result.negation.proof} /></>}
      {result && result.message !== "" && <p>{result.message}</p>}
      {result && (
        <p class="soft">{`${result.proved} of ${result.attempts} attempts succeeded; ${result.cost.samples} samples, ${result.cost.tokens} tokens, `
          + `${money(result.cost.money)}, ${duration(result.cost.seconds)}${result.axioms.length === 0 ? "" : `; axioms: ${result.axioms.join(", ")}`}`}</p>
      )}
      <p class="soft">{`${problem.source.file}:${problem.source.line}${problem.split && `, ${problem.split}`}`}</p>
    </div>
  );
}

function One({ item, runs, inside }: { item: Item; runs: number; inside: boolean }) {
  const { solved, outcome, cost } = item;
  const shown = runs > 1 && solved.runs > 0 ? `${outcome} ${solved.proved}/${solved.runs}` : outcome;
  return (
    <>
      <summary>
        <span>{solved.problem.name}</span><span>{solved.problem.category}</span><span class={OUTCOMES.includes(outcome) ? outcome : ""}>{shown}</span>
        <span>{compact(cost.samples)}</span><span>{compact(cost.tokens)}</span><span>{money(cost.money)}</span><span>{duration(cost.seconds)}</span><span>{item.lines}</span>
      </summary>
      {inside && <Inside {...solved} />}
    </>
  );
}

export function ProblemList({ report }: { report: Report }) {
  const [find, setFind] = useState("");
  const [outcome, setOutcome] = useState("");
  const [category, setCategory] = useState("");
  const [order, setOrder] = useState<{ key: Key | null; down: boolean }>({ key: null, down: false });
  const items = useMemo(() => report.problems.map(itemOf), [report]);
  const shown = useMemo(() => {
    const words = find.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = items.filter((item) => words.every((word) => item.solved.problem.name.toLowerCase().includes(word))
      && (outcome === "" || item.outcome === outcome) && (category === "" || item.category === category));
    const { key, down } = order;
    if (key === null) return hits;
    const collator = new Intl.Collator(undefined, { numeric: true });
    const compare = key === "name" || key === "outcome"
      ? (a: Item, b: Item) => collator.compare(a[key], b[key])
      : (a: Item, b: Item) => Number(a[key]) - Number(b[key]);
    return hits.sort((a, b) => (down ? -1 : 1) * compare(a, b)); // stable
  }, [items, find, outcome, category, order]);
  return (
    <>
      <h2>Problems</h2>
      <div class="tools" id="tools">
        <input id="find" type="search" placeholder="name" aria-label="find by name" value={find} onInput={(e) => setFind(e.currentTarget.value)} />
        <select id="outcome" aria-label="outcome" value={outcome} onInput={(e) => setOutcome(e.currentTarget.value)}>
          <option value="">all outcomes</option>{OUTCOMES.map((one) => <option>{one}</option>)}
        </select>
        <select id="category" aria-label="category" value={category} onInput={(e) => setCategory(e.currentTarget.value)}>
          <option value="">all categories</option>{report.categories.map((one) => <option>{one}</option>)}
        </select>
        {KEYS.map(([key, name]) => (
          <button type="button" data-key={key} aria-pressed={order.key === key} onClick={() => setOrder({ key, down: order.key === key && !order.down })}>{`↕ ${name}`}</button>
        ))}
        <span class="soft" id="shown" role="status">{`${shown.length} of ${items.length}`}</span>
      </div>
      <div class="names"><span>problem</span><span>category</span><span>outcome</span><span>samples</span><span>tokens</span><span>money</span><span>time</span><span>lines</span></div>
      <LongList id="problems" label="Problems" items={shown} row={(item, inside) => <One item={item} runs={report.summary.runs} inside={inside} />}
        about={(item) => ({ class: "problem", "data-outcome": item.outcome, "data-samples": item.cost.samples })} />
    </>
  );
}
