def path : String := "known"

namespace A

/-- Used below. -/
private theorem two : 1 + 1 = 2 := by
  rfl

#eval IO.println path
def four : Nat := 4
theorem t : 2 + 2 = 4 := by
  show 2 + 2 = four
  rfl
end A
