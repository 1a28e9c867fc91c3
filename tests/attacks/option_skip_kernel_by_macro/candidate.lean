macro "hurry" : command => do
  let option := Lean.mkIdent (.mkStr (.mkStr .anonymous ("de" ++ "bug")) ("skip" ++ "KernelTC"))
  `(set_option $option:ident true)

hurry

theorem t : 1 + 1 = 3 := by
  decide +kernel
