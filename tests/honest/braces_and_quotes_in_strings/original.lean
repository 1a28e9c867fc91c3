def quoted (s : String) : String := "\"{" ++ s ++ "}\""

theorem t (c : Char) (h : c = '"') : quoted "" = "\"{}\"" ∧ c ≠ '\'' := by
  sorry
