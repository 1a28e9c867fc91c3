/-! Number theory and algebra as in a first course. -/
theorem sum_odds (n : Nat) : (List.range n).foldl (fun s i => s + (2 * i + 1)) 0 = n ^ 2 := by sorry
def cubes : Nat → Nat
  | 0 => 0
  | n + 1 => cubes n + (n + 1) ^ 3
theorem cubes_eq (n : Nat) : 4 * cubes n = n ^ 2 * (n + 1) ^ 2 := by sorry
theorem six_dvd (n : Int) : 6 ∣ n * (n + 1) * (n + 2) := by sorry
theorem dvd_sum (a b c : Int) (h : a ∣ b) (k : a ∣ c) (x y : Int) : a ∣ b * x + c * y := by sorry
theorem sq_mod_four (n : Int) : n ^ 2 % 4 = 0 ∨ n ^ 2 % 4 = 1 := by sorry
theorem no_sum_three_mod_four (a b c : Int) (h : a ^ 2 + b ^ 2 = 4 * c + 3) : False := by sorry
theorem odd_square (n : Int) (h : n % 2 = 1) : ∃ k, n ^ 2 = 8 * k + 1 := by sorry
theorem consecutive_coprime (n d : Nat) (h : d ∣ n) (k : d ∣ n + 1) : d = 1 := by sorry
theorem even_mul_succ (n : Nat) : n * (n + 1) % 2 = 0 := by sorry
theorem pow_gt (n : Nat) : n < 2 ^ n := by sorry
theorem fact_bound (n : Nat) (h : 4 ≤ n) : n ^ 2 ≤ 2 ^ n := by sorry
def fact : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * fact n
theorem fact_pos (n : Nat) : 0 < fact n := by sorry
theorem dvd_fact (n k : Nat) (h : 1 ≤ k) (hk : k ≤ n) : k ∣ fact n := by sorry
theorem pow_le_fact (n : Nat) (h : 4 ≤ n) : 2 ^ n < fact n := by sorry
theorem sum_telescoping (f : Nat → Int) (n : Nat) : (List.range n).foldr (fun i s => (f (i + 1) - f i) + s) 0 = f n - f 0 := by sorry
theorem geom (n : Nat) : (List.range n).foldl (fun s i => s + 2 ^ i) 0 + 1 = 2 ^ n := by sorry
theorem cancel (a b c : Int) (h : a ≠ 0) (k : a * b = a * c) : b = c := by sorry
theorem sum_squares_zero (a b : Int) (h : a ^ 2 + b ^ 2 = 0) : a = 0 ∧ b = 0 := by sorry
theorem am_gm (a b : Int) : 4 * (a * b) ≤ (a + b) ^ 2 := by sorry
theorem three_var (a b c : Int) : a * b + b * c + c * a ≤ a ^ 2 + b ^ 2 + c ^ 2 := by sorry
theorem diff_of_squares (a b : Int) : a ^ 2 - b ^ 2 = (a - b) * (a + b) := by sorry
theorem rat_half (x : Rat) (h : x + x = 1) : x = 1 / 2 := by sorry
theorem eq_or_neg (a b : Int) (h : a ^ 2 = b ^ 2) : a = b ∨ a = -b := by sorry
theorem linear_system (x y : Int) (h : 2 * x + 3 * y = 12) (k : x - y = 1) : x = 3 ∧ y = 2 := by sorry
theorem mod_add_cancel (a b c n : Nat) (h : (a + c) % n = (b + c) % n) : a % n = b % n := by sorry
theorem gcd_self_add (a b : Nat) : Nat.gcd a (a + b) = Nat.gcd a b := by sorry
theorem dvd_antisymm' (a b : Nat) (h : a ∣ b) (k : b ∣ a) : a = b := by sorry
theorem pow_mod_seven (n : Nat) : (2 ^ (3 * n)) % 7 = 1 := by sorry
theorem eleven_pow (n : Nat) : 10 ∣ 11 ^ n - 1 := by sorry
theorem nine_pow (n : Nat) : 8 ∣ 9 ^ n - 1 := by sorry
theorem four_pow (n : Nat) : 9 ∣ 4 ^ n + 15 * n - 1 := by sorry
theorem mono_of_succ (f : Nat → Nat) (h : ∀ n, f n < f (n + 1)) (m n : Nat) (k : m < n) : f m < f n := by sorry
theorem id_le (f : Nat → Nat) (h : ∀ n, f n < f (n + 1)) (n : Nat) : n ≤ f n := by sorry
theorem exists_large (f : Nat → Nat) (h : ∀ n, f n < f (n + 1)) (n : Nat) : ∃ k, n < f k := by sorry
theorem inj_comp {α β γ : Type} (f : α → β) (g : β → γ) (hf : Function.Injective f) (hg : Function.Injective g) : Function.Injective (g ∘ f) := by sorry
theorem surj_of_comp {α β γ : Type} (f : α → β) (g : β → γ) (h : Function.Surjective (g ∘ f)) : Function.Surjective g := by sorry
