-- Elaborated by install.sh, so that the machine code of commonly used functions can be saved: a sample of what
-- people and provers write, including errors (marked).
set_option autoImplicit false

inductive Tree (α : Type) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α
  deriving Repr, BEq, DecidableEq, Inhabited

def Tree.size {α : Type} : Tree α → Nat
  | .leaf => 0
  | .node l _ r => l.size + 1 + r.size

def Tree.mirror {α : Type} : Tree α → Tree α
  | .leaf => .leaf
  | .node l x r => .node r.mirror x l.mirror

theorem Tree.size_mirror {α : Type} (t : Tree α) : t.mirror.size = t.size := by
  induction t with
  | leaf => rfl
  | node l x r ihl ihr =>
    simp only [Tree.mirror, Tree.size, ihl, ihr]
    omega

structure Point where
  x : Int
  y : Int := 0
  deriving Repr, DecidableEq

instance : Add Point := ⟨fun a b => { x := a.x + b.x, y := a.y + b.y }⟩

theorem Point.add_x (a b : Point) : (a + b).x = a.x + b.x := rfl

def digits (n : Nat) : List Nat := if h : n < 10 then [n] else n % 10 :: digits (n / 10)
termination_by n
decreasing_by omega

def total : List Nat → Nat
  | [] => 0
  | x :: xs => x + total xs

#eval digits 2048

#eval (digits 12345).foldl (· + ·) 0

theorem total_append (xs ys : List Nat) : total (xs ++ ys) = total xs + total ys := by
  induction xs with
  | nil => simp [total]
  | cons x xs ih => simp [total, ih, Nat.add_assoc]

theorem total_reverse (xs : List Nat) : total xs.reverse = total xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [List.reverse_cons, total_append, ih]; simp [total]; omega

theorem gauss (n : Nat) : 2 * total (List.range (n + 1)) = n * (n + 1) := by
  induction n with
  | zero => decide
  | succ n ih =>
    rw [List.range_succ, total_append, Nat.mul_add, ih]
    simp [total]
    grind

example (p q r : Prop) : (p → q → r) ↔ (p ∧ q → r) := by
  constructor
  · intro h ⟨hp, hq⟩
    exact h hp hq
  · intro h hp hq
    exact h ⟨hp, hq⟩

example (p q : Prop) (h : p ∨ q) (hp : ¬p) : q := by
  rcases h with h | h
  · contradiction
  · assumption

example (p q : Prop) : ¬(p ∧ q) ↔ (p → ¬q) := by
  by_cases hp : p <;> by_cases hq : q <;> simp_all

example (α : Type) (p : α → Prop) : (¬∃ x, p x) ↔ ∀ x, ¬p x := by
  refine ⟨fun h x hx => h ⟨x, hx⟩, ?_⟩
  rintro h ⟨x, hx⟩
  exact h x hx

example (x y z : Nat) (h₀ : x + 2 * y = 10) (h₁ : y = 3) (h₂ : z = x * 2) : z = 8 := by
  subst h₁
  have hx : x = 4 := by omega
  rw [hx] at h₂
  exact h₂

example (x y : Int) (h₀ : 3 * x + 2 * y = 7) (h₁ : x - y = -1) : x = 1 ∧ y = 2 := by
  constructor <;> omega

