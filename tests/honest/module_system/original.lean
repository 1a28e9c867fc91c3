module

public section

def countdown (n : Nat) : List Nat :=
  if h : n = 0 then [] else (n - 1) :: countdown (n - 1)
termination_by n
decreasing_by omega

partial def search (p : Nat → Bool) (n : Nat) : Nat := if p n then n else search p (n + 1)

mutual
def even (n : Nat) : Bool := if h : n = 0 then true else odd (n - 1)
termination_by n
def odd (n : Nat) : Bool := if h : n = 0 then false else even (n - 1)
termination_by n
end

theorem t : countdown 0 = [] := by
  sorry
