// The search trees of a run, as its events tell them.
import type { RunEvent } from "./types";

/** An arm of the bandit, as a traced selection saw it. */
export interface Arm {
  arm: number | null;
  w: number;
  n: number;
  /** Beside the mean reward w/n, in the score. */
  bonus?: number | string;
  score: number | string;
  pending?: number;
  closed?: boolean;
}

interface Selection {
  seq: number;
  node: number;
  event: RunEvent;
}

const NEVER = Number.MAX_SAFE_INTEGER;
/** Nodes that end a proof and that the strategy has not numbered get numbers from here on. */
const FIRST_END = 1_000_000_000;

/** Nodes are numbered from 0, the root, in the order in which they were added. */
export class SearchTree {
  readonly parent: number[] = [-1];
  readonly depth: number[] = [0];
  readonly children: number[][] = [[]];
  readonly tactic: string[] = [""];
  readonly goals: string[] = [""];
  readonly born: number[] = [0];
  /** The event after which the node leads to a proof. */
  readonly provedAt: number[] = [NEVER];
  /** The event that selected it first. */
  readonly selectedAt: number[] = [NEVER];
  /** The events after which nothing was left to try in a node. */
  private readonly closings: (number[] | undefined)[] = [undefined];
  /** The selections of closed nodes: another pass has begun, in which all nodes are open again. */
  private readonly reopenings: number[] = [];
  /** Whether the tactics of a node begin with those of its parent. */
  recordsPrefixes = false;
  readonly ids: number[] = [0];
  readonly selections: Selection[] = [];
  readonly visits: number[] = [0];
  readonly rewards: number[] = [0];

  private readonly byId = new Map<number, number>([[0, 0]]);
  private readonly steps: { seq: number; node: number; reward: number | null }[] = [];
  private applied = 0;
  private backsUp = false;

  constructor(readonly theorem: number, readonly strategy: string, readonly label: string, begun: number) {
    this.born[0] = begun;
  }

  get size() {
    return this.parent.length;
  }

  /** Whether the strategy has not recorded the node: only the proof that was found shows it. */
  isEnd(node: number) {
    return this.ids[node] >= FIRST_END;
  }

  nodeOf(id: unknown): number | undefined {
    return typeof id === "number" ? this.byId.get(id) : undefined;
  }

  /** Takes `selected`, `node_added`, `node_closed` and `backed_up`. */
  add(event: RunEvent) {
    if (event.kind === "node_added") return this.addNode(event);
    const node = this.nodeOf(event.node);
    if (node === undefined) return;
    if (event.kind === "node_closed") {
      (this.closings[node] ??= []).push(event.seq);
    } else if (event.kind === "selected") {
      if (this.isClosed(node, event.seq)) this.reopenings.push(event.seq);
      this.selections.push({ seq: event.seq, node, event });
      this.selectedAt[node] = Math.min(this.selectedAt[node], event.seq);
      if (!this.backsUp) this.steps.push({ seq: event.seq, node, reward: null });
    } else {
      if (!this.backsUp) this.restart();
      this.steps.push({ seq: event.seq, node, reward: Number(event.reward) || 0 });
    }
  }

  /** A proof that was found: marks the nodes that lead to it, if its text says which these are. */
  addProof(proof: string, seq: number) {
    if (this.provedAt[0] < NEVER) return;
    const whole = bare(proof);
    let best = -1;
    const prefix: string[] = [""];
    for (let node = 1; node < this.size; ++node) {
      prefix[node] = (this.recordsPrefixes ? "" : prefix[this.parent[node]]) + bare(this.tactic[node]);
      if (whole.startsWith(prefix[node]) && (best < 0 || this.depth[node] > this.depth[best])) best = node;
    }
    const from = Math.max(best, 0);
    if (bare(proof) === (prefix[from] ?? "")) return this.prove(from, seq);
    this.push(FIRST_END + this.size, from, rest(proof, prefix[from].length), "", seq);
    this.prove(this.size - 1, seq);
  }

