namespace A
private def hidden (n : Nat) : Nat := n * 2

protected theorem t (n : Nat) : hidden n = n + n := by
  unfold hidden; omega

private theorem u (n : Nat) : hidden n % 2 = 0 := by
  unfold hidden
  omega
end A
