namespace Deep.Inside
def f (n : Nat) : Nat := n + 1
end Deep.Inside

open Deep.Inside in
open Nat (succ) in
/-- With `open … in`. -/
theorem t (n : Nat) : f n = succ n := by
  sorry

theorem Deep.u (n : Nat) : Inside.f n ≠ 0 := by
  sorry
