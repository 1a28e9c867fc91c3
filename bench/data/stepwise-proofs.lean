/-
Problems of miniF2F (see README.md), each with a stepwise proof, which the simulated model of record-lean-trace.py
writes correctly or with errors. The statements are those of minif2f-core-valid.jsonl.
-/
set_option autoImplicit false
open Nat Rat

theorem mathd_numbertheory_48 (b : Nat) (h₀ : 0 < b) (h₁ : 3 * b ^ 2 + 2 * b + 1 = 57) : b = 4 := by
  have h₂ : b < 5 := by
    apply Nat.lt_of_not_le
    intro h
    have h₃ : 5 ^ 2 ≤ b ^ 2 := Nat.pow_le_pow_left h 2
    omega
  have h₃ : b ≠ 1 := by
    intro h
    subst h
    omega
  have h₄ : b ≠ 2 := by
    intro h
    subst h
    omega
  have h₅ : b ≠ 3 := by
    intro h
    subst h
    omega
  have h₆ : 4 ≤ b := by omega
  omega

theorem numbertheory_sqmod4in01d (a : Int) : a ^ 2 % 4 = 0 ∨ a ^ 2 % 4 = 1 := by
  have h₀ : a ^ 2 = a * a := by
    rw [Int.pow_succ, Int.pow_succ, Int.pow_zero, Int.one_mul]
  have h₁ : a * a % 4 = (a % 4) * (a % 4) % 4 := Int.mul_emod a a 4
  have h₂ : 0 ≤ a % 4 := Int.emod_nonneg a (by decide)
  have h₃ : a % 4 < 4 := Int.emod_lt_of_pos a (by decide)
  have h₄ : ∀ r : Fin 4, (r.val * r.val % 4 = 0 ∨ r.val * r.val % 4 = 1) := by decide
  have h₅ : a % 4 = 0 ∨ a % 4 = 1 ∨ a % 4 = 2 ∨ a % 4 = 3 := by omega
  rw [h₀, h₁]
  rcases h₅ with h | h | h | h
  · simp [h]
  · simp [h]
  · simp [h]
  · simp [h]

theorem imo_1964_p1_2 (n : Nat) : ¬7 ∣ 2 ^ n + 1 := by
  have h₀ : ∀ m : Nat, 2 ^ (3 * m) % 7 = 1 := by
    intro m
    induction m with
    | zero => decide
    | succ k ih =>
      have h : 2 ^ (3 * (k + 1)) = 2 ^ (3 * k) * 8 := by rw [Nat.mul_succ, Nat.pow_add]
      omega
  have h₁ : ∀ m : Nat, 2 ^ (3 * m + 1) % 7 = 2 := by
    intro m
    have h := h₀ m
    rw [Nat.pow_succ]
    omega
  have h₂ : ∀ m : Nat, 2 ^ (3 * m + 2) % 7 = 4 := by
    intro m
    have h := h₁ m
    rw [Nat.pow_succ]
    omega
  have h₃ : n = 3 * (n / 3) ∨ n = 3 * (n / 3) + 1 ∨ n = 3 * (n / 3) + 2 := by omega
  have h₄ : 2 ^ n % 7 = 1 ∨ 2 ^ n % 7 = 2 ∨ 2 ^ n % 7 = 4 := by
    rcases h₃ with h | h | h
    · left
      rw [h]
      exact h₀ _
    · right
      left
      rw [h]
      exact h₁ _
    · right
      right
      rw [h]
      exact h₂ _
  intro h₅
  have h₆ : (2 ^ n + 1) % 7 = 0 := Nat.mod_eq_zero_of_dvd h₅
  omega

