theorem t (p q : Prop) : p ∧ q → q ∧ p :=
  fun ⟨hp, hq⟩ =>
    show q ∧ p from
      have hq' : q := hq
      ⟨show q from hq', show p by exact hp⟩
