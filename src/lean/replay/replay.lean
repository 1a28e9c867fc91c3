import Lean.Environment
import Lean.Data.Json

/-!
Adds the constants of a module to Lean's kernel again (docs/kernel.md). The standard input has a line with the modules
that it imports, `{"imports":[["Init"],["Lean","Data"]]}`, and then an NDJSON export (3.1) of what it declares itself; the
module is not read. The answer is one line of JSON on the standard output:

  {"verdict":"accepted","constants":12}
  {"verdict":"rejected","declaration":"t","reason":"…"}
  {"verdict":"declined","declaration":null,"reason":"…"}

With `"keep_going":true` in the first line, a constant that the kernel refuses does not end the replay: it is told in a line of
its own, `{"refused":"t","reason":"…"}`, and added without a check.

Lists are traversed by functions of this file, since a Lean that has only the public parts of its library (the embedded
one) has no code for much of what the compiler would inline.
-/
open Lean

namespace Zermelo.Replay

/-! ### What differs between versions of Lean -/

abbrev KernelEnv : Type := by
  first
    | exact Lean.Kernel.Environment  -- from 4.17 on
    | exact Lean.Environment
abbrev KernelError : Type := by
  first
    | exact Lean.Kernel.Exception
    | exact Lean.KernelException
def kernelEnv (env : Environment) : KernelEnv := by
  first
    | exact Lean.Environment.toKernelEnv env
    | exact env
/-- Without limits on heartbeats and depth: what runs the program has limits of its own. -/
def addDecl (env : KernelEnv) (d : Declaration) : Except KernelError KernelEnv := by
  first
    | exact Lean.Kernel.Environment.addDeclCore env 0 0 d none  -- from 4.33 on
    | exact Lean.Kernel.Environment.addDeclCore env 0 d none
    | exact Lean.Environment.addDecl env {} d
/-- The environment as it was where there is no such function. -/
def addUnchecked (env : KernelEnv) (d : Declaration) : KernelEnv := by
  first
    | exact match Lean.Kernel.Environment.addDeclWithoutChecking env d with | .ok e => e | .error _ => env
    | exact env
def find? (env : KernelEnv) (name : Name) : Option ConstantInfo := by
  first
    | exact Lean.Kernel.Environment.find? env name
    | exact Lean.Environment.find? env name

/-! ### JSON -/

def get? (j : Json) (key : String) : Option Json :=
  match j.getObjVal? key with
  | .ok v => some v
  | .error _ => none

def malformed {α : Type} (why : String) : IO α := throw (IO.userError ("the export is malformed: " ++ why))

def field (j : Json) (key : String) : IO Json :=
  match get? j key with
  | some v => return v
  | none => malformed ("`" ++ key ++ "` is missing")

def asNat (j : Json) : IO Nat :=
  match j.getNat? with
  | .ok n => return n
  | .error e => malformed e

def asString (j : Json) : IO String :=
  match j.getStr? with
  | .ok s => return s
  | .error e => malformed e

def asList (j : Json) : IO (List Json) :=
  match j with
  | .arr items => return items.toList
  | _ => malformed "a list is expected"

def natOf (j : Json) (key : String) : IO Nat := do asNat (← field j key)
def stringOf (j : Json) (key : String) : IO String := do asString (← field j key)
def listOf (j : Json) (key : String) : IO (List Json) := do asList (← field j key)
def flagOf (j : Json) (key : String) : IO Bool := do
  match ← field j key with
  | .bool b => return b
  | _ => malformed "a truth value is expected"

def mapIO {α β : Type} (f : α → IO β) : List α → IO (List β)
  | [] => return []
  | x :: xs => do return (← f x) :: (← mapIO f xs)

/-! ### Names, levels and terms -/

/-- What the lines so far have defined, by index. -/
structure Tables where
  names : IO.Ref (Array Name)
  levels : IO.Ref (Array Level)
  exprs : IO.Ref (Array Expr)
  /-- A term asks for the result of compiled code, which no declaration has here. -/
  native : IO.Ref Bool
  /-- Where a refusal is told that does not end the replay. -/
  refusals : Option IO.FS.Stream

