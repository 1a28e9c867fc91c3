// A run's events, sorted into theorems, search trees and conversations.
import { SearchTree } from "./search_tree";
import type { RunEvent } from "./types";

export interface Theorem {
  index: number;
  name: string;
  line: number;
  begun: number;
  goals: string; // at its start; empty while unknown
  found?: RunEvent; // theorem_ended
  verdict?: RunEvent; // proved or failed
}

export interface Conversation {
  theorem: number;
  task: string; // the lemma that it is about; empty: the theorem
  by: string;
  title: string;
  events: RunEvent[];
}

const UNSOLVED = "unsolved goals\n";

export class Recording {
  readonly events: RunEvent[] = [];
  readonly theorems: Theorem[] = [];
  readonly trees: SearchTree[] = [];
  readonly conversations: Conversation[] = [];

  private strategy?: string; // whose events these are, if the record says so
  private phase = 0; // the searches of a theorem, which begin their numbers anew
  private readonly treesByKey = new Map<string, SearchTree>();
  private readonly talks = new Map<string, Conversation>();
  private latest?: SearchTree;

  get lastSeq() {
    return this.events.length > 0 ? this.events[this.events.length - 1].seq : -1;
  }

  /** Takes events in order; those that it has are skipped. */
  add(events: RunEvent[]) {
    for (const event of events) {
      if (event.seq <= this.lastSeq) continue;
      this.events.push(event);
      this.take(event);
    }
  }

  private take(event: RunEvent) {
    const theorem = this.theorems[this.theorems.length - 1];
    switch (event.kind) {
      case "theorem_begun":
        this.nextSearch();
        this.theorems.push({ index: this.theorems.length, name: String(event.name), line: Number(event.line), begun: event.seq, goals: "" });
        break;
      case "theorem_ended":
        if (theorem) theorem.found = event;
        break;
      case "proved":
      case "failed": {
        const judged = this.theorems[Number(event.theorem)];
        if (judged) judged.verdict = event;
        break;
      }
      case "strategy_begun":
        this.strategy = String(event.strategy);
        break;
      case "gave_up":
        this.nextSearch();
        break;
      case "selected":
      case "node_added":
      case "backed_up":
        this.treeOf(event)?.add(event);
        break;
      case "node_closed":
        this.latest?.add(event);
        break;
      case "proof_found":
        this.latest?.addProof(String(event.proof ?? ""), event.seq);
        break;
      case "checked":
        if (theorem && theorem.goals === "") theorem.goals = unsolvedGoals(event);
        break;
      case "message":
      case "context_cut":
        this.talkOf(event).events.push(event);
        break;
    }
  }

  private nextSearch() {
    ++this.phase;
    this.latest = undefined;
  }

  private treeOf(event: RunEvent): SearchTree | undefined {
    if ("samples" in event) return undefined; // whole proofs: no tree
    const strategy = this.strategy ?? guessedFrom(event) ?? this.latest?.strategy ?? "search";
    const key = `${this.phase} ${strategy} ${event.tree ?? ""}`;
    let tree = this.treesByKey.get(key);
    if (!tree) {
      const theorem = this.theorems[this.theorems.length - 1];
      const number = event.tree === undefined ? "" : ` tree ${Number(event.tree) + 1}`;
      tree = new SearchTree(theorem?.index ?? 0, strategy, `${theorem?.name ?? ""} · ${strategy}${number}`, event.seq);
      tree.goals[0] = theorem?.goals ?? "";
      this.treesByKey.set(key, tree);
      this.trees.push(tree);
    }
    this.latest = tree;
    return tree;
  }

  private talkOf(event: RunEvent): Conversation {
    const theorem = Math.max(this.theorems.length - 1, 0);
    const key = JSON.stringify([theorem, event.task, event.by]);
    let talk = this.talks.get(key);
    if (!talk) {
      const task = String(event.task ?? ""), by = String(event.by ?? "");
      talk = { theorem, task, by, title: `${task === "" ? this.theorems[theorem]?.name ?? "" : task} · ${by}`, events: [] };
      this.talks.set(key, talk);
      this.conversations.push(talk);
    }
    return talk;
  }
}

/** The strategy that writes such events, in a record of an older Zermelo, which does not say. */
function guessedFrom(event: RunEvent): string | undefined {
  if ("tree" in event) return "rmaxts";
  if ("score" in event || "solved" in event) return "sg_mdp";
  if ("cost" in event) return "best_first";
  return undefined;
}

function unsolvedGoals(event: RunEvent): string {
  const answer = event.answer as { diagnostics?: { message?: string }[] } | undefined;
  const message = answer?.diagnostics?.find((one) => one.message?.startsWith(UNSOLVED))?.message;
  return message ? message.slice(UNSOLVED.length) : "";
}