theorem induction_divisibility_3divnto3m2n (n : Nat) : 3 ∣ n ^ 3 + 2 * n := by
  have h₀ : ∀ k : Nat, (k + 1) ^ 3 = k ^ 3 + 3 * (k * k) + 3 * k + 1 := by
    intro k
    have h : ∀ m : Nat, m ^ 3 = m * m * m := by
      intro m
      rw [Nat.pow_succ, Nat.pow_succ, Nat.pow_succ, Nat.pow_zero, Nat.one_mul]
    rw [h, h]
    simp only [Nat.mul_add, Nat.add_mul, Nat.mul_one, Nat.one_mul]
    omega
  have h₁ : ∀ k : Nat, 3 ∣ k ^ 3 + 2 * k → 3 ∣ (k + 1) ^ 3 + 2 * (k + 1) := by
    intro k ih
    rw [h₀]
    omega
  have h₂ : 3 ∣ 0 ^ 3 + 2 * 0 := by decide
  induction n with
  | zero => exact h₂
  | succ k ih => exact h₁ k ih

theorem mathd_numbertheory_412 (x y : Int) (h₀ : x % 19 = 4) (h₁ : y % 19 = 7) :
  (x + 1) ^ 2 * (y + 5) ^ 3 % 19 = 13 := by
  have h₂ : (x + 1) % 19 = 5 := by omega
  have h₃ : (y + 5) % 19 = 12 := by omega
  have h₄ : (x + 1) * (x + 1) % 19 = 6 := by
    rw [Int.mul_emod, h₂]
    decide
  have h₅ : (y + 5) * (y + 5) % 19 = 11 := by
    rw [Int.mul_emod, h₃]
    decide
  have h₆ : (y + 5) * (y + 5) * (y + 5) % 19 = 18 := by
    rw [Int.mul_emod, h₅, h₃]
    decide
  have h₇ : (x + 1) ^ 2 = (x + 1) * (x + 1) := by
    rw [Int.pow_succ, Int.pow_succ, Int.pow_zero, Int.one_mul]
  have h₈ : (y + 5) ^ 3 = (y + 5) * (y + 5) * (y + 5) := by
    rw [Int.pow_succ, Int.pow_succ, Int.pow_succ, Int.pow_zero, Int.one_mul]
  rw [h₇, h₈, Int.mul_emod, h₄, h₆]
  decide

theorem induction_divisibility_3div2tooddnp1 (n : Nat) : 3 ∣ 2 ^ (2 * n + 1) + 1 := by
  have h₀ : ∀ k : Nat, 2 ^ (2 * (k + 1) + 1) = 2 ^ (2 * k + 1) * 4 := by
    intro k
    have h : 2 * (k + 1) + 1 = 2 * k + 1 + 2 := by omega
    rw [h, Nat.pow_add]
  have h₁ : ∀ k : Nat, 2 ^ (2 * k + 1) % 3 = 2 := by
    intro k
    induction k with
    | zero => decide
    | succ m ih =>
      rw [h₀]
      omega
  have h₂ : (2 ^ (2 * n + 1) + 1) % 3 = 0 := by
    have h := h₁ n
    omega
  exact Nat.dvd_of_mod_eq_zero h₂

theorem induction_divisibility_9div10tonm1 (n : Nat) (h₀ : 0 < n) : 9 ∣ 10 ^ n - 1 := by
  have h₁ : ∀ k : Nat, 10 ^ k % 9 = 1 := by
    intro k
    induction k with
    | zero => decide
    | succ m ih =>
      rw [Nat.pow_succ]
      omega
  have h₂ : 1 ≤ 10 ^ n := Nat.one_le_pow n 10 (by decide)
  have h₃ : 10 ^ n % 9 = 1 := h₁ n
  have h₄ : (10 ^ n - 1) % 9 = 0 := by omega
  exact Nat.dvd_of_mod_eq_zero h₄

theorem amc12_2001_p2 (a b n : Nat) (h₀ : 1 ≤ a ∧ a ≤ 9) (h₁ : 0 ≤ b ∧ b ≤ 9) (h₂ : n = 10 * a + b)
  (h₃ : n = a * b + a + b) : b = 9 := by
  have h₄ : 10 * a = a * b + a := by omega
  have h₅ : a * 9 = a * b := by omega
  have h₆ : 0 < a := by omega
  have h₇ : ∀ c d : Nat, c < 10 → d < 10 → 0 < c → c * 9 = c * d → d = 9 := by
    intro c d _ _ hc h
    have h : 9 = d := Nat.eq_of_mul_eq_mul_left hc h
    omega
  have h₈ : a < 10 := by omega
  have h₉ : b < 10 := by omega
  exact h₇ a b h₈ h₉ h₆ h₅

