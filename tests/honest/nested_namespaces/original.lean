namespace A
namespace B.C
def x : Nat := 5
theorem t : x = 5 := by
  sorry
end B.C
end A

namespace A.B
theorem C.u : C.x = 5 := by
  sorry
theorem _root_.v : A.B.C.x + 0 = 5 := by
  sorry
end A.B