def nameAt (t : Tables) (i : Nat) : IO Name := do
  match (← t.names.get)[i]? with
  | some n => return n
  | none => malformed "there is no such name"

def levelAt (t : Tables) (i : Nat) : IO Level := do
  match (← t.levels.get)[i]? with
  | some l => return l
  | none => malformed "there is no such level"

def exprAt (t : Tables) (i : Nat) : IO Expr := do
  match (← t.exprs.get)[i]? with
  | some e => return e
  | none => malformed "there is no such term"

def nameOf (t : Tables) (j : Json) (key : String) : IO Name := do nameAt t (← natOf j key)
def exprOf (t : Tables) (j : Json) (key : String) : IO Expr := do exprAt t (← natOf j key)
def namesOf (t : Tables) (j : Json) (key : String) : IO (List Name) := do
  mapIO (fun i => do nameAt t (← asNat i)) (← listOf j key)

def readName (t : Tables) (j : Json) : IO Name := do
  match get? j "str" with
  | some s => return .str (← nameOf t s "pre") (← stringOf s "str")
  | none =>
    let n ← field j "num"
    return .num (← nameOf t n "pre") (← natOf n "i")

def twoLevels (t : Tables) (j : Json) : IO (Level × Level) := do
  match ← asList j with
  | [a, b] => return (← levelAt t (← asNat a), ← levelAt t (← asNat b))
  | _ => malformed "two levels are expected"

def readLevel (t : Tables) (j : Json) : IO Level := do
  match get? j "succ" with
  | some u => return .succ (← levelAt t (← asNat u))
  | none =>
  match get? j "param" with
  | some n => return .param (← nameAt t (← asNat n))
  | none =>
  match get? j "max" with
  | some us =>
    let (a, b) ← twoLevels t us
    return .max a b
  | none =>
    let (a, b) ← twoLevels t (← field j "imax")
    return .imax a b

def binderInfoOf (j : Json) : IO BinderInfo := do
  match ← stringOf j "binderInfo" with
  | "implicit" => return .implicit
  | "strictImplicit" => return .strictImplicit
  | "instImplicit" => return .instImplicit
  | _ => return .default

/-- More bound variables than a term of Lean can have: the export writes free ones so. -/
def maxBound : Nat := 1000000

def isNative (n : Name) : Bool :=
  n == `Lean.reduceBool || n == `Lean.reduceNat || n == `Lean.ofReduceBool || n == `Lean.ofReduceNat

