structure P where
  x : Nat

instance : ToString P := ⟨fun p => s!"P with x = {p.x} and {toString (p.x + 1)}"⟩

-- nothing is left to do
def quote : Char := '"'
def brace : Char := '{'
def letters : List Char := ['a', '\n', '\'', '\x41']

theorem t (p : P) : p = ⟨p.x⟩ := by
  cases p
  rfl
