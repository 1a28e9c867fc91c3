/-! Indexed families, dependent types, state monads, continuations. -/
inductive Vec (α : Type u) : Nat → Type u where
  | nil : Vec α 0
  | cons : α → Vec α n → Vec α (n + 1)
namespace Vec
def map (f : α → β) : Vec α n → Vec β n
  | nil => nil
  | cons a v => cons (f a) (map f v)
def toList : Vec α n → List α
  | nil => []
  | cons a v => a :: toList v
def zipWith (f : α → β → γ) : Vec α n → Vec β n → Vec γ n
  | nil, nil => nil
  | cons a v, cons b w => cons (f a b) (zipWith f v w)
def replicate : (n : Nat) → α → Vec α n
  | 0, _ => nil
  | n + 1, a => cons a (replicate n a)
def head : Vec α (n + 1) → α
  | cons a _ => a
def sum : Vec Nat n → Nat
  | nil => 0
  | cons a v => a + sum v
theorem map_id (v : Vec α n) : map id v = v := by sorry
theorem map_map (f : α → β) (g : β → γ) (v : Vec α n) : map g (map f v) = map (g ∘ f) v := by sorry
theorem toList_length (v : Vec α n) : v.toList.length = n := by sorry
theorem toList_map (f : α → β) (v : Vec α n) : (map f v).toList = v.toList.map f := by sorry
theorem zipWith_comm (f : α → α → β) (h : ∀ a b, f a b = f b a) (v w : Vec α n) : zipWith f v w = zipWith f w v := by sorry
theorem map_replicate (f : α → β) (n : Nat) (a : α) : map f (replicate n a) = replicate n (f a) := by sorry
theorem head_map (f : α → β) (v : Vec α (n + 1)) : head (map f v) = f (head v) := by sorry
theorem sum_replicate (n k : Nat) : sum (replicate n k) = n * k := by sorry
theorem sum_zipWith_add (v w : Vec Nat n) : sum (zipWith (· + ·) v w) = sum v + sum w := by sorry
theorem toList_inj (v w : Vec α n) (h : v.toList = w.toList) : v = w := by sorry
theorem zero_eq_nil (v : Vec α 0) : v = nil := by sorry
end Vec

def St (σ α : Type) := σ → α × σ
namespace St
def pure (a : α) : St σ α := fun s => (a, s)
def bind (x : St σ α) (f : α → St σ β) : St σ β := fun s => f (x s).1 (x s).2
def get : St σ σ := fun s => (s, s)
def put (s : σ) : St σ Unit := fun _ => ((), s)
theorem pure_bind (a : α) (f : α → St σ β) : bind (pure a) f = f a := by sorry
theorem bind_pure (x : St σ α) : bind x pure = x := by sorry
theorem bind_assoc (x : St σ α) (f : α → St σ β) (g : β → St σ γ) :
    bind (bind x f) g = bind x fun a => bind (f a) g := by sorry
theorem put_put (s t : σ) : bind (put s) (fun _ => put t) = put t := by sorry
theorem put_get (s : σ) : bind (put s) (fun _ => get) = bind (put s) (fun _ => pure s) := by sorry
theorem get_put : bind get (fun s => put s) = (pure () : St σ Unit) := by sorry
end St

def Cont (r α : Type) := (α → r) → r
def Cont.pure (a : α) : Cont r α := fun k => k a
def Cont.bind (x : Cont r α) (f : α → Cont r β) : Cont r β := fun k => x fun a => f a k
theorem cont_assoc (x : Cont r α) (f : α → Cont r β) (g : β → Cont r γ) :
    (x.bind f).bind g = x.bind fun a => (f a).bind g := by sorry

inductive Ty where | nat | bool
inductive Tm : Ty → Type where
  | lit : Nat → Tm .nat
  | tt : Tm .bool
  | ff : Tm .bool
  | plus : Tm .nat → Tm .nat → Tm .nat
  | isZero : Tm .nat → Tm .bool
  | ite : Tm .bool → Tm t → Tm t → Tm t
abbrev Ty.denote : Ty → Type
  | .nat => Nat
  | .bool => Bool
def Tm.denote : Tm t → t.denote
  | .lit n => n
  | .tt => true
  | .ff => false
  | .plus a b => a.denote + b.denote
  | .isZero a => a.denote == 0
  | .ite c a b => if c.denote then a.denote else b.denote
def Tm.fold : Tm t → Tm t
  | .plus a b => match a.fold, b.fold with
    | .lit m, .lit n => .lit (m + n)
    | a', b' => .plus a' b'
  | .ite c a b => match c.fold with
    | .tt => a.fold
    | .ff => b.fold
    | c' => .ite c' a.fold b.fold
  | .isZero a => .isZero a.fold
  | e => e
theorem fold_sound (e : Tm t) : e.fold.denote = e.denote := by sorry

structure Point where
  x : Int
  y : Int
namespace Point
def add (p q : Point) : Point := ⟨p.x + q.x, p.y + q.y⟩
def neg (p : Point) : Point := ⟨-p.x, -p.y⟩
def dot (p q : Point) : Int := p.x * q.x + p.y * q.y
instance : Add Point := ⟨add⟩
theorem add_comm (p q : Point) : p + q = q + p := by sorry
theorem add_assoc (p q r : Point) : p + q + r = p + (q + r) := by sorry
theorem add_neg (p : Point) : add p (neg p) = ⟨0, 0⟩ := by sorry
theorem dot_comm (p q : Point) : dot p q = dot q p := by sorry
theorem dot_add (p q r : Point) : dot (add p q) r = dot p r + dot q r := by sorry
theorem dot_self (p : Point) : 0 ≤ dot p p := by sorry
theorem dot_self_eq (p : Point) (h : dot p p = 0) : p = ⟨0, 0⟩ := by sorry
end Point

def prefixSums (acc : Nat) : List Nat → List Nat
  | [] => [acc]
  | x :: xs => acc :: prefixSums (acc + x) xs
theorem prefixSums_length (a : Nat) (xs : List Nat) : (prefixSums a xs).length = xs.length + 1 := by sorry
theorem prefixSums_ne_nil (a : Nat) (xs : List Nat) : prefixSums a xs ≠ [] := by sorry
theorem prefixSums_last (a : Nat) (xs : List Nat) : (prefixSums a xs).getLast? = some (a + xs.sum) := by sorry
theorem prefixSums_map (a b : Nat) (xs : List Nat) : prefixSums (a + b) xs = (prefixSums a xs).map (· + b) := by sorry
