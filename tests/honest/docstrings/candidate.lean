/-!
# A module
with `sorry`, axiom and #eval in its documentation
-/

/-- The answer. Not a `sorry`. -/
def answer : Nat := 42

/--
theorem fake : False := by sorry
/- nested -/
-/
@[simp] theorem t : answer = 42 := by
  /- not a sorry /- nested -/ -/
  rfl -- no axiom here, no sorry either
