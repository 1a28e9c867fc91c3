set_option maxRecDepth 2000
set_option linter.unusedVariables false

set_option maxHeartbeats 400000 in
theorem t : (List.range 60).length = 60 := by
  set_option maxRecDepth 4000 in
  set_option pp.all true in
  decide
