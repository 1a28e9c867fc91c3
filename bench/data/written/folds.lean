/-! Folds and sums over lists and ranges, properties of functions. -/
theorem foldl_sum (xs : List Nat) : xs.foldl (· + ·) 0 = xs.sum := by sorry
theorem foldl_count (xs : List Nat) (p : Nat → Bool) : xs.foldl (fun s x => if p x then s + 1 else s) 0 = xs.countP p := by sorry
theorem foldl_len {α : Type} (xs : List α) : xs.foldl (fun s _ => s + 1) 0 = xs.length := by sorry
theorem foldl_rev {α : Type} (xs : List α) : xs.foldl (fun s x => x :: s) [] = xs.reverse := by sorry
theorem foldr_id {α : Type} (xs : List α) : xs.foldr (fun x s => x :: s) [] = xs := by sorry
theorem three_divisor (n d : Nat) (h : d ∣ 2 * n + 1) (k : d ∣ n + 2) : d = 1 ∨ d = 3 := by sorry
theorem inj_of_left_inverse {α β : Type} (f : α → β) (g : β → α) (h : ∀ x, g (f x) = x) : Function.Injective f := by sorry
theorem surj_of_right_inverse {α β : Type} (f : α → β) (g : β → α) (h : ∀ y, f (g y) = y) : Function.Surjective f := by sorry
theorem map_sum_range (n : Nat) : ((List.range n).map (fun i => 2 * i + 1)).sum = n ^ 2 := by sorry
theorem filter_range (n : Nat) : ((List.range (2 * n)).filter (fun i => i % 2 = 0)).length = n := by sorry