theorem aime_1991_p1 (x y : Nat) (h₀ : 0 < x ∧ 0 < y) (h₁ : x * y + (x + y) = 71)
  (h₂ : x ^ 2 * y + x * y ^ 2 = 880) : x ^ 2 + y ^ 2 = 146 := by
  have h₃ : x ^ 2 * y + x * y ^ 2 = (x * y) * (x + y) := by
    rw [Nat.pow_succ, Nat.pow_succ, Nat.pow_zero, Nat.one_mul, Nat.pow_succ, Nat.pow_succ, Nat.pow_zero,
      Nat.one_mul, Nat.mul_add, Nat.mul_right_comm, ← Nat.mul_assoc x y y]
  have h₄ : ∀ p : Fin 72, p.val * (71 - p.val) = 880 → p.val = 16 ∨ p.val = 55 := by decide
  have h₅ : x * y < 72 := by omega
  have h₆ : x + y = 71 - x * y := by omega
  have h₇ : x * y = 16 ∨ x * y = 55 := by
    apply h₄ ⟨x * y, h₅⟩
    show x * y * (71 - x * y) = 880
    rw [← h₆, ← h₃]
    exact h₂
  have h₈ : ∀ a : Fin 56, a.val * (55 - a.val) ≠ 16 := by decide
  have h₉ : ∀ a : Fin 17, a.val * (16 - a.val) = 55 → a.val = 5 ∨ a.val = 11 := by decide
  have h₁₀ : x * y ≠ 16 := by
    intro h
    have hy : y = 55 - x := by omega
    have hx : x < 56 := by omega
    rw [hy] at h
    exact h₈ ⟨x, hx⟩ h
  have h₁₁ : x * y = 55 := by omega
  have h₁₂ : y = 16 - x := by omega
  have h₁₃ : x < 17 := by omega
  have h₁₄ : x = 5 ∨ x = 11 := by
    apply h₉ ⟨x, h₁₃⟩
    show x * (16 - x) = 55
    rw [← h₁₂]
    exact h₁₁
  rcases h₁₄ with h | h
  · rw [h₁₂, h]
  · rw [h₁₂, h]

theorem mathd_numbertheory_156 (n : Nat) (h₀ : 0 < n) : Nat.gcd (n + 7) (2 * n + 1) ≤ 13 := by
  have h₁ : Nat.gcd (n + 7) (2 * n + 1) ∣ n + 7 := Nat.gcd_dvd_left _ _
  have h₂ : Nat.gcd (n + 7) (2 * n + 1) ∣ 2 * n + 1 := Nat.gcd_dvd_right _ _
  have h₃ : Nat.gcd (n + 7) (2 * n + 1) ∣ 2 * (n + 7) := Nat.dvd_trans h₁ (Nat.dvd_mul_left _ _)
  have h₄ : Nat.gcd (n + 7) (2 * n + 1) ∣ 2 * (n + 7) - (2 * n + 1) := Nat.dvd_sub h₃ h₂
  have h₅ : 2 * (n + 7) - (2 * n + 1) = 13 := by omega
  rw [h₅] at h₄
  apply Nat.le_of_dvd
  · decide
  · exact h₄

theorem induction_seq_mul2pnp1 (n : Nat) (u : Nat → Nat) (h₀ : u 0 = 0)
  (h₁ : ∀ n, u (n + 1) = 2 * u n + (n + 1)) : u n = 2 ^ (n + 1) - (n + 2) := by
  have h₂ : u 0 + 2 = 2 ^ 1 := by
    rw [h₀]
  have h₃ : ∀ k : Nat, u k + (k + 2) = 2 ^ (k + 1) → u (k + 1) + (k + 3) = 2 ^ (k + 2) := by
    intro k ih
    rw [h₁, Nat.pow_succ, ← ih]
    omega
  have h₄ : ∀ k : Nat, u k + (k + 2) = 2 ^ (k + 1) := by
    intro k
    induction k with
    | zero => exact h₂
    | succ m ih => exact h₃ m ih
  have h₅ : u n + (n + 2) = 2 ^ (n + 1) := h₄ n
  rw [← h₅]
  omega

