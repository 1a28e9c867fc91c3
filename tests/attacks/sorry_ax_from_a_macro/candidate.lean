macro "finish" : term =>
  return Lean.mkIdent (.mkSimple (String.ofList ['s', 'o', 'r', 'r', 'y', 'A', 'x']))

theorem t : 1 + 1 = 3 := finish _ true
