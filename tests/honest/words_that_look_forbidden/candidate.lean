/-- no axiom, no native_decide, no unsafe -/
theorem unsafe_looking (sorry_count : Nat) : sorry_count = sorry_count := rfl

def «sorry» : String := "sorry axiom unsafe #eval"

namespace Foo
theorem axiom' : True := trivial
def init (extern csimp : Nat) : Nat := extern + csimp
theorem run (macro_ : Nat) : init macro_ 0 = macro_ := rfl
end Foo

theorem axiom_of_choice' : ∃ f : Nat → Nat, ∀ n, f n = n := by
  -- instead of sorry
  have := unsafe_looking 3
  have := Foo.axiom'
  exact ⟨id, fun _ => rfl⟩
