/-! Fibonacci numbers, binomials, primes, integer inequalities, binary numerals, Gray codes,
a subtraction game, the towers of Hanoi and the calendar. -/

namespace NumbersGames

def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)

def fact : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * fact n

def choose : Nat → Nat → Nat
  | _, 0 => 1
  | 0, _ + 1 => 0
  | n + 1, k + 1 => choose n k + choose n (k + 1)

def sumBelow (f : Nat → Nat) : Nat → Nat
  | 0 => 0
  | n + 1 => sumBelow f n + f n

def IsPrime (p : Nat) : Prop := 2 ≤ p ∧ ∀ d, d ∣ p → d = 1 ∨ d = p

/-- binary numerals, least significant bit first -/
def ofBits : List Bool → Nat
  | [] => 0
  | b :: bs => b.toNat + 2 * ofBits bs

def inc : List Bool → List Bool
  | [] => [true]
  | false :: bs => true :: bs
  | true :: bs => false :: inc bs

def addBits : Bool → List Bool → List Bool → List Bool
  | false, [], bs => bs
  | true, [], bs => inc bs
  | false, as, [] => as
  | true, as, [] => inc as
  | c, a :: as, b :: bs => (a ^^ (b ^^ c)) :: addBits ((a && b) || (c && (a || b))) as bs

def gray : Nat → List (List Bool)
  | 0 => [[]]
  | n + 1 => (gray n).map (false :: ·) ++ (gray n).reverse.map (true :: ·)

inductive OneOff : List Bool → List Bool → Prop where
  | here {a b u} : a ≠ b → OneOff (a :: u) (b :: u)
  | there {a u v} : OneOff u v → OneOff (a :: u) (a :: v)

def Linked : List (List Bool) → Prop
  | [] => True
  | [_] => True
  | u :: v :: ws => OneOff u v ∧ Linked (v :: ws)

mutual
  /-- whoever is to move may take one, two or three matches; who cannot move has lost -/
  inductive Win : Nat → Prop where
    | move {n : Nat} (k : Nat) : 1 ≤ k → k ≤ 3 → Lose n → Win (n + k)
  inductive Lose : Nat → Prop where
    | all {n : Nat} : (∀ k m, 1 ≤ k → k ≤ 3 → n = m + k → Win m) → Lose n
end

def hanoi : Nat → Fin 3 → Fin 3 → Fin 3 → List (Fin 3 × Fin 3)
  | 0, _, _, _ => []
  | n + 1, a, b, c => hanoi n a c b ++ (a, c) :: hanoi n b a c

def leap (y : Nat) : Bool := (y % 4 == 0 && y % 100 != 0) || y % 400 == 0

def yearDays (y : Nat) : Nat := if leap y then 366 else 365

theorem fib_add (m n : Nat) : fib (m + n + 1) = fib m * fib n + fib (m + 1) * fib (n + 1) := by
  sorry

theorem fib_even_iff (n : Nat) : fib n % 2 = 0 ↔ n % 3 = 0 := by
  sorry

theorem fib_dvd (m k : Nat) : fib m ∣ fib (k * m) := by
  sorry

theorem choose_mul_fact (m n : Nat) : choose (m + n) m * (fact m * fact n) = fact (m + n) := by
  sorry

theorem hockey_stick (n k : Nat) : sumBelow (fun i => choose i k) n = choose n (k + 1) := by
  sorry

theorem sum_odd (n : Nat) : sumBelow (fun i => 2 * i + 1) n = n * n := by
  sorry

theorem two_squares (a b : Nat) : (a * a + b * b) % 4 ≠ 3 := by
  sorry

theorem sqrt_two_irrational (a b : Nat) (h : a * a = 2 * (b * b)) : b = 0 := by
  sorry

theorem exists_prime_dvd (n : Nat) (h : 2 ≤ n) : ∃ p, IsPrime p ∧ p ∣ n := by
  sorry

theorem cauchy_schwarz (a b c d : Int) :
    (a * c + b * d) * (a * c + b * d) ≤ (a * a + b * b) * (c * c + d * d) := by
  sorry

theorem ofBits_inc (bs : List Bool) : ofBits (inc bs) = ofBits bs + 1 := by
  sorry

theorem ofBits_addBits (c : Bool) (as bs : List Bool) :
    ofBits (addBits c as bs) = ofBits as + ofBits bs + c.toNat := by
  sorry

theorem mem_gray_iff (n : Nat) (u : List Bool) : u ∈ gray n ↔ u.length = n := by
  sorry

theorem gray_linked (n : Nat) : Linked (gray n) := by
  sorry

theorem lose_iff (n : Nat) : Lose n ↔ n % 4 = 0 := by
  sorry

theorem hanoi_length (n : Nat) (a b c : Fin 3) : (hanoi n a b c).length + 1 = 2 ^ n := by
  sorry

theorem days_400 (y : Nat) :
    sumBelow yearDays (y + 400) = sumBelow yearDays y + 146097 := by
  sorry

theorem xor_swap {w : Nat} (x y : BitVec w) : (x ^^^ y) ^^^ ((x ^^^ y) ^^^ y) = y := by
  sorry

end NumbersGames
