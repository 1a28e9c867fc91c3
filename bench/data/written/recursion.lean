mutual
def isEven : Nat → Bool
  | 0 => true
  | n + 1 => isOdd n
def isOdd : Nat → Bool
  | 0 => false
  | n + 1 => isEven n
end

theorem isEven_iff (n : Nat) : isEven n = (n % 2 == 0) := by
  sorry

theorem isEven_double (n : Nat) : isEven (n + n) = true := by
  sorry

def log2' (n : Nat) : Nat := if n ≤ 1 then 0 else 1 + log2' (n / 2)
termination_by n
decreasing_by omega

theorem log2'_le (n : Nat) : log2' n ≤ n := by
  sorry

def digitSum (n : Nat) : Nat := if n < 10 then n else n % 10 + digitSum (n / 10)
termination_by n
decreasing_by omega

theorem digitSum_mod9 (n : Nat) : digitSum n % 9 = n % 9 := by
  sorry

theorem digitSum_le (n : Nat) : digitSum n ≤ n := by
  sorry

abbrev Stream' (α : Type) := Nat → α
def Stream'.map {α β : Type} (f : α → β) (s : Stream' α) : Stream' β := fun n => f (s n)
def Stream'.drop {α : Type} (k : Nat) (s : Stream' α) : Stream' α := fun n => s (n + k)
def Stream'.zipWith {α β γ : Type} (f : α → β → γ) (s : Stream' α) (t : Stream' β) : Stream' γ :=
  fun n => f (s n) (t n)

theorem drop_drop' {α : Type} (j k : Nat) (s : Stream' α) : (s.drop j).drop k = s.drop (j + k) := by
  sorry

theorem map_drop {α β : Type} (f : α → β) (k : Nat) (s : Stream' α) :
    (s.drop k).map f = (s.map f).drop k := by
  sorry

theorem zipWith_comm {α γ : Type} (f : α → α → γ) (h : ∀ a b, f a b = f b a) (s t : Stream' α) :
    Stream'.zipWith f s t = Stream'.zipWith f t s := by
  sorry

theorem bv_add_comm (x y : BitVec 8) : x + y = y + x := by
  sorry

theorem bv_xor_self (x : BitVec 16) : x ^^^ x = 0 := by
  sorry

theorem bv_and_le (x y : BitVec 8) : (x &&& y).toNat ≤ x.toNat := by
  sorry

theorem fin_cases (i : Fin 3) (h : i ≠ 0) : i = 1 ∨ i = 2 := by
  sorry

theorem fin_rev_rev (n : Nat) (i : Fin n) : i.rev.rev = i := by
  sorry

theorem array_push_size (a : Array Nat) (x : Nat) : (a.push x).size = a.size + 1 := by
  sorry

theorem array_map_size (a : Array Nat) : (a.map (· + 1)).size = a.size := by
  sorry

theorem count_append' (p : Nat → Bool) (xs ys : List Nat) :
    (xs ++ ys).countP p = xs.countP p + ys.countP p := by
  sorry

theorem count_filter_le (p q : Nat → Bool) (xs : List Nat) :
    (xs.filter p).countP q ≤ xs.countP q := by
  sorry

/-- Hoare triples over states Nat. -/
def triple (P : Nat → Prop) (c : Nat → Nat) (Q : Nat → Prop) : Prop := ∀ s, P s → Q (c s)

theorem triple_seq (P Q R : Nat → Prop) (c d : Nat → Nat) (h : triple P c Q) (k : triple Q d R) :
    triple P (d ∘ c) R := by
  sorry

theorem triple_consequence (P P' Q Q' : Nat → Prop) (c : Nat → Nat) (h : triple P c Q)
    (hp : ∀ s, P' s → P s) (hq : ∀ s, Q s → Q' s) : triple P' c Q' := by
  sorry

inductive Reach (step : Nat → Nat → Prop) : Nat → Nat → Prop
  | refl (a : Nat) : Reach step a a
  | tail {a b c : Nat} : Reach step a b → step b c → Reach step a c

theorem Reach.trans' {step : Nat → Nat → Prop} {a b c : Nat} (h : Reach step a b) (k : Reach step b c) :
    Reach step a c := by
  sorry

theorem Reach.inv {step : Nat → Nat → Prop} {P : Nat → Prop} (h : ∀ a b, P a → step a b → P b) {a b : Nat}
    (k : Reach step a b) (p : P a) : P b := by
  sorry

theorem Reach.mono {step : Nat → Nat → Prop} (h : ∀ a b, step a b → a ≤ b) {a b : Nat}
    (k : Reach step a b) : a ≤ b := by
  sorry

inductive Rle | a : Rle → Rle | b : Rle → Rle | nil : Rle
def Rle.len : Rle → Nat | .a r => r.len + 1 | .b r => r.len + 1 | .nil => 0
def Rle.flip : Rle → Rle | .a r => .b r.flip | .b r => .a r.flip | .nil => .nil
def Rle.countA : Rle → Nat | .a r => r.countA + 1 | .b r => r.countA | .nil => 0

theorem Rle.flip_flip (r : Rle) : r.flip.flip = r := by
  sorry

theorem Rle.count_flip (r : Rle) : r.countA + r.flip.countA = r.len := by
  sorry

def pairs (n : Nat) : List (Nat × Nat) := (List.range n).map fun i => (i, n - i)

theorem pairs_sum (n : Nat) (p : Nat × Nat) (h : p ∈ pairs n) : p.1 + p.2 = n := by
  sorry

theorem pairs_length (n : Nat) : (pairs n).length = n := by
  sorry
