namespace A
namespace B.C
def x : Nat := 5
theorem t : x = 5 := by
  rfl
end B.C
end A

namespace A.B
theorem C.u : C.x = 5 := by
  exact C.t
theorem _root_.v : A.B.C.x + 0 = 5 := by
  rfl
end A.B
