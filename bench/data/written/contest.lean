set_option autoImplicit false

theorem mathd_linear_eq (x : Rat) (h0 : 3 * x + 7 = 2 * (x - 5) + 4) : x = -13 := by sorry

theorem mathd_sum_squares (x y : Rat) (h0 : x + y = 10) (h1 : x * y = 21) :
    x ^ 2 + y ^ 2 = 58 := by sorry

theorem mathd_difference_squares (a b : Int) (h0 : a - b = 3) (h1 : a ^ 2 - b ^ 2 = 51) :
    a = 10 ∧ b = 7 := by sorry

theorem mathd_two_congruences (n : Nat) (h0 : n < 35) (h1 : n % 7 = 3) (h2 : n % 5 = 2) :
    n = 17 := by sorry

theorem mathd_last_digit : 7 ^ 2023 % 10 = 3 := by sorry

theorem mathd_mod_square (a : Int) (h0 : a % 12 = 5) : (a ^ 2 + 3 * a) % 12 = 4 := by sorry

theorem induction_six_dvd (n : Nat) : 6 ∣ n ^ 3 + 5 * n := by sorry

theorem induction_nine_dvd (n : Nat) : 9 ∣ 4 ^ n + 15 * n - 1 := by sorry

theorem induction_sum_squares (n : Nat) :
    6 * ((List.range (n + 1)).map (fun k => k ^ 2)).sum = n * (n + 1) * (2 * n + 1) := by sorry

theorem induction_telescope (n : Nat) :
    ((List.range n).map (fun k : Nat => 1 / (((k : Rat) + 1) * ((k : Rat) + 2)))).sum
      = (n : Rat) / ((n : Rat) + 1) := by sorry

theorem induction_fib_sum (F : Nat → Nat) (h0 : F 0 = 0) (h1 : F 1 = 1)
    (h2 : ∀ n, F (n + 2) = F (n + 1) + F n) (n : Nat) :
    (List.range (n + 1)).foldl (fun s k => s + F k) 0 + 1 = F (n + 2) := by sorry

theorem induction_pow_gt_square (n : Nat) (h0 : 5 ≤ n) : n ^ 2 < 2 ^ n := by sorry

theorem induction_bernoulli (x : Rat) (n : Nat) (h0 : 0 ≤ x) : 1 + (n : Rat) * x ≤ (1 + x) ^ n := by sorry

theorem amc_arith_sequence (a : Nat → Rat) (h0 : ∀ n, a (n + 1) - a n = a 1 - a 0)
    (h1 : a 3 = 10) (h2 : a 7 = 22) : a 20 = 61 := by sorry

theorem amc_periodic_sequence (a : Nat → Rat) (h0 : a 0 = 2) (h1 : ∀ n, a (n + 1) = 1 / (1 - a n)) :
    a 100 = -1 := by sorry

theorem amc_count_multiples :
    ((List.range 1000).filter (fun n => n % 3 = 0 ∧ n % 5 = 0)).length = 67 := by sorry

theorem amc_quadratic_values (a b c : Rat) (f : Rat → Rat) (h0 : ∀ x, f x = a * x ^ 2 + b * x + c)
    (h1 : f 0 = 3) (h2 : f 1 = 6) (h3 : f 2 = 13) : f 3 = 24 := by sorry

theorem amc_rational_eq (x : Rat) (h0 : x ≠ 2) (h1 : (x + 1) / (x - 2) = 4) : x = 3 := by sorry

theorem aime_product_system (x y z : Rat) (h0 : 0 < x) (h1 : x * y = 12) (h2 : y * z = 20)
    (h3 : x * z = 15) : x + y + z = 12 := by sorry

theorem amc_gcd_lcm (n : Nat) (h0 : Nat.gcd n 40 = 10) (h1 : Nat.lcm n 40 = 280) : n = 70 := by sorry

theorem numbertheory_gcd_linear (n : Nat) : Nat.gcd (5 * n + 3) (3 * n + 2) = 1 := by sorry

theorem numbertheory_diophantine_box (x y : Nat) (h0 : 0 < x) (h1 : 0 < y)
    (h2 : x * y = 3 * x + 2 * y) : x + y = 10 ∨ x + y = 12 := by sorry

theorem numbertheory_pow_two_square (m n : Nat) (h0 : 2 ^ n + 1 = m ^ 2) : n = 3 ∧ m = 3 := by sorry

theorem numbertheory_descent (x y z : Int) (h0 : x ^ 2 + y ^ 2 = 3 * z ^ 2) : z = 0 := by sorry

theorem numbertheory_infinitely_many (N : Nat) : ∃ n, N < n ∧ 7 ∣ 2 ^ n + 3 := by sorry

theorem numbertheory_sophie_germain (n : Nat) (h0 : 1 < n) :
    ∃ a b : Nat, 1 < a ∧ 1 < b ∧ n ^ 4 + 4 = a * b := by sorry

theorem algebra_ineq_three (a b c : Rat) : a * b + b * c + c * a ≤ a ^ 2 + b ^ 2 + c ^ 2 := by sorry

theorem algebra_ineq_reciprocals (a b : Rat) (h0 : 0 < a) (h1 : 0 < b) (h2 : a + b = 1) :
    9 ≤ (1 + 1 / a) * (1 + 1 / b) := by sorry

theorem funeq_second_difference (f : Int → Int) (h0 : f 0 = 1) (h1 : f 1 = 4)
    (h2 : ∀ x, f (x + 1) + f (x - 1) = 2 * f x) : ∀ x, f x = 3 * x + 1 := by sorry

theorem funeq_nat_identity (f : Nat → Nat) (h0 : ∀ m n, f (m + f n) = f m + n) :
    ∀ n, f n = n := by sorry
