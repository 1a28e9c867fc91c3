def double (n : Nat) : Nat := n + n
structure Pt where
  x : Nat
  y : Nat
instance : Add Pt := ⟨fun a b => ⟨a.x + b.x, a.y + b.y⟩⟩
namespace Helper
private def g : Nat → Nat | 0 => 1 | n+1 => g n * 2
theorem aux (n : Nat) : g n > 0 := by induction n <;> simp_all [g]
end Helper
local notation "DD" => double
macro "mytac" : tactic => `(tactic| first | omega | rfl)
instance : Inhabited Pt := ⟨⟨0,0⟩⟩
@[simp] theorem dd (n : Nat) : DD n = 2 * n := by unfold double; omega
theorem two (n : Nat) : double n = 2 * n :=  by simp
theorem half (p : Pt) (i : Fin 3) (h : i.val < 2 + 1) : (⟨i.val, by omega⟩ : Fin 3) = i ∧ p = p :=  by
  have : 5 = 5 := by mytac
  exact ⟨rfl, rfl⟩
example : 1 = 1 := rfl
