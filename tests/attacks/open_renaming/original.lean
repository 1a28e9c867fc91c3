namespace Hard
def P : Prop := 1 + 1 = 3
end Hard
namespace Easy
def P : Prop := 1 + 1 = 2
end Easy

open Hard (P) in
theorem t : P := by
  sorry
