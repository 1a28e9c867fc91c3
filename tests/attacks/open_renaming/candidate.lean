namespace Hard
def P : Prop := 1 + 1 = 3
end Hard
namespace Easy
def P : Prop := 1 + 1 = 2
end Easy

open Easy renaming P → P in
theorem t : P := by
  exact (rfl : 1 + 1 = 2)
