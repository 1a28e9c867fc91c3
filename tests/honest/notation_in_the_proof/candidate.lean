def double (n : Nat) : Nat := n + n

local notation "⟪" x "⟫" => double x
local prefix:max "𝔻" => double
local infixl:65 " ⊕⊕ " => Nat.add

theorem lemma1 (n : Nat) : ⟪n⟫ = n ⊕⊕ n := rfl

theorem t (n : Nat) : double (double n) = 4 * n := by
  have h : 𝔻 (𝔻 n) = ⟪⟪n⟫⟫ := rfl
  rw [h, lemma1, lemma1]
  show n + n + (n + n) = 4 * n
  omega
