import Lean

open Lean Meta Simp in
simproc anything (_ = _) := fun e => do
  return .done { expr := mkConst ``True, proof? := some (mkApp2 (mkConst ``sorryAx [levelZero]) e (mkConst ``true)) }

theorem t : 1 + 1 = 3 := by
  simp only [anything]