theorem imo_1964_p1_1 (n : Nat) (h₀ : 7 ∣ 2 ^ n - 1) : 3 ∣ n := by
  have h₁ : ∀ m : Nat, 2 ^ (3 * m) % 7 = 1 := by
    intro m
    induction m with
    | zero => decide
    | succ k ih =>
      have h : 2 ^ (3 * (k + 1)) = 2 ^ (3 * k) * 8 := by rw [Nat.mul_succ, Nat.pow_add]
      omega
  have h₂ : 1 ≤ 2 ^ n := Nat.one_le_pow n 2 (by decide)
  have h₃ : 2 ^ n % 7 = 1 := by omega
  have h₄ : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
  have h₅ : n = 3 * (n / 3) + n % 3 := by omega
  have h₆ : 2 ^ n = 2 ^ (3 * (n / 3)) * 2 ^ (n % 3) := by
    rw [← Nat.pow_add, ← h₅]
  have h₇ : 2 ^ (3 * (n / 3)) % 7 = 1 := h₁ (n / 3)
  rcases h₄ with h | h | h
  · exact Nat.dvd_of_mod_eq_zero h
  · rw [h] at h₆
    omega
  · rw [h] at h₆
    omega

theorem mathd_algebra_69 (rows seats : Nat) (h₀ : rows * seats = 450)
  (h₁ : (rows + 5) * (seats - 3) = 450) : rows = 25 := by
  have h₂ : 3 ≤ seats := by
    apply Nat.le_of_not_lt
    intro h
    have h₃ : seats - 3 = 0 := by omega
    rw [h₃] at h₁
    omega
  obtain ⟨s, h₃⟩ : ∃ s, seats = s + 3 := ⟨seats - 3, by omega⟩
  subst h₃
  have h₄ : s + 3 - 3 = s := by omega
  rw [h₄, Nat.add_mul] at h₁
  rw [Nat.mul_add] at h₀
  have h₅ : 5 * s = 3 * rows := by omega
  have h₆ : rows * (5 * s) + rows * 15 = 2250 := by
    rw [Nat.mul_left_comm]
    omega
  rw [h₅, Nat.mul_left_comm] at h₆
  have h₇ : rows * rows + rows * 5 = 750 := by omega
  have h₈ : rows < 28 := by
    apply Nat.lt_of_not_le
    intro h
    have h₉ : 28 * 28 ≤ rows * rows := Nat.mul_le_mul h h
    omega
  have h₉ : ∀ r : Fin 28, r.val * r.val + r.val * 5 = 750 → r.val = 25 := by decide
  exact h₉ ⟨rows, h₈⟩ h₇

theorem amc12b_2004_p3 (x y : Nat) (h₀ : 2 ^ x * 3 ^ y = 1296) : x + y = 8 := by
  have h₁ : 1 ≤ 2 ^ x := Nat.one_le_pow x 2 (by decide)
  have h₂ : 1 ≤ 3 ^ y := Nat.one_le_pow y 3 (by decide)
  have h₃ : 2 ^ x ≤ 1296 := by
    rw [← h₀]
    exact Nat.le_mul_of_pos_right _ h₂
  have h₄ : 3 ^ y ≤ 1296 := by
    rw [← h₀]
    exact Nat.le_mul_of_pos_left _ h₁
  have h₅ : x < 11 := by
    apply Nat.lt_of_not_le
    intro h
    have h₆ : 2 ^ 11 ≤ 2 ^ x := Nat.pow_le_pow_right (by decide) h
    omega
  have h₆ : y < 7 := by
    apply Nat.lt_of_not_le
    intro h
    have h₇ : 3 ^ 7 ≤ 3 ^ y := Nat.pow_le_pow_right (by decide) h
    omega
  have h₇ : ∀ a : Fin 11, ∀ b : Fin 7, 2 ^ a.val * 3 ^ b.val = 1296 → a.val + b.val = 8 := by decide
  exact h₇ ⟨x, h₅⟩ ⟨y, h₆⟩ h₀
