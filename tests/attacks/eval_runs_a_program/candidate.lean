#eval show IO Unit from do
  IO.FS.writeFile "/tmp/zermelo-was-here" "overwritten"
theorem t : 1 + 1 = 3 := by
  exact absurd rfl (by decide)
