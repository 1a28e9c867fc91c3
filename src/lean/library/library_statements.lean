import Lean

/-!
Prints the theorems of compiled modules as problems: for each module named on the command line one line of JSON with
the text of its imports, the statements that mean the same after these imports, and the names of all other theorems by
the reason why they are left out (docs/evaluation.md). The line before the first one is `{"ready":true}`.

A statement is kept if the text `theorem NAME … := by sorry`, parsed and elaborated after the imports, gives the
constant that the module has: the same universe parameters and the same type, up to the names of bound variables,
annotations (`mdata`) and the way in which a universe level is written.

Elaborators are called with all their arguments and lists are traversed by functions of this file, since a Lean that has
only the public parts of its library (the embedded one) has no code for much of what the compiler would inline.
-/
open Lean Elab

namespace Zermelo.Library

def mapList {α β : Type} (f : α → β) : List α → List β
  | [] => []
  | x :: xs => f x :: mapList f xs

def anyList {α : Type} (f : α → Bool) : List α → Bool
  | [] => false
  | x :: xs => f x || anyList f xs

def contains (name : Name) (names : List Name) : Bool := anyList (· == name) names

def reverseOnto {α : Type} : List α → List α → List α
  | [], onto => onto
  | x :: xs, onto => reverseOnto xs (x :: onto)

structure Problem where
  name : Name
  statement : String

structure Made where
  problems : List Problem := []
  /-- Names of other theorems by reason. -/
  left : List (String × List Name) := []

def Made.leave (made : Made) (name : Name) (reason : String) : Made :=
  { made with left := add made.left }
where
  add : List (String × List Name) → List (String × List Name)
    | [] => [(reason, [name])]
    | (r, names) :: rest => if r == reason then (r, name :: names) :: rest else (r, names) :: add rest

/-! ### Theorems and their names -/

def endsWithNumberAfter (s before : String) : Bool :=
  before.isPrefixOf s && (Substring.Raw.toString ⟨s, ⟨before.utf8ByteSize⟩, s.rawEndPos⟩).isNat

/-- Last parts of the names of theorems that Lean makes for another declaration. -/
def generatedParts : List String :=
  ["injEq", "inj", "sizeOf_spec", "eq_def", "eq_unfold", "induct", "induct_unfolding", "fun_cases",
    "fun_cases_unfolding", "mutual_induct", "mutual_induct_unfolding", "noConfusion", "congr_simp", "ofNat_ctorIdx",
    "partial_correctness", "fixpoint_induct"]

def numberedParts : List String := ["eq_", "match_", "proof_", "congr_", "hcongr_", "congr_eq_"]

/-- Whether Lean made the declaration of this name for another one. -/
def isGenerated : Name → Bool
  | .anonymous => false
  | .num _ _ => true
  | .str p s =>
    anyList (· == s) generatedParts || anyList (endsWithNumberAfter s) numberedParts || isInternal (.str p s)
where
  isInternal : Name → Bool
    | .anonymous => false
    | .num _ _ => true
    | .str p s => "_".isPrefixOf s || isInternal p

def allKnown (env : Environment) : List Name → Bool
  | [] => true
  | c :: rest => (env.find? c).isSome && allKnown env rest

/-- The entries that a module has for an extension whose full name ends in `name`. -/
def entriesOf (name : String) : List (Name × Array EnvExtensionEntry) → List EnvExtensionEntry
  | [] => []
  | (.str _ s, entries) :: rest => if s == name then entries.toList else entriesOf name rest
  | _ :: rest => entriesOf name rest

unsafe def deprecatedNames (data : ModuleData) : List Name :=
  mapList (fun e => (unsafeCast e : Name × NonScalar).1) (entriesOf "deprecatedAttr" data.entries.toList)

/-- The theorems among the constants that the public part of a module has as axioms, if it is public parts only. -/
unsafe def hiddenTheorems (data : ModuleData) : List Name :=
  theorems (entriesOf "privateConstKindsExt" data.entries.toList)
where
  theorems : List EnvExtensionEntry → List Name
    | [] => []
    | e :: rest =>
      let (name, kind) := (unsafeCast e : Name × ConstantKind)
      if kind matches .thm then name :: theorems rest else theorems rest

/-! ### Printing -/

@[noinline] def normal (u : Level) : Level := u.normalize

