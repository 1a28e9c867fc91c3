set_option autoImplicit true

theorem t (xs ys : List α) : (xs ++ ys).length = ys.length + xs.length := by
  sorry

theorem u {f : α → β} (h : a = b) : f a = f b := by
  sorry
