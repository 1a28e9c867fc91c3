import Lean

initialize IO.println "hello"

theorem t : 1 + 1 = 3 := by omega
