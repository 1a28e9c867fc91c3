def path : String := "known"

namespace A
#eval IO.println path
theorem t : 2 + 2 = 4 := by sorry
end A
