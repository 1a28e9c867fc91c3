/-! Languages as predicates on words, Kleene star, Brzozowski derivatives of regular
expressions, Arden's rule, and deterministic automata with bisimulations. -/

namespace Automata

variable {α : Type} {σ τ : Type}

abbrev Lang (α : Type) := List α → Prop

def cat (L M : Lang α) : Lang α := fun w => ∃ u v, u ++ v = w ∧ L u ∧ M v

inductive Star (L : Lang α) : Lang α where
  | nil : Star L []
  | app {u v} : L u → Star L v → Star L (u ++ v)

inductive RE (α : Type) where
  | zero : RE α
  | eps : RE α
  | chr : α → RE α
  | alt : RE α → RE α → RE α
  | cat : RE α → RE α → RE α
  | star : RE α → RE α

def RE.denote : RE α → Lang α
  | .zero => fun _ => False
  | .eps => fun w => w = []
  | .chr a => fun w => w = [a]
  | .alt r s => fun w => r.denote w ∨ s.denote w
  | .cat r s => Automata.cat r.denote s.denote
  | .star r => Star r.denote

def RE.nullable : RE α → Bool
  | .zero => false
  | .eps => true
  | .chr _ => false
  | .alt r s => r.nullable || s.nullable
  | .cat r s => r.nullable && s.nullable
  | .star _ => true

def RE.der [DecidableEq α] (a : α) : RE α → RE α
  | .zero => .zero
  | .eps => .zero
  | .chr b => if a = b then .eps else .zero
  | .alt r s => .alt (r.der a) (s.der a)
  | .cat r s => if r.nullable then .alt (.cat (r.der a) s) (s.der a) else .cat (r.der a) s
  | .star r => .cat (r.der a) (.star r)

def RE.matches [DecidableEq α] : RE α → List α → Bool
  | r, [] => r.nullable
  | r, a :: w => (r.der a).matches w

def RE.rev : RE α → RE α
  | .alt r s => .alt r.rev s.rev
  | .cat r s => .cat s.rev r.rev
  | .star r => .star r.rev
  | r => r

structure DFA (α σ : Type) where
  start : σ
  step : σ → α → σ
  final : σ → Bool

def DFA.run (A : DFA α σ) : σ → List α → σ
  | q, [] => q
  | q, a :: w => A.run (A.step q a) w

def DFA.accepts (A : DFA α σ) (w : List α) : Bool := A.final (A.run A.start w)

def DFA.prod (A : DFA α σ) (B : DFA α τ) : DFA α (σ × τ) where
  start := (A.start, B.start)
  step p a := (A.step p.1 a, B.step p.2 a)
  final p := A.final p.1 && B.final p.2

def DFA.compl (A : DFA α σ) : DFA α σ := { A with final := fun q => !A.final q }

structure Bisim (A : DFA α σ) (B : DFA α τ) (R : σ → τ → Prop) : Prop where
  start : R A.start B.start
  step : ∀ p q a, R p q → R (A.step p a) (B.step q a)
  final : ∀ p q, R p q → A.final p = B.final q

/-- reads a binary numeral, most significant bit first, and keeps the remainder mod 3 -/
def mod3 : DFA Bool (Fin 3) where
  start := 0
  step q b := q + q + (if b then 1 else 0)
  final q := q == 0

def value : List Bool → Nat → Nat
  | [], n => n
  | b :: w, n => value w (2 * n + (if b then 1 else 0))

theorem cat_assoc (L M N : Lang α) (w : List α) :
    cat (cat L M) N w ↔ cat L (cat M N) w := by
  sorry

theorem cat_or (L M N : Lang α) (w : List α) :
    cat L (fun v => M v ∨ N v) w ↔ cat L M w ∨ cat L N w := by
  sorry

theorem star_append {L : Lang α} {u v : List α} (hu : Star L u) (hv : Star L v) :
    Star L (u ++ v) := by
  sorry

theorem star_star (L : Lang α) (w : List α) : Star (Star L) w ↔ Star L w := by
  sorry

theorem star_mono {L M : Lang α} (h : ∀ w, L w → M w) {w : List α} (hw : Star L w) :
    Star M w := by
  sorry

theorem star_cons_iff (L : Lang α) (a : α) (w : List α) :
    Star L (a :: w) ↔ ∃ u v, u ++ v = w ∧ L (a :: u) ∧ Star L v := by
  sorry

theorem nullable_iff (r : RE α) : r.nullable = true ↔ r.denote [] := by
  sorry

theorem der_iff [DecidableEq α] (a : α) (r : RE α) (w : List α) :
    (r.der a).denote w ↔ r.denote (a :: w) := by
  sorry

theorem matches_iff [DecidableEq α] (r : RE α) (w : List α) :
    r.matches w = true ↔ r.denote w := by
  sorry

theorem rev_rev (r : RE α) : r.rev.rev = r := by
  sorry

theorem denote_rev (r : RE α) (w : List α) : r.rev.denote w ↔ r.denote w.reverse := by
  sorry

theorem arden (A B X : Lang α) (hA : ¬ A []) (hX : ∀ w, X w ↔ cat A X w ∨ B w)
    (w : List α) : X w ↔ cat (Star A) B w := by
  sorry

theorem run_append (A : DFA α σ) (q : σ) (u v : List α) :
    A.run q (u ++ v) = A.run (A.run q u) v := by
  sorry

theorem run_pump (A : DFA α σ) (q : σ) (u : List α) (h : A.run q u = q) (n : Nat) :
    A.run q (List.replicate n u).flatten = q := by
  sorry

theorem accepts_prod (A : DFA α σ) (B : DFA α τ) (w : List α) :
    (A.prod B).accepts w = (A.accepts w && B.accepts w) := by
  sorry

theorem accepts_compl (A : DFA α σ) (w : List α) : A.compl.accepts w = !A.accepts w := by
  sorry

theorem bisim_accepts {A : DFA α σ} {B : DFA α τ} {R : σ → τ → Prop} (h : Bisim A B R)
    (w : List α) : A.accepts w = B.accepts w := by
  sorry

theorem mod3_accepts (w : List Bool) : mod3.accepts w = true ↔ 3 ∣ value w 0 := by
  sorry

end Automata
