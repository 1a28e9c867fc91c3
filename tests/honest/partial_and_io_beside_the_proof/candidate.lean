def main : IO Unit := IO.println "hello"

partial def loop (n : Nat) : Nat := if n > 100 then n else loop (n + 1)

theorem t : 2 + 2 = 4 := by
  rfl
