import Lean

open Lean Elab Term in
elab "finish" : term <= expected => do
  let name := Name.mkSimple (String.ofList ['s', 'o', 'r', 'r', 'y', 'A', 'x'])
  return mkApp2 (mkConst name [levelZero]) expected (mkConst ``true)

theorem t : 1 + 1 = 3 := finish