def readExpr (t : Tables) (j : Json) : IO Expr := do
  match get? j "app" with
  | some a => return .app (← exprOf t a "fn") (← exprOf t a "arg")
  | none =>
  match get? j "const" with
  | some c =>
    let n ← nameOf t c "name"
    if isNative n then t.native.set true
    return .const n (← mapIO (fun u => do levelAt t (← asNat u)) (← listOf c "us"))
  | none =>
  match get? j "lam" with
  | some b => return .lam (← nameOf t b "name") (← exprOf t b "type") (← exprOf t b "body") (← binderInfoOf b)
  | none =>
  match get? j "forallE" with
  | some b => return .forallE (← nameOf t b "name") (← exprOf t b "type") (← exprOf t b "body") (← binderInfoOf b)
  | none =>
  match get? j "bvar" with
  | some i =>
    let i ← asNat i
    -- A free variable that no declaration has: the kernel refuses what mentions it.
    return if i < maxBound then .bvar i else .fvar ⟨`free⟩
  | none =>
  match get? j "sort" with
  | some u => return .sort (← levelAt t (← asNat u))
  | none =>
  match get? j "proj" with
  | some p => return .proj (← nameOf t p "typeName") (← natOf p "idx") (← exprOf t p "struct")
  | none =>
  match get? j "letE" with
  | some l =>
    return .letE (← nameOf t l "name") (← exprOf t l "type") (← exprOf t l "value") (← exprOf t l "body")
      (← flagOf l "nondep")
  | none =>
  match get? j "strVal" with
  | some s => return .lit (.strVal (← asString s))
  | none =>
    match (← stringOf j "natVal").toNat? with
    | some n => return .lit (.natVal n)
    | none => malformed "a number is expected"

/-! ### Declarations -/

structure Refusal where
  /-- A limit, or something that cannot be replayed: nothing that would be wrong. -/
  declined : Bool
  declaration : Option Name
  reason : String

/-- What a line has done: the environment with its constants, and how many these are. -/
abbrev Step := IO (Except Refusal (KernelEnv × Nat))

def reject (name : Name) (reason : String) : Step :=
  return .error { declined := false, declaration := some name, reason }

def decline (name : Name) (reason : String) : Step :=
  return .error { declined := true, declaration := some name, reason }

def declinedAll {α : Type} (reason : String) : Except Refusal α :=
  .error { declined := true, declaration := none, reason }

/-- Whether the parts of a name are `_private` and those of a module. -/
def isPrivatePrefix : Name → Bool
  | .str .anonymous s => s == "_private"
  | .str p _ => isPrivatePrefix p
  | _ => false

/-- A name as its author wrote it: without `_private`, the module and a number. -/
def written : Name → Name
  | .num p i => if isPrivatePrefix p then .anonymous else .num (written p) i
  | .str p s => .str (written p) s
  | .anonymous => .anonymous

def isShort : Name → Nat → Bool
  | .anonymous, _ => true
  | _, 0 => false
  | .str p s, n + 1 => if s.length ≤ 300 then isShort p n else false
  | .num p _, n + 1 => isShort p n

/-- Whatever a candidate's name is, the answer stays one short line. -/
def shown (n : Name) : String :=
  if isShort n 100 then (written n).toString else "(a very long name)"

/-- The kernel's words. Terms are left out: printed, they can be very much larger than they are. -/
def refusal (t : Tables) (name : Name) (e : KernelError) : IO Refusal := do
  let native ← t.native.get
  let rejected reason := { declined := false, declaration := some name, reason : Refusal }
  let declined reason := { declined := true, declaration := some name, reason : Refusal }
  return match e with
  | .unknownConstant _ c => rejected ("(kernel) unknown constant '" ++ shown c ++ "'")
  | .alreadyDeclared _ c => declined ("(kernel) constant has already been declared '" ++ shown c ++ "'")
  | .declTypeMismatch .. => rejected "(kernel) declaration type mismatch"
  | .declHasMVars .. => rejected "(kernel) declaration has metavariables"
  | .declHasFVars .. => rejected "(kernel) declaration has free variables"
  | .funExpected .. => rejected "(kernel) function expected"
  | .typeExpected .. => rejected "(kernel) type expected"
  | .letTypeMismatch .. => rejected "(kernel) let-declaration type mismatch"
  | .exprTypeMismatch .. => rejected "(kernel) type mismatch"
  | .appTypeMismatch .. => rejected "(kernel) application type mismatch"
  | .invalidProj .. => rejected "(kernel) invalid projection"
  | .thmTypeIsNotProp .. => rejected "(kernel) type of theorem is not a proposition"
  | .other msg => if native then declined ("(kernel) " ++ msg) else rejected ("(kernel) " ++ msg)
  | .deterministicTimeout => declined "(kernel) deterministic timeout"
  | .excessiveMemory => declined "(kernel) excessive memory consumption detected"
  | .deepRecursion => declined "(kernel) deep recursion detected"
  | _ => declined "(kernel) no verdict"

def constantOf (t : Tables) (j : Json) : IO ConstantVal := do
  return { name := ← nameOf t j "name", levelParams := ← namesOf t j "levelParams", type := ← exprOf t j "type" }

def sameConstant (a b : ConstantVal) : Bool :=
  a.name == b.name && a.levelParams == b.levelParams && a.type == b.type

def answer (output : IO.FS.Stream) (fields : List (String × Json)) : IO Unit := do
  output.putStr ((Json.mkObj fields).compress ++ "\n")
  output.flush

def refuse (t : Tables) (env : KernelEnv) (name : Name) (e : KernelError) (d : Declaration) : Step := do
  let r ← refusal t name e
  match t.refusals with
  | none => return .error r
  | some output =>
    answer output [("refused", Json.str (shown name)), ("reason", Json.str r.reason)]
    return .ok (addUnchecked env d, 0)

/-- Adds a declaration of one constant. One that the imports have, too, has to be the same. -/
def addSingle (t : Tables) (env : KernelEnv) (c : ConstantVal) (value : Option Expr) (d : Declaration) : Step :=
  match find? env c.name with
  | some known =>
    if sameConstant known.toConstantVal c && known.value? == value then return .ok (env, 1)
    else decline c.name "the imports declare it with other terms"
  | none =>
    match addDecl env d with
    | .ok env => return .ok (env, 1)
    | .error e => refuse t env c.name e d

def hintsOf (j : Json) : IO ReducibilityHints := do
  match ← field j "hints" with
  | .str "opaque" => return .opaque
  | .str "abbrev" => return .abbrev
  | hints => return .regular (UInt32.ofNat (← natOf hints "regular"))

def replayDefinition (t : Tables) (env : KernelEnv) (j : Json) : Step := do
  let c ← constantOf t j
  if (← stringOf j "safety") != "safe" then return ← decline c.name "it is unsafe or partial"
  let value ← exprOf t j "value"
  addSingle t env c (some value)
    (.defnDecl { c with value, hints := ← hintsOf j, safety := .safe, all := ← namesOf t j "all" })

def replayTheorem (t : Tables) (env : KernelEnv) (j : Json) : Step := do
  let c ← constantOf t j
  let value ← exprOf t j "value"
  addSingle t env c (some value) (.thmDecl { c with value, all := ← namesOf t j "all" })

def replayOpaque (t : Tables) (env : KernelEnv) (j : Json) : Step := do
  let c ← constantOf t j
  let value ← exprOf t j "value"
  let declaration := .opaqueDecl { c with value, isUnsafe := ← flagOf j "isUnsafe", all := ← namesOf t j "all" }
  match find? env c.name with
  | some _ => decline c.name "the imports declare it, too"
  | none => addSingle t env c none declaration

def replayAxiom (t : Tables) (env : KernelEnv) (j : Json) : Step := do
  let c ← constantOf t j
  addSingle t env c none (.axiomDecl { c with isUnsafe := ← flagOf j "isUnsafe" })

/-- The kernel makes all four constants of quotients at once. -/
def replayQuotient (t : Tables) (env : KernelEnv) (j : Json) : Step := do
  let c ← constantOf t j
  let made := if (find? env c.name).isSome then .ok env else addDecl env .quotDecl
  match made with
  | .error e => return .error (← refusal t c.name e)
  | .ok env =>
    match find? env c.name with
    | some (.quotInfo known) =>
      if sameConstant known.toConstantVal c then return .ok (env, 1)
      else reject c.name "it is not what the kernel makes for quotients"
    | _ => reject c.name "it is not what the kernel makes for quotients"

/-! ### Inductive types: the kernel makes constructors and recursors -/

def constructorsOf (all : List (Name × Expr)) (names : List Name) : IO (List Constructor) :=
  mapIO (fun n => do return { name := n, type := ← find n all }) names
where
  find (n : Name) : List (Name × Expr) → IO Expr
    | [] => malformed "a constructor is missing"
    | (m, type) :: rest => if m == n then return type else find n rest

def sameType (t : Tables) (env : KernelEnv) (j : Json) : IO Bool := do
  let c ← constantOf t j
  match find? env c.name with
  | some (.inductInfo v) =>
    return sameConstant v.toConstantVal c && v.numParams == (← natOf j "numParams")
      && v.numIndices == (← natOf j "numIndices") && v.all == (← namesOf t j "all")
      && v.ctors == (← namesOf t j "ctors") && v.numNested == (← natOf j "numNested")
      && v.isRec == (← flagOf j "isRec") && v.isReflexive == (← flagOf j "isReflexive")
      && v.isUnsafe == (← flagOf j "isUnsafe")
  | _ => return false

def sameConstructor (t : Tables) (env : KernelEnv) (j : Json) : IO Bool := do
  let c ← constantOf t j
  match find? env c.name with
  | some (.ctorInfo v) =>
    return sameConstant v.toConstantVal c && v.induct == (← nameOf t j "induct") && v.cidx == (← natOf j "cidx")
      && v.numParams == (← natOf j "numParams") && v.numFields == (← natOf j "numFields")
      && v.isUnsafe == (← flagOf j "isUnsafe")
  | _ => return false

def sameRules (t : Tables) : List RecursorRule → List Json → IO Bool
  | [], [] => return true
  | r :: rs, j :: js => do
    let same := r.ctor == (← nameOf t j "ctor") && r.nfields == (← natOf j "nfields") && r.rhs == (← exprOf t j "rhs")
    if same then sameRules t rs js else return false
  | _, _ => return false

def sameRecursor (t : Tables) (env : KernelEnv) (j : Json) : IO Bool := do
  let c ← constantOf t j
  match find? env c.name with
  | some (.recInfo v) =>
    return sameConstant v.toConstantVal c && v.all == (← namesOf t j "all")
      && v.numParams == (← natOf j "numParams") && v.numIndices == (← natOf j "numIndices")
      && v.numMotives == (← natOf j "numMotives") && v.numMinors == (← natOf j "numMinors")
      && v.k == (← flagOf j "k") && v.isUnsafe == (← flagOf j "isUnsafe")
      && (← sameRules t v.rules (← listOf j "rules"))
  | _ => return false

/-- The first of them that is not what the kernel has made. -/
def firstOther (t : Tables) (same : Json → IO Bool) : List Json → IO (Option Name)
  | [] => return none
  | j :: rest => do
    if ← same j then firstOther t same rest else return some (← nameOf t j "name")

def count {α : Type} : List α → Nat
  | [] => 0
  | _ :: rest => count rest + 1

def replayInductive (t : Tables) (env : KernelEnv) (j : Json) : Step := do
  let types ← listOf j "types"
  let ctors ← listOf j "ctors"
  let recs ← listOf j "recs"
  match types with
  | [] => malformed "an inductive type is missing"
  | first :: _ =>
    let c ← constantOf t first
    let known ← mapIO (fun k => do return (← nameOf t k "name", ← exprOf t k "type")) ctors
    let declared : List InductiveType ← mapIO (fun i => do
      return { name := ← nameOf t i "name", type := ← exprOf t i "type"
               ctors := ← constructorsOf known (← namesOf t i "ctors") }) types
    let numParams ← natOf first "numParams"
    let isUnsafe ← flagOf first "isUnsafe"
    let imported := (find? env c.name).isSome
    let made := if imported then .ok env else addDecl env (.inductDecl c.levelParams numParams declared isUnsafe)
    let differs n reason := if imported then decline n "the imports declare it with other terms" else reject n reason
    match made with
    | .error e => return .error (← refusal t c.name e)
    | .ok env =>
      match ← firstOther t (sameType t env) types with
      | some n => differs n "it is not the inductive type that the kernel makes of its constructors"
      | none =>
      match ← firstOther t (sameConstructor t env) ctors with
      | some n => differs n "it is not the constructor that the kernel makes"
      | none =>
      match ← firstOther t (sameRecursor t env) recs with
      | some n => differs n "it is not the recursor that the kernel makes"
      | none => return .ok (env, count types + count ctors + count recs)

/-! ### Lines -/

def pushName (t : Tables) (n : Name) : IO Unit := t.names.modify fun known => known.push n
def pushLevel (t : Tables) (u : Level) : IO Unit := t.levels.modify fun known => known.push u
def pushExpr (t : Tables) (e : Expr) : IO Unit := t.exprs.modify fun known => known.push e

def checkIndex (j : Json) (expected : Nat) : IO Unit := do
  if (← asNat j) != expected then malformed "an index is left out"

def replayDeclaration (t : Tables) (env : KernelEnv) (j : Json) : Step := do
  match get? j "def", get? j "thm", get? j "inductive", get? j "opaque", get? j "axiom", get? j "quot" with
  | some d, _, _, _, _, _ => replayDefinition t env d
  | _, some d, _, _, _, _ => replayTheorem t env d
  | _, _, some d, _, _, _ => replayInductive t env d
  | _, _, _, some d, _, _ => replayOpaque t env d
  | _, _, _, _, some d, _ => replayAxiom t env d
  | _, _, _, _, _, some d => replayQuotient t env d
  | _, _, _, _, _, _ => return declinedAll "it has a declaration of an unknown kind"

def replayLine (t : Tables) (env : KernelEnv) (j : Json) : Step := do
  match get? j "ie" with
  | some i =>
    checkIndex i (← t.exprs.get).size
    pushExpr t (← readExpr t j)
    return .ok (env, 0)
  | none =>
  match get? j "in" with
  | some i =>
    checkIndex i (← t.names.get).size
    pushName t (← readName t j)
    return .ok (env, 0)
  | none =>
  match get? j "il" with
  | some i =>
    checkIndex i (← t.levels.get).size
    pushLevel t (← readLevel t j)
    return .ok (env, 0)
  | none =>
  match get? j "meta" with
  | some m =>
    let version ← stringOf (← field m "format") "version"
    if "3.1.".isPrefixOf version then return .ok (env, 0)
    return declinedAll ("the export has format " ++ version)
  | none => replayDeclaration t env j

def answerRefusal (output : IO.FS.Stream) (r : Refusal) : IO Unit :=
  answer output [("verdict", Json.str (if r.declined then "declined" else "rejected")),
    ("declaration", match r.declaration with | some n => Json.str (shown n) | none => Json.null),
    ("reason", Json.str r.reason)]

partial def replayLines (input output : IO.FS.Stream) (t : Tables) (env : KernelEnv) (constants : Nat) : IO Unit := do
  let line ← input.getLine
  if line.isEmpty then
    answer output [("verdict", Json.str "accepted"), ("constants", Json.num (JsonNumber.fromNat constants))]
  else
    match Json.parse line with
    | .error e => malformed e
    | .ok j =>
      match ← replayLine t env j with
      | .ok (env, more) => replayLines input output t env (constants + more)
      | .error r => answerRefusal output r

def moduleOf : Name → List Json → IO Name
  | n, [] => return n
  | n, part :: rest => do moduleOf (.str n (← asString part)) rest

def importsOf (j : Json) : IO (List Import) := do
  mapIO (fun parts => do return { module := ← moduleOf .anonymous (← asList parts) }) (← listOf j "imports")

def replay (input output : IO.FS.Stream) : IO Unit := do
  let first ← match Json.parse (← input.getLine) with
    | .error e => malformed e
    | .ok j => pure j
  let keepsGoing := (get? first "keep_going").isSome
  let env ← importModules (← importsOf first).toArray {}
  let t : Tables := { names := ← IO.mkRef #[.anonymous], levels := ← IO.mkRef #[.zero], exprs := ← IO.mkRef #[],
                      native := ← IO.mkRef false, refusals := if keepsGoing then some output else none }
  replayLines input output t (kernelEnv env) 0

end Zermelo.Replay

public def main : IO Unit := do
  let output ← IO.getStdout
  try
    initSearchPath (← findSysroot)
    Zermelo.Replay.replay (← IO.getStdin) output
  catch e =>
    Zermelo.Replay.answerRefusal output { declined := true, declaration := none, reason := toString e }
