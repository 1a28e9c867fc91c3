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
  seconds: number;
  checks: number;
  samples: number;
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
  tokens?: number;
}

export interface Subgoal {
  name: string;
  statement: string;
  state: string;
  why: string;
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

export interface Run extends Summary {
  program: string;
  lean: { version?: string; kind?: string } | null;
  request: Record<string, unknown> | null;
  results: Result[];
  events: Record<string, number>;
  subgoals: Subgoal[];
  blueprint: { name: string; line: number; lemmas: Lemma[] }[];
  roles?: Record<string, Spent>;
}

/** What one file holds; null: the page asks its server. */
export type Data = { run: Run; events: RunEvent[] } | null;
