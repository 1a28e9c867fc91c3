def path : String := "known"

namespace A
def path : String := "another"
#eval IO.println path
theorem t : 2 + 2 = 4 := by rfl
end A
