/-!
Ten small theorems for `zermelo prove examples/quickstart.lean`.
The file with the proofs is written to `examples/quickstart.proved.lean`.
-/

-- Logic
theorem and_swap' (p q : Prop) (h : p ∧ q) : q ∧ p := by
  sorry

theorem not_or_both (p q : Prop) : ¬(p ∨ q) ↔ ¬p ∧ ¬q := by
  sorry

theorem exists_larger (n : Nat) : ∃ m, m > n := by
  sorry

-- Arithmetic
theorem between (x y : Nat) (h₁ : x < y) (h₂ : y < x + 2) : y = x + 1 := by
  sorry

theorem square_of_sum (a b : Int) : (a + b) ^ 2 = a ^ 2 + 2 * a * b + b ^ 2 := by
  sorry

theorem square_mod_three (n : Nat) : n ^ 2 % 3 ≠ 2 := by
  sorry

-- Lists
theorem length_twice (xs : List α) : (xs ++ xs).length = 2 * xs.length := by
  sorry

theorem mem_reverse' (x : α) (xs : List α) (h : x ∈ xs) : x ∈ xs.reverse := by
  sorry

-- A function of our own: the sum 0 + 1 + … + n
def sumTo : Nat → Nat
  | 0 => 0
  | n + 1 => (n + 1) + sumTo n

theorem two_mul_sumTo (n : Nat) : 2 * sumTo n = n * (n + 1) := by
  sorry

-- An induction that needs thought: the accumulator has to be generalised
def reverseOnto : List α → List α → List α
  | [], acc => acc
  | x :: xs, acc => reverseOnto xs (x :: acc)

theorem length_reverseOnto (xs acc : List α) :
    (reverseOnto xs acc).length = xs.length + acc.length := by
  sorry