  /** Whether nothing is left to try in a node after event `seq`. */
  isClosed(node: number, seq: number): boolean {
    const closed = lastUpTo(this.closings[node] ?? [], seq);
    return closed >= 0 && closed > lastUpTo(this.reopenings, seq);
  }

  /** The nodes from the root to a node. */
  path(node: number): number[] {
    const nodes: number[] = [];
    for (let at = node; at >= 0; at = this.parent[at]) nodes.push(at);
    return nodes.reverse();
  }

  /** Makes `visits` and `rewards` those after event `seq`. */
  moveTo(seq: number) {
    while (this.applied < this.steps.length && this.steps[this.applied].seq <= seq) this.apply(this.steps[this.applied++], 1);
    while (this.applied > 0 && this.steps[this.applied - 1].seq > seq) this.apply(this.steps[--this.applied], -1);
  }

  /** The last selection up to event `seq`. */
  lastSelection(seq: number): Selection | undefined {
    let low = 0, high = this.selections.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.selections[middle].seq <= seq) low = middle + 1;
      else high = middle;
    }
    return this.selections[low - 1];
  }

  /** The arms at a node as the last traced selection up to event `seq` saw them. */
  armsAt(node: number, seq: number): Arm[] | undefined {
    for (let i = this.selections.length - 1; i >= 0; --i) {
      const { seq: when, event } = this.selections[i];
      if (when > seq) continue;
      const path = event.path as { node: number; arms: Arm[] }[] | undefined;
      const step = path?.find((one) => one.node === this.ids[node]);
      if (step) return step.arms;
      const own = (event.arms as Arm[] | undefined)?.filter((one) => one.arm === this.ids[node]);
      if (own?.length) return own;
    }
    return undefined;
  }

  private addNode(event: RunEvent) {
    const above = this.nodeOf(event.parent);
    if (above === undefined || typeof event.node !== "number" || this.byId.has(event.node)) return;
    const goals = Array.isArray(event.goals) ? event.goals.join("\n\n") : String(event.goals ?? "");
    this.recordsPrefixes ||= "tactics" in event;
    this.push(event.node, above, String(event.tactic ?? event.tactics ?? ""), goals, event.seq);
    if (goals === "") this.prove(this.size - 1, event.seq);
  }

  private push(id: number, above: number, tactic: string, goals: string, seq: number) {
    const node = this.size;
    this.byId.set(id, node);
    this.parent.push(above);
    this.depth.push(this.depth[above] + 1);
    this.children.push([]);
    this.children[above].push(node);
    this.tactic.push(tactic);
    this.goals.push(goals);
    this.born.push(seq);
    this.provedAt.push(NEVER);
    this.selectedAt.push(NEVER);
    this.closings.push(undefined);
    this.ids.push(id);
    this.visits.push(0);
    this.rewards.push(0);
  }

  private prove(node: number, seq: number) {
    for (const above of this.path(node)) this.provedAt[above] = Math.min(this.provedAt[above], seq);
  }

  /** The first backup shows that visits are counted by backups, and not by selections. */
  private restart() {
    this.backsUp = true;
    this.steps.length = 0;
    this.applied = 0;
    this.visits.fill(0);
    this.rewards.fill(0);
  }

  private apply(step: { node: number; reward: number | null }, sign: number) {
    if (step.reward === null) {
      this.visits[step.node] += sign;
      return;
    }
    for (let at = step.node; at >= 0; at = this.parent[at]) {
      this.visits[at] += sign;
      this.rewards[at] += sign * step.reward;
    }
  }
}

/** The last of these ascending numbers that is not above `most`; -1 if there is none. */
function lastUpTo(numbers: number[], most: number): number {
  for (let i = numbers.length - 1; i >= 0; --i) if (numbers[i] <= most) return numbers[i];
  return -1;
}

/** A proof without what its layout adds. */
function bare(text: string) {
  return text.replace(/[\s·]/g, "");
}

/** The rest of a proof after `count` characters of its bare text. */
function rest(proof: string, count: number) {
  let at = 0;
  for (; count > 0; ++at) if (bare(proof[at]) !== "") --count;
  return proof.slice(at).replace(/^[\s·]+/, "");
}
