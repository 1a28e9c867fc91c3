-- A `--record` file that Zermelo wrote on 23 November 2026, cut to five of its calls.
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE events (
        id     INTEGER PRIMARY KEY,
        run    INTEGER NOT NULL REFERENCES runs (id),
        seq    INTEGER NOT NULL,
        at     REAL NOT NULL,
        kind   TEXT NOT NULL,
        fields TEXT NOT NULL,
        answer TEXT NOT NULL,
        call   INTEGER REFERENCES model_calls (id),
        UNIQUE (run, seq)
      ) STRICT;
CREATE TABLE model_calls (
        id      INTEGER PRIMARY KEY,
        model   TEXT NOT NULL,
        key     TEXT NOT NULL,
        nth     INTEGER NOT NULL,
        request TEXT NOT NULL,
        reply   TEXT NOT NULL,
        UNIQUE (key, nth)
      ) STRICT;
INSERT INTO "model_calls" VALUES(1,'sim','85400e632a936f6a',0,'{"model":"sim","request":{"fence_is_open":false,"logprobs":false,"max_tokens":16384,"messages":[{"content":"You are an expert in mathematics and in Lean 4. You prove theorems completely: never with `sorry`, `admit`, `native_decide` or new axioms.","role":"system","tool_call_id":"","tool_calls":[]},{"content":"Prove this theorem by replacing `sorry`. Do not change its name or its statement, and use only what the file imports and defines.\n\n```lean4\ntheorem hard (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) : f n = 3 * 2 ^ n := by\n  sorry\n```\n\nThink about a plan first. Then give the whole theorem with its proof, after any lemmas that you need, in one ```lean4 block at the end of your answer.","role":"user","tool_call_id":"","tool_calls":[]}],"n":1,"seed":3,"stop":[],"stop_at_fence":false,"temperature":1.0,"tools":[],"top_p":0.95},"settings":"sim generic"}','{"reply":{"attempts":1,"completions":[{"finish":"stop","logprobs":[],"reasoning":"The goal looks like one that I know. ","text":"Here is a proof.\n\n```lean4\ntheorem hard (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) : f n = 3 * 2 ^ n := by\n  omega\n  | zero => simp [h0]\n  | succ n ih => rw [h, ih, Nat.pow_succ]; omega\n```\nIt is short.","tool_calls":[]}],"model":"sim","seconds":0.12892396,"usage":{"cached_prompt_tokens":0,"completion_tokens":105,"estimated":true,"prompt_tokens":192}}}');
INSERT INTO "model_calls" VALUES(9,'sim','85400e632a936f6a',1,'{"model":"sim","request":{"fence_is_open":false,"logprobs":false,"max_tokens":16384,"messages":[{"content":"You are an expert in mathematics and in Lean 4. You prove theorems completely: never with `sorry`, `admit`, `native_decide` or new axioms.","role":"system","tool_call_id":"","tool_calls":[]},{"content":"Prove this theorem by replacing `sorry`. Do not change its name or its statement, and use only what the file imports and defines.\n\n```lean4\ntheorem hard (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) : f n = 3 * 2 ^ n := by\n  sorry\n```\n\nThink about a plan first. Then give the whole theorem with its proof, after any lemmas that you need, in one ```lean4 block at the end of your answer.","role":"user","tool_call_id":"","tool_calls":[]}],"n":1,"seed":3,"stop":[],"stop_at_fence":false,"temperature":1.0,"tools":[],"top_p":0.95},"settings":"sim generic"}','{"reply":{"attempts":1,"completions":[{"finish":"stop","logprobs":[],"reasoning":"The goal looks like one that I know. ","text":"Here is a proof.\n\n```lean4\ntheorem hard (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) : f n = 3 * 2 ^ n := by\n  omega\n  | zero => simp [h0]\n  | succ n ih => rw [h, ih, Nat.pow_succ]; omega\n```\nIt is short.","tool_calls":[]}],"model":"sim","seconds":0.105984479,"usage":{"cached_prompt_tokens":0,"completion_tokens":105,"estimated":true,"prompt_tokens":192}}}');
INSERT INTO "model_calls" VALUES(17,'sim','5e6997fab5ae3480',0,'{"model":"sim","request":{"fence_is_open":false,"logprobs":false,"max_tokens":16384,"messages":[{"content":"You are an expert in mathematics and in Lean 4. You prove theorems completely: never with `sorry`, `admit`, `native_decide` or new axioms.","role":"system","tool_call_id":"","tool_calls":[]},{"content":"Prove this theorem by replacing `sorry`. Do not change its name or its statement, and use only what the file imports and defines.\n\n```lean4\ntheorem hard (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) : f n = 3 * 2 ^ n := by\n  sorry\n```\n\nThink about a plan first. Then give the whole theorem with its proof, after any lemmas that you need, in one ```lean4 block at the end of your answer.","role":"user","tool_call_id":"","tool_calls":[]}],"n":1,"seed":null,"stop":[],"stop_at_fence":false,"temperature":1.0,"tools":[],"top_p":0.95},"settings":"sim generic"}','{"reply":{"attempts":1,"completions":[{"finish":"stop","logprobs":[],"reasoning":"The goal looks like one that I know. ","text":"Here is a proof.\n\n```lean4\ntheorem hard (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) : f n = 3 * 2 ^ n := by\n  induction n with\n  omega\n  linarith [h]\n```\nIt is short.","tool_calls":[]}],"model":"sim","seconds":0.027943307,"usage":{"cached_prompt_tokens":0,"completion_tokens":86,"estimated":true,"prompt_tokens":192}}}');
INSERT INTO "model_calls" VALUES(18,'sim','5e6997fab5ae3480',1,'{"model":"sim","request":{"fence_is_open":false,"logprobs":false,"max_tokens":16384,"messages":[{"content":"You are an expert in mathematics and in Lean 4. You prove theorems completely: never with `sorry`, `admit`, `native_decide` or new axioms.","role":"system","tool_call_id":"","tool_calls":[]},{"content":"Prove this theorem by replacing `sorry`. Do not change its name or its statement, and use only what the file imports and defines.\n\n```lean4\ntheorem hard (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) : f n = 3 * 2 ^ n := by\n  sorry\n```\n\nThink about a plan first. Then give the whole theorem with its proof, after any lemmas that you need, in one ```lean4 block at the end of your answer.","role":"user","tool_call_id":"","tool_calls":[]}],"n":1,"seed":null,"stop":[],"stop_at_fence":false,"temperature":1.0,"tools":[],"top_p":0.95},"settings":"sim generic"}','{"reply":{"attempts":1,"completions":[{"finish":"stop","logprobs":[],"reasoning":"The goal looks like one that I know. ","text":"Here is a proof.\n\n```lean4\ntheorem hard (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) : f n = 3 * 2 ^ n := by\n  induction n with\n  rfl\n  | succ n ih => rw [h, ih, Nat.pow_succ]; omega\n```\nIt is short.","tool_calls":[]}],"model":"sim","seconds":0.028601273,"usage":{"cached_prompt_tokens":0,"completion_tokens":100,"estimated":true,"prompt_tokens":192}}}');
INSERT INTO "model_calls" VALUES(25,'sim','d574948f9bd7eb05',0,'{"model":"sim","request":{"fence_is_open":false,"logprobs":false,"max_tokens":16384,"messages":[{"content":"You are an expert in mathematics and in Lean 4. You prove theorems completely: never with `sorry`, `admit`, `native_decide` or new axioms.","role":"system","tool_call_id":"","tool_calls":[]},{"content":"Prove this theorem by replacing `sorry`. Do not change its name or its statement, and use only what the file imports and defines.\n\n```lean4\ntheorem hard (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) : f n = 3 * 2 ^ n := by\n  sorry\n```\n\nThink about a plan first. Then give the whole theorem with its proof, after any lemmas that you need, in one ```lean4 block at the end of your answer.","role":"user","tool_call_id":"","tool_calls":[]}],"n":1,"seed":77,"stop":[],"stop_at_fence":false,"temperature":1.0,"tools":[],"top_p":0.95},"settings":"sim generic"}','{"arrived":[],"error":{"code":"cancelled","hint":"","message":"cancelled"}}');
CREATE TABLE runs (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        started     TEXT NOT NULL,
        program     TEXT NOT NULL,
        file        TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        toolchain   TEXT NOT NULL,
        request     TEXT NOT NULL,
        state       TEXT NOT NULL,
        seconds     REAL NOT NULL,
        result      TEXT NOT NULL
      ) STRICT;
CREATE TABLE theorems (
        run      INTEGER NOT NULL REFERENCES runs (id),
        position INTEGER NOT NULL,
        name     TEXT NOT NULL,
        line     INTEGER NOT NULL,
        status   TEXT NOT NULL,
        proof    TEXT NOT NULL,
        message  TEXT NOT NULL,
        axioms   TEXT NOT NULL,
        seconds  REAL NOT NULL,
        checks   INTEGER NOT NULL,
        samples  INTEGER NOT NULL,
        PRIMARY KEY (run, position)
      ) STRICT;
CREATE INDEX model_calls_by_model ON model_calls (model);
COMMIT;
