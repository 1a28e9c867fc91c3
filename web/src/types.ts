// What the program sends: docs/runs.md describes the events, src/view/run_json.h the rest.

export interface RunEvent {
  seq: number;
  at: number;
  kind: string;
  cut?: boolean;
  [field: string]: unknown;
}

export interface Summary {
  id: number;
  started: string;
  state: string;
  file: string;
  seconds: number;
  strategy: string | null;
  dollars: number | null;
  proved: number | null;
  theorems: number | null;
}

export interface Result {
  name: string;
  line: number;
  status: string;
  proof: string | null;
  message: string;
  axioms: string[] | null;
  kernels?: { kernel: string; verdict: string }[];
  auxiliary?: string;
  seconds: number;
  checks: number;
  samples: number;
}

/** A proof with the states before its tactics; places are [line, column] from 1, in code points. */
export interface Steps {
  text: string;
  steps: { start: [number, number]; end: [number, number]; depth: number; before: string; next: number | null }[];
}

export interface Lemma {
  name: string;
  statement?: string;
  status?: string;
  depends?: string[];
  depth?: number;
  proof?: string;
  by?: string;
  reason?: string;
  calls?: number;
  samples?: number;
  tokens?: number;
  checks?: number;
  lean_seconds?: number;
}

export interface Subgoal {
  name: string;
  statement: string;
  state: string;
  why: string;
  /** For itself, without the subgoals below it; null: the record does not say. */
  used: { calls: number; samples: number; tokens: number; checks: number; lean_seconds: number } | null;
  sketches: { attempt: number; refinement: number; refused: string; subgoals: (Subgoal | null)[] }[];
}

export interface Spent {
  calls?: number;
  samples?: number;
  prompt_tokens?: number;
  completion_tokens?: number;
  dollars?: number;
  estimated?: boolean;
}

/** Lean's checks for a role. */
export interface LeanUse {
  checks: number;
  lean_seconds: number;
}

export interface Run extends Summary {
  program: string;
  lean: { version?: string; kind?: string } | null;
  request: Record<string, unknown> | null;
  results: Result[];
  events: Record<string, number>;
  subgoals: Subgoal[];
  blueprint: { name: string; line: number; lemmas: Lemma[] }[];
  /** What the run has used so far. */
  roles?: Record<string, Spent>;
  spent: Required<Spent> & { tokens: number } | null;
  checks: number | null;
  lean_seconds: number | null;
  lean_by_role: Record<string, LeanUse> | null;
}

export interface Cost {
  seconds: number;
  samples: number;
  tokens: number;
  money: number;
}

type Curve = [number, number][];

/** The figures of an evaluation: summary.json. */
export interface Figures {
  dataset: string;
  first_line: string;
  problems: number;
  invalid: number;
  solved: number;
  pass_rate: number;
  pass_rate_sigma: number;
  pass_rate_by_run: number[];
  pass_rate_wilson_95: [number, number];
  runs: number;
  seconds: number;
  search_seconds: number;
  samples: number;
  tokens: number;
  tokens_per_sample: number;
  money: number;
  money_per_solved: number | null;
  disproved?: number;
  open?: number;
  contradictions?: string[];
  unverified: string[];
  left: number;
  missing_shards: number[];
  by_category: Record<string, { problems: number; invalid: number; solved: number; pass_rate: number }>;
  by_role: { role: string; model: string; calls: number; samples: number; prompt_tokens: number; completion_tokens: number; money: number }[];
  lean_by_role?: Record<string, LeanUse>; // not in reports of older programs
  pass_at_k: Record<string, number>;
  curves: { samples: Curve; tokens: Curve; money: Curve; seconds: Curve; checks: Curve; roles: { role: string; calls: Curve; tokens: Curve }[] };
  proof_lines: number[];
}

/** A problem of an evaluation, with the result to show. */
export interface Solved {
  problem: { name: string; category: string; split: string; statement: string; informal: string; source: { file: string; line: number } };
  runs: number;
  proved: number;
  result?: {
    outcome: string;
    proof: string;
    attempt: string;
    message: string;
    axioms: string[];
    attempts: number;
    proved: number;
    cost: Cost;
    to_proof: Cost | null;
    negation?: { statement: string; proof: string } | null;
  };
}

/** An evaluation: src/eval/report/report.h. */
export interface Report {
  summary: Figures;
  problems: Solved[];
  categories: string[];
  furthest: Cost;
  judged: number;
  times: { first: string; last: string; solved: string[] };
  models: string;
  parameters: Record<string, unknown>;
  setup: string;
}

/** What a page holds: a run; an evaluation, or null if the server has it; null: the server has runs. */
export type Data = { run: Run; events: RunEvent[] } | { evaluation: Report | null } | null;
