def quoted (s : String) : String := "\"{" ++ s ++ "}\""

-- No axiom, no native_decide, no sorry: all of it is computed. (An elab would be worse; sorry.)
theorem t (c : Char) (h : c = '"') : quoted "" = "\"{}\"" ∧ c ≠ '\'' := by
  subst h -- "admit" is what one does not write here
  exact ⟨rfl, by decide⟩
