def one := 0b1axiom cheat : 1 + 1 = 3

theorem t : 1 + 1 = 3 := cheat
