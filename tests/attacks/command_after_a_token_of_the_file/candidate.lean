syntax "+x" : command
macro_rules | `(+x) => `(#check 1)

+xaxiom cheat : 1 + 1 = 3

theorem t : 1 + 1 = 3 := cheat