/-- The same term without annotations, with normal universe levels; with `name`, bound variables have names that can be
written. -/
partial def plain (name : Bool) (depth : Nat) (e : Expr) : Expr :=
  match e with
  | .forallE n t b i => .forallE (named n i) (plain name depth t) (plain name (depth + 1) b) i
  | .lam n t b i => .lam (named n i) (plain name depth t) (plain name (depth + 1) b) i
  | .letE n t v b nondep =>
    .letE (named n .default) (plain name depth t) (plain name depth v) (plain name (depth + 1) b) nondep
  | .app f a => .app (plain name depth f) (plain name depth a)
  | .mdata _ e => plain name depth e
  | .proj s i e => .proj s i (plain name depth e)
  | .sort u => .sort (normal u)
  | .const c us => .const c (mapList normal us)
  | e => e
where
  named (n : Name) (i : BinderInfo) : Name :=
    if !n.hasMacroScopes && !n.isAnonymous then n
    else if !name && i matches .instImplicit then n
    else match n.eraseMacroScopes with
      | .str p s => .str p (s ++ "_" ++ Nat.repr depth)
      | _ => .str .anonymous ("x_" ++ Nat.repr depth)

def runMeta {α : Type} (env : Environment) (options : Options) (x : MetaM α) : IO (Option α) := do
  let metaState ← IO.mkRef {}
  let core ← IO.mkRef { env : Core.State }
  let context : Core.Context :=
    { fileName := "<library>", fileMap := FileMap.ofString "", options, maxHeartbeats := 200000 * 1000
      initHeartbeats := ← IO.getNumHeartbeats }
  match ← (x {} metaState context core).toBaseIO with
  | .ok a => return some a
  | .error _ => return none

@[noinline] def signature (name : Name) : MetaM String :=
  fun a b c d => do
    let printed ← PrettyPrinter.ppSignature name a b c d
    return printed.fmt.pretty 100

def isProposition (env : Environment) (type : Expr) : IO Bool := do
  match ← runMeta env {} (fun a b c d => Meta.isProp type a b c d) with
  | some yes => return yes
  | none => return false

/-- Ways to print, the next one for what the one before loses: whether bound instances get names, and options. -/
def ways : List (Bool × Options) :=
  let short := (((({} : Options).setBool `pp.fullNames true).setBool `pp.deepTerms true).setBool `pp.proofs true).setNat
    `pp.maxSteps 100000
  let typed := ((short.setBool `pp.fieldNotation false).setBool `pp.funBinderTypes true).setBool `pp.numericTypes true
  let full := (typed.setBool `pp.explicit true).setBool `pp.notation false
  [(false, short), (false, typed), (true, full), (true, full.setBool `pp.universes true)]

/-! ### A module -/

/-- A module's imports and the state after them, where its statements are elaborated. -/
structure Site where
  header : String
  start : Parser.ModuleParserState
  state : Command.State

def options : Options :=
  ((({} : Options).setBool `debug.skipKernelTC true).setBool `linter.all false).setBool `Elab.async false

def firstError : List Message → IO (Option String)
  | [] => return none
  | m :: rest => do
    if m.severity matches .error then return some (← m.data.toString) else firstError rest

def inputOf (text : String) : Parser.InputContext :=
  { inputString := text, fileName := "<library>", fileMap := FileMap.ofString text }

/-- `prelude` unless Lean's `Init` is imported, which a file without it imports by itself. -/
def headerOf (imports : List Import) : String :=
  let names := mapList (·.module) imports
  (if contains `Init names then "" else "prelude\n") ++ lines [`Init] names
where
  lines (seen : List Name) : List Name → String
    | [] => ""
    | n :: rest => if contains n seen then lines seen rest else "import " ++ n.toString ++ "\n" ++ lines (n :: seen) rest

def siteOf (imports : List Import) : IO Site := do
  let header := headerOf imports
  let input := inputOf header
  let (headerSyntax, start, messages) ← Parser.parseHeader input
  let (env, messages) ← processHeader headerSyntax options messages input (mainModule := `Zermelo)
  match ← firstError messages.toList with
  | some e => throw (IO.userError e)
  | none => return { header, start, state := { Command.mkState env {} options with infoState := { enabled := false } } }

/-- The constant that a statement declares; none if it has an error. -/
def elaborated (site : Site) (name : Name) (statement : String) : IO (Option ConstantInfo) := do
  let input := inputOf (site.header ++ statement ++ "\n")
  let (stx, _, messages) := Parser.parseCommand input { env := site.state.env, options } site.start {}
  if messages.hasErrors then return none
  let state ← IO.mkRef site.state
  let context : Command.Context :=
    { cmdPos := {}, fileName := input.fileName, fileMap := input.fileMap, snap? := none, cancelTk? := none }
  let _ ← (Command.elabCommandTopLevel stx context state).toBaseIO
  let after ← state.get
  if after.messages.hasErrors then return none
  match after.env.find? name with
  | some c => return some c
  | none => return after.env.find? (mkPrivateName after.env name)

