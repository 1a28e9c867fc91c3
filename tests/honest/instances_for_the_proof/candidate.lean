structure Point where
  x : Nat
  y : Nat

instance : Inhabited Point := ⟨⟨0, 0⟩⟩
instance : Add Point := ⟨fun a b => ⟨a.x + b.x, a.y + b.y⟩⟩
local instance pointZero : Zero Point := ⟨⟨0, 0⟩⟩
instance : Std.Commutative (α := Point) (· + ·) := ⟨fun a b => by
  show Point.mk (a.x + b.x) (a.y + b.y) = Point.mk (b.x + a.x) (b.y + a.y)
  rw [Nat.add_comm a.x, Nat.add_comm a.y]⟩

theorem t : ∀ p : Point, p.x = p.x ∧ p.y = p.y := by
  intro p
  exact ⟨rfl, rfl⟩
