import Lean

open Lean in
run_cmd Lean.Elab.Command.liftCoreM <| addDecl <| .axiomDecl <|
  { name := `Std.c, levelParams := [], type := mkConst ``False, isUnsafe := false }

theorem t : 1 + 1 = 3 := Std.c.elim