example (a b c : Nat) (h : a ∣ b) (h' : b ∣ c) : a ∣ c := by
  obtain ⟨k, rfl⟩ := h
  obtain ⟨m, rfl⟩ := h'
  exact ⟨k * m, Nat.mul_assoc a k m⟩

example (n : Nat) (h : n % 4 = 3) : (n * n) % 4 = 1 := by
  simp [Nat.mul_mod, h]

example (n : Nat) : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by
  have := Nat.mod_lt n (show 3 > 0 by decide)
  omega

example : Nat.gcd 180 168 = 12 := by rfl

example : ∀ n : Fin 40, n.val * n.val < 1600 := by decide

example : (2 ^ 200) % 10 = 6 := by decide

example (x : Rat) (h : 2 * x + 3 = 9) : x = 3 := by grind

example (a b : Rat) : (a + b) ^ 2 = a ^ 2 + 2 * a * b + b ^ 2 := by grind

example (f : Nat → Nat) (h : ∀ n, f (n + 1) = f n + 2) (h₀ : f 0 = 1) : f 3 = 7 := by
  simp [h, h₀]

example (f : Nat → Nat) (h : ∀ x y, f (x + y) = f x + f y) : f 0 = 0 := by
  have h₀ := h 0 0
  simp at h₀
  exact h₀

example (xs ys : List Nat) (h : xs = ys) : ys.length = xs.length := by
  cases h
  rfl

example (xs : List Nat) : (xs.map (· + 1)).length = xs.length := by simp

example (a b c d : Nat) (h : a = b) (h' : c = d) : a + c = b + d := calc
  a + c = b + c := by rw [h]
  _ = b + d := by rw [h']

example (a b c : Nat) : a + b + c = c + b + a := by
  conv => lhs; rw [Nat.add_comm]
  ac_rfl

example (f g : Nat → Nat) (h : ∀ x, f x = g x) : f = g := by
  funext x
  exact h x

example (x : Nat) (h : x ∈ [1, 2, 3]) : x ≤ 3 := by
  simp at h
  rcases h with h | h | h <;> simp [h]

example (n : Nat) (h : 2 ≤ n) (h' : n < 6) (h'' : n * n = 16) : n = 4 := by
  match n, h, h' with
  | 2, _, _ => simp at h''
  | 3, _, _ => simp at h''
  | 4, _, _ => rfl
  | 5, _, _ => simp at h''

example (x y : Nat) : (if x < y then y else x) ≥ x := by
  split
  · omega
  · exact Nat.le_refl x

example (o : Option Nat) (h : o.isSome) : ∃ n, o = some n := by
  cases o with
  | none => simp at h
  | some n => exists n

example (a b : Int) (h : a < b) : ¬b ≤ a := by
  intro h'
  exact absurd h (Int.not_lt.mpr h')

example (x y : Int) : x * x + y * y ≥ 0 := by
  have h₁ : 0 ≤ x * x := by
    rcases Int.le_total 0 x with h | h
    · exact Int.mul_nonneg h h
    · exact Int.mul_nonneg_of_nonpos_of_nonpos h h
  have h₂ : 0 ≤ y * y := by
    rcases Int.le_total 0 y with h | h
    · exact Int.mul_nonneg h h
    · exact Int.mul_nonneg_of_nonpos_of_nonpos h h
  omega

example (p : Nat → Prop) (h₀ : p 0) (h : ∀ n, p n → p (n + 1)) (n : Nat) : p n := by
  induction n with
  | zero => exact h₀
  | succ n ih => apply h; exact ih

example (n : Nat) (h : 0 < n) : ∃ m, n = m + 1 := by
  exact?

example (a b : Nat) : max a b = max b a := by
  first
  | omega
  | grind

example (x : Nat) (h : x = 2) : x + x = 5 := by omega  -- error

example (p q : Prop) (hp : p) : p ∧ q := by
  constructor
  · exact hp
  · simp  -- error

example (x : Nat) : x + 0 = x := by
  exact Nat.no_such_lemma x  -- error

example : 1 + 1 = 3 := by decide  -- error

theorem unfinished (x y : Nat) : x * y = y * x := by
  have h : x = x := rfl
  sorry

macro "arith" : tactic => `(tactic| first | omega | simp | grind)

notation:65 a " ⊞ " b => a + b + a

example (a b : Nat) : (a ⊞ b) = 2 * a + b := by arith

namespace Counting

variable {α : Type} [DecidableEq α]

noncomputable def count (x : α) (xs : List α) : Nat := (xs.filter (· = x)).length

theorem count_nil (x : α) : count x [] = 0 := rfl

end Counting

mutual

def isEven : Nat → Bool
  | 0 => true
  | n + 1 => isOdd n

def isOdd : Nat → Bool
  | 0 => false
  | n + 1 => isEven n

end

#check @Nat.rec
