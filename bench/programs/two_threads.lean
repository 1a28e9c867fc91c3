/-! Runs the same tactics from one state on one thread and on two threads of a process, in turns. bench/states.py puts this
behind the program of the state server, without its `main`. Prints, for each tactic and round, `RUNS ONE-MS TWO-MS`. -/

namespace Zermelo.TwoThreads

/-- Returns how many runs succeeded. -/
partial def repeated (state : Saved) (context : Core.Context) (tactic : Syntax) (times : Nat) : IO Nat := do
  if times == 0 then return 0
  let begun := { context with initHeartbeats := ← IO.getNumHeartbeats }
  let (thrown, _) ← runFrom state begun (evaluate tactic)
  return (← repeated state context tactic (times - 1)) + (if thrown.isSome then 0 else 1)

partial def compared (state : Saved) (context : Core.Context) (tactic : Syntax) (times rounds : Nat) : IO Unit := do
  if rounds == 0 then return ()
  let begun ← IO.monoMsNow
  let alone ← repeated state context tactic times
  let half ← IO.monoMsNow
  let first ← IO.asTask (repeated state context tactic times) .dedicated
  let second ← IO.asTask (repeated state context tactic times) .dedicated
  match ← IO.wait first, ← IO.wait second with
  | .ok a, .ok b =>
    let ended ← IO.monoMsNow
    if a != alone || b != alone then throw (IO.userError "the threads do not agree")
    IO.println s!"{times} {half - begun} {ended - half}"
  | _, _ => throw (IO.userError "a thread failed")
  compared state context tactic times (rounds - 1)

def measured (server : Server) (statement tactic : String) (times : Nat) : IO Unit := do
  let text := s!"theorem one {statement} := by\n  sorry"
  match ← openHole server text (text.utf8ByteSize - 5) with
  | .error e => throw (IO.userError e)
  | .ok id =>
    match ← nodeAt server id with
    | none => throw (IO.userError "no state")
    | some node =>
      let input : Input := { text := tactic, ictx := inputOf tactic, block := ⟨0⟩, after := "" }
      match parseTactic node.saved input ⟨0⟩ with
      | none => throw (IO.userError "no tactic")
      | some (parsed, _) =>
        let context := { node.saved.coreCtx with fileMap := input.ictx.fileMap, ref := parsed }
        compared node.saved context parsed times 3

end Zermelo.TwoThreads

public unsafe def main : IO Unit := do
  let captured ← IO.mkRef none
  let entry : KeyedDeclsAttribute.AttributeEntry Tactic.Tactic :=
    { key := Zermelo.kindOfHole, declName := `Zermelo.capture, isBuiltin := true, value := Zermelo.capture captured }
  Tactic.tacticElabAttribute.tableRef.modify fun table =>
    { table with map₁ := table.map₁.modify Zermelo.kindOfHole fun known => entry :: known }
  let server : Zermelo.Server :=
    { nodes := ← IO.mkRef #[], commands := ← IO.mkRef [], captured, imported := ← IO.mkRef [], limit := ← IO.mkRef none
      current := ← IO.mkRef 1, unwanted := ← IO.mkRef 0 }
  let statement := "(x y : Nat) (h : x < y) (l : List Nat) : x + 1 ≤ y ∧ (l ++ []).length = l.length"
  Zermelo.TwoThreads.measured server statement "constructor <;> first | omega | simp" 200
  Zermelo.TwoThreads.measured server statement "grind" 60
  Zermelo.TwoThreads.measured server statement "simp <;> omega" 150
  Zermelo.TwoThreads.measured server statement "rcases l with _ | ⟨a, l⟩ <;> simp at * <;> omega" 100
