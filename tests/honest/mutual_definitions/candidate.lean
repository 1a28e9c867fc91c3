mutual
def isEven : Nat → Bool
  | 0 => true
  | n + 1 => isOdd n
def isOdd : Nat → Bool
  | 0 => false
  | n + 1 => isEven n
end

theorem t : isEven 4 = true := by
  simp [isEven, isOdd]

theorem u (n : Nat) : isOdd (n + 1) = isEven n := by
  simp [isOdd]
