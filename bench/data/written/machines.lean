-- queues as two lists
structure Queue (α : Type) where
  front : List α
  back : List α

namespace Queue
def toList {α} (q : Queue α) : List α := q.front ++ q.back.reverse
def push {α} (q : Queue α) (x : α) : Queue α := { q with back := x :: q.back }
def pop? {α} (q : Queue α) : Option (α × Queue α) :=
  match q.front with
  | x :: f => some (x, ⟨f, q.back⟩)
  | [] => match q.back.reverse with
    | [] => none
    | x :: f => some (x, ⟨f, []⟩)

theorem toList_push {α} (q : Queue α) (x : α) : (q.push x).toList = q.toList ++ [x] := by
  sorry

theorem pop_none {α} (q : Queue α) : q.pop? = none ↔ q.toList = [] := by
  sorry

theorem pop_some {α} (q q' : Queue α) (x : α) (h : q.pop? = some (x, q')) : q.toList = x :: q'.toList := by
  sorry
end Queue

-- a deterministic automaton
structure DFA (σ a : Type) where
  step : σ → a → σ
  start : σ
  accept : σ → Bool

namespace DFA
def run {σ a} (M : DFA σ a) (s : σ) : List a → σ
  | [] => s
  | x :: xs => run M (M.step s x) xs

def accepts {σ a} (M : DFA σ a) (w : List a) : Bool := M.accept (M.run M.start w)

def compl {σ a} (M : DFA σ a) : DFA σ a := { M with accept := fun s => !M.accept s }

def prod {σ τ a} (M : DFA σ a) (N : DFA τ a) : DFA (σ × τ) a :=
  ⟨fun p x => (M.step p.1 x, N.step p.2 x), (M.start, N.start), fun p => M.accept p.1 && N.accept p.2⟩

theorem run_append {σ a} (M : DFA σ a) (s : σ) (u v : List a) : M.run s (u ++ v) = M.run (M.run s u) v := by
  sorry

theorem run_compl {σ a} (M : DFA σ a) (s : σ) (w : List a) : M.compl.run s w = M.run s w := by
  sorry

theorem accepts_compl {σ a} (M : DFA σ a) (w : List a) : M.compl.accepts w = !M.accepts w := by
  sorry

theorem run_prod {σ τ a} (M : DFA σ a) (N : DFA τ a) (s : σ) (t : τ) (w : List a) :
    (M.prod N).run (s, t) w = (M.run s w, N.run t w) := by
  sorry

theorem accepts_prod {σ τ a} (M : DFA σ a) (N : DFA τ a) (w : List a) :
    (M.prod N).accepts w = (M.accepts w && N.accepts w) := by
  sorry
end DFA

-- fibonacci
def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib (n + 1) + fib n

def fibIter : Nat → Nat → Nat → Nat
  | 0, a, _ => a
  | n + 1, a, b => fibIter n b (a + b)

def sumFib : Nat → Nat
  | 0 => 0
  | n + 1 => sumFib n + fib (n + 1)

theorem fib_pos (n : Nat) : 0 < fib (n + 1) := by
  sorry

theorem fib_mono (n : Nat) : fib n ≤ fib (n + 1) := by
  sorry

theorem sumFib_eq (n : Nat) : sumFib n + 1 = fib (n + 2) := by
  sorry

theorem fibIter_eq (n k : Nat) : fibIter n (fib k) (fib (k + 1)) = fib (n + k) := by
  sorry

theorem fib_add (m n : Nat) : fib (m + n + 1) = fib (m + 1) * fib (n + 1) + fib m * fib n := by
  sorry

theorem fib_three (n : Nat) : fib (3 * n) % 2 = 0 := by
  sorry

-- binomial coefficients
def choose : Nat → Nat → Nat
  | _, 0 => 1
  | 0, _ + 1 => 0
  | n + 1, k + 1 => choose n k + choose n (k + 1)

theorem choose_zero_right (n : Nat) : choose n 0 = 1 := by
  sorry

theorem choose_one (n : Nat) : choose n 1 = n := by
  sorry

theorem choose_self (n : Nat) : choose n n = 1 := by
  sorry

theorem choose_lt (n k : Nat) (h : n < k) : choose n k = 0 := by
  sorry

theorem choose_pos (n k : Nat) (h : k ≤ n) : 0 < choose n k := by
  sorry

theorem succ_mul_choose (n k : Nat) : (n + 1) * choose n k = choose (n + 1) (k + 1) * (k + 1) := by
  sorry
