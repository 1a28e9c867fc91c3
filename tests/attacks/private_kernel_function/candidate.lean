import Lean

open private Lean.Kernel.Environment.add from Lean.Environment

theorem t : 1 + 1 = 3 := by decide