def same (a b : ConstantInfo) : Bool :=
  a.levelParams == b.levelParams && plain false 0 a.type == plain false 0 b.type

/-- The statement of a theorem, or why there is none. -/
partial def statementOf (site : Site) (c : ConstantInfo) : IO (Except String String) :=
  tryWays "it cannot be printed" ways
where
  tryWays (why : String) : List (Bool × Options) → IO (Except String String)
    | [] => return .error why
    | (name, options) :: rest => do
      let declaration : Declaration :=
        .axiomDecl { name := c.name, levelParams := c.levelParams, type := plain name 0 c.type, isUnsafe := false }
      match site.state.env.addDeclCore 0 declaration none false with
      | .error _ => return .error why
      | .ok env =>
        match ← runMeta env options (signature c.name) with
        | none => tryWays why rest
        | some printed =>
          let statement := "theorem " ++ printed ++ " := by\n  sorry"
          match ← elaborated site c.name statement with
          | some found => if same found c then return .ok statement else tryWays "its text means something else" rest
          | none => tryWays "its text does not elaborate" rest

/-- Why a theorem is no problem whatever its text; none if it can be one. -/
def reasonAgainst (env : Environment) (deprecated : List Name) (c : ConstantInfo) : IO (Option String) := do
  if isPrivateName c.name then return some "private"
  if isGenerated c.name then return some "generated"
  if contains c.name deprecated then return some "deprecated"
  if (env.find? c.name).isSome then return some "imported"
  if !allKnown env c.type.getUsedConstants.toList then return some "uses constants of its module"
  if !(← isProposition env c.type) then return some "no proposition"
  return none

partial def problemsOf (site : Site) (deprecated hidden : List Name) (constants : Array ConstantInfo) (at_ : Nat)
    (made : Made) : IO Made := do
  if h : at_ < constants.size then
    let c := constants[at_]
    let made ← if isTheorem c then withTheorem c else pure made
    problemsOf site deprecated hidden constants (at_ + 1) made
  else return { made with problems := reverseOnto made.problems [] }
where
  /-- A definition can be hidden as an axiom, too. -/
  isTheorem : ConstantInfo → Bool
    | .thmInfo _ => true
    | .axiomInfo a => contains a.name hidden
    | _ => false
  withTheorem (c : ConstantInfo) : IO Made := do
    match ← reasonAgainst site.state.env deprecated c with
    | some reason => return made.leave c.name reason
    | none =>
      match ← statementOf site c with
      | .ok statement => return { made with problems := { name := c.name, statement } :: made.problems }
      | .error reason => return made.leave c.name reason

def namesJson (names : List Name) : Json := Json.arr (mapList (fun n => Json.str n.toString) names).toArray

def problemJson (p : Problem) : Json :=
  Json.mkObj [("name", Json.str p.name.toString), ("statement", Json.str p.statement)]

unsafe def moduleJson (module : String) : IO Json := do
  let (data, _) ← readModuleData (← findOLean module.toName)
  let imports := data.imports.toList
  let site ← siteOf imports
  let made ← problemsOf site (deprecatedNames data) (hiddenTheorems data) data.constants 0 {}
  return Json.mkObj [("module", Json.str module), ("header", Json.str site.header),
    ("import_all", Json.bool (anyList (·.importAll) imports)),
    ("problems", Json.arr (mapList problemJson made.problems).toArray),
    ("left_out", Json.mkObj (mapList (fun (reason, names) => (reason, namesJson names)) made.left))]

def printLine (json : Json) : IO Unit := do
  let output ← IO.getStdout
  output.putStr (json.compress ++ "\n")
  output.flush

unsafe def printModules : List String → IO Unit
  | [] => return
  | module :: rest => do
    printLine (← try moduleJson module catch e =>
      pure (Json.mkObj [("module", Json.str module), ("error", Json.str (toString e))]))
    printModules rest

end Zermelo.Library

public unsafe def main (modules : List String) : IO Unit := do
  initSearchPath (← findSysroot)
  Zermelo.Library.printLine (Json.mkObj [("ready", Json.bool true)])
  Zermelo.Library.printModules modules
