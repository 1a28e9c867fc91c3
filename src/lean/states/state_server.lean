import Lean.Elab.Frontend
import Lean.Server.InfoUtils

/-!
Keeps proof states as values and runs tactics from any of them, so that a tactic is elaborated once in a state
(docs/state-server.md has the protocol). Requests and answers are JSON-RPC in the frames of LSP on the standard streams.

Several threads answer requests, so that they share the environment and the states: what they share changes in one step
(`modify`), and `limit` and `unwanted` are each request's own.

A state is all that Lean has at a tactic: the contexts and states of its monads. That of a hole is captured by
elaborating the declaration with a tactic of ours in the place of the hole. Elaborators are called with all their
arguments and lists are traversed by functions of this file, since a Lean that has only the public parts of its
library (the embedded one) has no code for much of what the compiler would inline.
-/
open Lean Elab

namespace Zermelo

/-! ### What differs between versions of Lean

From 4.14 on; docs/state-server.md has the table. The first form that Lean knows is taken. -/

/-- A place in a text, in bytes. -/
abbrev Byte : Type := by
  first
    | exact String.Pos.Raw  -- from 4.25 on
    | exact String.Pos

def charAt (text : String) (p : Byte) : Char := by
  first
    | exact String.Pos.Raw.get text p  -- from 4.25 on
    | exact String.get text p

def nextByte (text : String) (p : Byte) : Byte := by
  first
    | exact String.Pos.Raw.next text p  -- from 4.25 on
    | exact String.next text p

def textBetween (text : String) (first last : Byte) : String := by
  first
    | exact Substring.Raw.toString ⟨text, first, last⟩  -- from 4.26 on
    | exact Substring.toString ⟨text, first, last⟩

def inputOf (text : String) : Parser.InputContext := by
  first
    | exact { inputString := text, fileName := "<document>", fileMap := FileMap.ofString text }  -- from 4.24 on
    | exact { input := text, fileName := "<document>", fileMap := FileMap.ofString text }

/-- What a text begins with: its imports, what loads them, where the commands begin, and syntax errors. -/
def headerOf (ictx : Parser.InputContext) (options : Options) :
    IO (Syntax × IO (Environment × MessageLog) × Parser.ModuleParserState × MessageLog) := do
  let (header, next, messages) ← Parser.parseHeader ictx
  let load : IO (Environment × MessageLog) := by
    first
      | exact processHeader header options messages ictx (mainModule := `Zermelo)  -- from 4.22 on
      | exact do
          let (env, messages) ← processHeader header options messages ictx
          return (env.setMainModule `Zermelo, messages)
  return (header, load, next, messages)

/-- Later versions than 4.28 have one more argument, with a default. -/
def elabTopLevel (stx : Syntax) : Command.CommandElabM Unit := Command.elabCommandTopLevel stx

/-- Adds an elaborator to those of a kind. Later entries than those of 4.24 have one more field, taken from a known one. -/
def addTactic (kind declName : Name) (tactic : Tactic.Tactic) : IO Unit :=
  Tactic.tacticElabAttribute.tableRef.modify fun table =>
    { table with map₁ := table.map₁.modify kind fun
        | [] => []
        | entry :: known => { entry with declName, value := tactic } :: entry :: known }

def commandContext (ictx : Parser.InputContext) : Command.Context := by
  first
    | exact { cmdPos := {}, fileName := ictx.fileName, fileMap := ictx.fileMap, snap? := none, cancelTk? := none }
    | exact  -- up to 4.18
        { cmdPos := {}, fileName := ictx.fileName, fileMap := ictx.fileMap, snap? := none, cancelTk? := none
          tacticCache? := none }

/-- Without its messages, except that there were errors. -/
def withoutMessages (log : MessageLog) : MessageLog := by
  first
    | exact log.markAllReported  -- from 4.16 on, or a little later
    | exact { log with hadErrors := log.hasErrors, unreported := {} }

def withoutSnapshots (c : Core.State) : Core.State := by
  first
    | exact { c with snapshotTasks := #[] }  -- from 4.15 on
    | exact c

/-- Sets the heartbeats that this thread has counted. -/
def setHeartbeats (beats : Nat) : IO Unit := by
  first
    | exact do IO.setNumHeartbeats beats  -- from 4.16 on, or a little later
    | exact do IO.addHeartbeats (beats.toUInt64 - (← IO.getNumHeartbeats).toUInt64)

/-- What a promise is resolved with. -/
def await {α : Type} (promise : IO.Promise (Option α)) : IO (Option α) := by
  first
    | exact do  -- from 4.18 on; none if nothing will resolve it
        match ← IO.wait promise.result? with
        | some value => return value
        | none => return none
    | exact IO.wait promise.result

/-! ### Data -/

/-- What Lean has at a tactic. -/
structure Saved where
  coreCtx : Core.Context
  core : Core.State
  metaCtx : Meta.Context
  metaState : Meta.State
  termCtx : Term.Context
  term : Term.State
  tacCtx : Tactic.Context
  tac : Tactic.State

/-- A message; lines count from the tactic's first one, columns in code points. -/
structure Note where
  severity : Nat
  line : Nat
  column : Nat
  endLine : Nat
  endColumn : Nat
  text : String

/-- What a tactic did in a state. -/
structure Outcome where
  /-- The state after it; none if the tactic failed or was cut off. -/
  next : Option Nat
  notes : List Note
  /-- It was cut off after so many milliseconds. -/
  cutAfter : Option Nat
  /-- It gave up after an error that it had already reported. -/
  aborted : Bool := false
  /-- What the language server shows at places in it that were asked for, by their bytes from its beginning; none if
  it shows nothing there. -/
  shown : List (Nat × Option (List String)) := []

structure Node where
  saved : Saved
  goals : List String
  /-- The goals of the hole: the proof is their values. -/
  roots : List MVarId
  /-- Heartbeats from the beginning of the declaration to here. -/
  beats : Nat
  /-- For a state without goals: whether the proof contains `sorry`, and whether parts of it are missing. -/
  hasSorry : Bool
  hasHoles : Bool
  children : List (String × Outcome)

/-- Whether a thread holds it. -/
abbrev Lock := IO.Ref Bool

/-- A request that has no answer yet. -/
structure Request where
  id : Nat
  json : Json
  /-- When its current tactic must end, and what ends it. -/
  limit : IO.Ref (Option (Nat × IO.CancelToken))
  /-- It has been cancelled. -/
  unwanted : IO.Ref Bool

/-- Where a thread without work gets its next request; none at the end of the input. -/
abbrev Inbox := IO.Promise (Option Request)

/-- Requests that no thread has begun, and threads that have none. At most one of the lists has anything. -/
structure Queue where
  requests : List Request := []
  idle : List Inbox := []
  atEnd : Bool := false

/-- How many tactics run, and whether none may begin. -/
structure Gate where
  running : Nat := 0
  isClosed : Bool := false

structure Server where
  nodes : IO.Ref (Array (Option Node))
  /-- The tactics that are being elaborated, each with the state it runs in. -/
  elaborating : IO.Ref (List (Nat × String))
  gate : IO.Ref Gate
  /-- Held while a hole is opened; it guards `commands`, `captured` and `imported`. -/
  opening : Lock
  /-- Commands before the last hole: the text up to the end of each and the word after it (which can decide where the
  command ends), its parser state and the state after it. -/
  commands : IO.Ref (List (String × Parser.ModuleParserState × Command.State))
  captured : IO.Ref (Option (Saved × Nat))
  /-- The last two environments by the text of the imports: what tactics build once for an environment (`exact?`) is built
  once. -/
  imported : IO.Ref (List (String × Environment))
  queue : IO.Ref Queue
  /-- All requests without an answer. -/
  underWay : IO.Ref (List Request)
  /-- Held while an answer is written. -/
  writing : Lock

def isError (n : Note) : Bool := n.severity == 1

/-! ### Lists and JSON -/

def mapList {α β : Type} (f : α → β) : List α → List β
  | [] => []
  | x :: xs => f x :: mapList f xs

def mapIO {α β : Type} (f : α → IO β) : List α → IO (List β)
  | [] => return []
  | x :: xs => do return (← f x) :: (← mapIO f xs)

def reverseOnto {α : Type} : List α → List α → List α
  | [], onto => onto
  | x :: xs, onto => reverseOnto xs (x :: onto)

def isEmptyList {α : Type} : List α → Bool
  | [] => true
  | _ => false

def findChild (key : String) : List (String × Outcome) → Option Outcome
  | [] => none
  | (k, o) :: rest => if k == key then some o else findChild key rest

def filterList {α : Type} (p : α → Bool) : List α → List α
  | [] => []
  | x :: xs => if p x then x :: filterList p xs else filterList p xs

def allOf {α : Type} (p : α → Bool) : List α → Bool
  | [] => true
  | x :: xs => p x && allOf p xs

def findByte {α : Type} (byte : Nat) : List (Nat × α) → Option α
  | [] => none
  | (b, x) :: rest => if b == byte then some x else findByte byte rest

def numberJson (n : Nat) : Json := Json.num (JsonNumber.fromNat n)
def listJson (items : List Json) : Json := Json.arr items.toArray
def placeJson (line column : Nat) : Json := listJson [numberJson line, numberJson column]
def stringsJson (items : List String) : Json := listJson (mapList Json.str items)

def noteJson (line : Nat) (n : Note) : Json :=
  Json.mkObj [("severity", numberJson n.severity), ("from", placeJson (line + n.line) n.column),
    ("to", placeJson (line + n.endLine) n.endColumn), ("text", Json.str n.text)]

def natField (j : Json) (key : String) : Except String Nat :=
  match j.getObjVal? key with
  | .error e => .error e
  | .ok v => v.getNat?

def stringField (j : Json) (key : String) : Except String String :=
  match j.getObjVal? key with
  | .error e => .error e
  | .ok v => v.getStr?

def stringList : List Json → Except String (List String)
  | [] => .ok []
  | j :: rest =>
    match j.getStr?, stringList rest with
    | .ok s, .ok more => .ok (s :: more)
    | .error e, _ => .error e
    | _, .error e => .error e

def stringsField (j : Json) (key : String) : Except String (List String) :=
  match j.getObjVal? key with
  | .ok (.arr items) => stringList items.toList
  | .ok _ => .error "a list is expected"
  | .error e => .error e

def numberList : List Json → List Nat
  | [] => []
  | j :: rest =>
    match j.getNat? with
    | .ok n => n :: numberList rest
    | .error _ => numberList rest

/-- The numbers of a list, which may be missing. -/
def numbersField (j : Json) (key : String) : List Nat :=
  match j.getObjVal? key with
  | .ok (.arr items) => numberList items.toList
  | _ => []

def flagField (j : Json) (key : String) : Bool :=
  match j.getObjVal? key with
  | .ok (.bool b) => b
  | _ => false

/-! ### What threads share -/

/-- Releases with `release` what `x` needs, however it ends. -/
def releasing {α : Type} (release : IO Unit) (x : IO α) : IO α := do
  match ← x.toBaseIO with
  | .ok result =>
    release
    return result
  | .error e =>
    release
    throw e

partial def waitUntil (isTrue : IO Bool) : IO Unit := do
  if ← isTrue then return ()
  IO.sleep 2
  waitUntil isTrue

def holding {α : Type} (lock : Lock) (x : IO α) : IO α := do
  waitUntil (lock.modifyGet fun isHeld => (!isHeld, true))
  releasing (lock.set false) x

/-- Runs `x` when no import is under way. -/
def besideTactics {α : Type} (server : Server) (x : IO α) : IO α := do
  waitUntil (server.gate.modifyGet fun gate =>
    if gate.isClosed then (false, gate) else (true, { gate with running := gate.running + 1 }))
  releasing (server.gate.modify fun gate => { gate with running := gate.running - 1 }) x

/-- Runs `x` when no tactic runs; those that are to begin wait. At most one thread calls this at a time. -/
def withoutTactics {α : Type} (server : Server) (x : IO α) : IO α := do
  server.gate.modify fun gate => { gate with isClosed := true }
  waitUntil (do return (← server.gate.get).running == 0)
  releasing (server.gate.modify fun gate => { gate with isClosed := false }) x

/-! ### States -/

/-- Without what was reported on the way, except that there were errors. -/
def stripped (c : Core.State) : Core.State :=
  withoutSnapshots { c with
    messages := withoutMessages c.messages
    infoState := { enabled := false }
    traceState := {} }

/-- Saves its state, and admits the goals so that the rest of the declaration is elaborated quickly. -/
def capture (into : IO.Ref (Option (Saved × Nat))) : Tactic.Tactic :=
  fun stx tacCtx tac termCtx term metaCtx metaState coreCtx core => do
    if stx.getNumArgs > 0 then throw (Exception.internal unsupportedSyntaxExceptionId)
    let c ← core.get
    let now ← IO.getNumHeartbeats
    let saved : Saved :=
      { coreCtx, core := stripped c, metaCtx, metaState := ← metaState.get, termCtx, term := ← term.get, tacCtx,
        tac := ← tac.get }
    into.set (some (saved, now - coreCtx.initHeartbeats))
    throw (Exception.error .missing "captured")

/-- Runs `x` from a state. Returns what it threw, if anything, and the state after it. -/
def runFrom (s : Saved) (coreCtx : Core.Context) (x : Tactic.TacticM Unit) : IO (Option Exception × Saved) := do
  let tac ← IO.mkRef s.tac
  let term ← IO.mkRef s.term
  let metaState ← IO.mkRef s.metaState
  let core ← IO.mkRef s.core
  let result ← (x s.tacCtx tac s.termCtx term s.metaCtx metaState coreCtx core).toBaseIO
  let after : Saved :=
    { s with core := ← core.get, metaState := ← metaState.get, term := ← term.get, tac := ← tac.get }
  match result with
  | .ok _ => return (none, after)
  | .error e => return (some e, after)

@[noinline] def evaluate (stx : Syntax) : Tactic.TacticM Unit :=
  fun a b c d e f g h => do
    Tactic.evalTactic stx a b c d e f g h
    let _ ← Tactic.getUnsolvedGoals a b c d e f g h  -- drops the solved ones

/-- What Lean does at the end of a proof: it elaborates the parts that a tactic with an error did not come to, and logs an
error that is thrown meanwhile. After a tactic that throws, it does not get there. -/
@[noinline] def elaborateRest : Tactic.TacticM Unit :=
  fun _ _ c d e f g h => Term.synthesizeSyntheticMVarsNoPostponing false c d e f g h

def goalText (g : MVarId) (s : Saved) : IO String := do
  let metaState ← IO.mkRef s.metaState
  let core ← IO.mkRef s.core
  match ← (Meta.ppGoal g s.metaCtx metaState s.coreCtx core).toBaseIO with
  | .ok f => return toString f
  | .error _ => return "⊢ <a goal that cannot be printed>"

def goalTexts (s : Saved) : IO (List String) := mapIO (fun g => goalText g s) s.tac.goals

/-- Whether the values of the goals contain `sorry`, and whether they contain metavariables. -/
def inspect (s : Saved) : List MVarId → Bool × Bool
  | [] => (false, false)
  | g :: rest =>
    let (e, _) := instantiateMVarsCore s.metaState.mctx (mkMVar g)
    let (sorries, holes) := inspect s rest
    (sorries || e.hasSorry, holes || e.hasExprMVar)

def addNode (server : Server) (saved : Saved) (roots : List MVarId) (beats : Nat) : IO Nat := do
  let goals ← goalTexts saved
  let (hasSorry, hasHoles) := if isEmptyList saved.tac.goals then inspect saved roots else (false, false)
  let node : Node := { saved, goals, roots, beats, hasSorry, hasHoles, children := [] }
  server.nodes.modifyGet fun nodes => (nodes.size, nodes.push (some node))

def nodeAt (server : Server) (id : Nat) : IO (Option Node) := do
  match (← server.nodes.get)[id]? with
  | some found => return found
  | none => return none

/-- The known outcome of a tactic, which becomes `o` if there is none. -/
def knownOr (server : Server) (id : Nat) (key : String) (o : Outcome) : IO Outcome := do
  server.nodes.modifyGet fun nodes =>
    match nodes[id]? with
    | some (some node) =>
      match findChild key node.children with
      | some known => (known, nodes)
      | none => (o, nodes.set! id (some { node with children := (key, o) :: node.children }))
    | _ => (o, nodes)

/-- Stores the outcome of a tactic in a state, in the place of one that is known. -/
def remember (server : Server) (id : Nat) (key : String) (o : Outcome) : IO Unit := do
  server.nodes.modify fun nodes =>
    match nodes[id]? with
    | some (some node) =>
      let others := filterList (fun child => child.1 != key) node.children
      nodes.set! id (some { node with children := (key, o) :: others })
    | _ => nodes

/-- Frees a state and all that were reached from it. -/
partial def freeNode (server : Server) (id : Nat) : IO Unit := do
  match ← nodeAt server id with
  | none => return ()
  | some node =>
    server.nodes.modify fun nodes => nodes.set! id none
    freeChildren node.children
where
  freeChildren : List (String × Outcome) → IO Unit
    | [] => return ()
    | (_, o) :: rest => do
      match o.next with
      | some id => freeNode server id
      | none => pure ()
      freeChildren rest

/-! ### Opening a hole -/

/-- The syntax with a node of kind `kind` in the place of the `sorry` tactic at a byte of the text, if it is there. -/
partial def replaceHole (kind : Name) (byte : Nat) (stx : Syntax) : Option Syntax :=
  match stx with
  | .node info k args =>
    let here := match stx.getPos? with
      | some p => p.byteIdx == byte
      | none => false
    if k == `Lean.Parser.Tactic.tacticSorry && here then some (.node info kind #[])
    else match among [] args.toList with
      | some changed => some (.node info k changed.toArray)
      | none => none
  | _ => none
where
  among (before : List Syntax) : List Syntax → Option (List Syntax)
    | [] => none
    | s :: rest =>
      match replaceHole kind byte s with
      | some changed => some (reverseOnto before (changed :: rest))
      | none => among (s :: before) rest

/-- Of a node without arguments in the place of a hole. A kind that has an elaborator already: there is code to add one
to a kind's elaborators, but none to add a kind. -/
def kindOfHole : Name := `Lean.Parser.Tactic.unknown

def firstError : List Message → IO (Option String)
  | [] => return none
  | m :: rest => do
    if m.severity matches .error then return some (← m.data.toString) else firstError rest

/-- A text up to the blank after the word at `at_`: where a command ends depends on the word that follows. -/
partial def upToWordAt (text : String) (at_ : Byte) : String :=
  textBetween text {} (blankAfter at_)
where
  blankAfter (p : Byte) : Byte :=
    if p.byteIdx ≥ text.utf8ByteSize then p
    else if (charAt text p).isWhitespace then nextByte text p
    else blankAfter (nextByte text p)

/-- Elaborates the commands of a text up to the one with the hole, and that one with `capture` in the hole. -/
partial def elaborateTo (server : Server) (ictx : Parser.InputContext) (text : String) (byte : Nat)
    (start : Parser.ModuleParserState) (state : Command.State) : IO (Except String (Saved × Nat)) := do
  match state.scopes with
  | [] => return .error "there is no scope"
  | scope :: _ =>
  let pmctx : Parser.ParserModuleContext :=
    { env := state.env, options := scope.opts, currNamespace := scope.currNamespace, openDecls := scope.openDecls }
  let (stx, next, _) := Parser.parseCommand ictx pmctx start {}
  if Parser.isTerminalCommand stx then return .error "there is no `sorry` tactic at the hole"
  match replaceHole kindOfHole byte stx with
  | some changed =>
    server.captured.set none
    let ref ← IO.mkRef { state with messages := {} }
    let _ ← (elabTopLevel changed (commandContext ictx) ref).toBaseIO
    match ← server.captured.get with
    | some saved => return .ok saved
    | none =>
      match ← firstError (← ref.get).messages.toList with
      | some e => return .error ("Lean does not reach the hole: " ++ e)
      | none => return .error "Lean does not reach the hole"
  | none =>
    let ref ← IO.mkRef { state with messages := {} }
    let _ ← (elabTopLevel stx (commandContext ictx) ref).toBaseIO
    let after ← ref.get
    let after := { after with messages := {}, infoState := { enabled := false }, traceState := {} }
    server.commands.modify fun known => (upToWordAt text next.pos, next, after) :: known
    elaborateTo server ictx text byte next after

/-- The longest known beginning of a text. -/
def longestKnown (text : String) : List (String × Parser.ModuleParserState × Command.State) →
    List (String × Parser.ModuleParserState × Command.State)
  | [] => []
  | known@((done, _) :: rest) => if done.isPrefixOf text then known else longestKnown text rest

def openHole (server : Server) (text : String) (byte : Nat) : IO (Except String Nat) := holding server.opening do
  let ictx := inputOf text
  let known := longestKnown text (← server.commands.get)
  server.commands.set known
  let found ← match known with
    | (_, next, state) :: _ => elaborateTo server ictx text byte next state
    | [] => do
      let (header, load, next, messages) ← headerOf ictx options
      let env ← match ← importsOf header load messages with
        | .error e => return .error e
        | .ok env => pure env
      let state := { Command.mkState env {} options with infoState := { enabled := false } }
      server.commands.set [(upToWordAt text next.pos, next, state)]
      elaborateTo server ictx text byte next state
  match found with
  | .error e => return .error e
  | .ok (saved, beats) => return .ok (← addNode server saved saved.tac.goals beats)
where
  known (key : String) : List (String × Environment) → Option Environment
    | [] => none
    | (k, env) :: rest => if k == key then some env else known key rest
  importsOf (header : Syntax) (load : IO (Environment × MessageLog)) (messages : MessageLog) :
      IO (Except String Environment) := do
    match ← firstError messages.toList with
    | some e => return .error e
    | none =>
      -- Without the comments around it: loading modules again takes time, and memory that is not returned.
      let key := match header.getPos?, header.getTailPos? with
        | some first, some last => textBetween text first last
        | _, _ => ""
      let others ← server.imported.get
      match known key others with
      | some env => return .ok env
      | none =>
        let (env, messages) ← withoutTactics server load
        match ← firstError messages.toList with
        | some e => return .error e
        | none =>
          server.imported.set ((key, env) :: match others with | [] => [] | last :: _ => [last])
          return .ok env
  options : Options := (({} : Options).setBool `debug.skipKernelTC true).setBool `linter.all false

/-! ### Running tactics -/

structure Step where
  /-- The byte where it begins. -/
  first : Nat
  line : Nat
  column : Nat
  endLine : Nat
  endColumn : Nat
  outcome : Outcome
  elaborated : Bool

structure Input where
  text : String
  ictx : Parser.InputContext
  /-- Where the first tactic begins. -/
  block : Byte
  /-- A line after the text, which syntax errors can name. -/
  after : String

def placeOf (input : Input) (at_ : Byte) : Position := input.ictx.fileMap.toPosition at_

def noteOf (line : Nat) (m : Message) : IO Note := do
  let last := m.endPos.getD m.pos
  return { severity := match m.severity with | .error => 1 | .warning => 2 | .information => 3
           line := m.pos.line - line, column := m.pos.column
           endLine := last.line - line, endColumn := last.column, text := ← m.data.toString }

/-- The message of an exception, with names as short as in the state; none if it has been reported already, or follows from an
error that has, as Lean sees by the `sorry` that took the place of a term. -/
def messageOf (ex : Exception) (stx : Syntax) (input : Input) (ctx : Core.Context) : Option Message :=
  match ex with
  | .error ref data =>
    if data.hasSyntheticSorry then none else
    let stx := if ref.getPos?.isSome then ref else stx
    let first := stx.getPos?.getD input.block
    let last := stx.getTailPos?.getD first
    let names : NamingContext := { currNamespace := ctx.currNamespace, openDecls := ctx.openDecls }
    some { fileName := "", pos := placeOf input first, endPos := some (placeOf input last), severity := .error
           data := .withNamingContext names data }
  | .internal id _ =>
    if isAbortExceptionId id then none
    else
      let first := stx.getPos?.getD input.block
      some { fileName := "", pos := placeOf input first, severity := .error, data := "internal exception" }

partial def itemsOf {α : Type} (all : PersistentArray α) : List α := inNode all.root all.tail.toList
where
  inNode : PersistentArrayNode α → List α → List α
    | .leaf items, rest => reverseOnto (reverseOnto items.toList []) rest
    | .node nodes, rest => inNodes nodes.toList rest
  inNodes : List (PersistentArrayNode α) → List α → List α
    | [], rest => rest
    | node :: nodes, rest => inNode node (inNodes nodes rest)

/-- The infotree of a tactic as the language server has it: with a context, and the trees of the blocks in its terms in
their places. -/
def rooted (input : Input) (after : Saved) (tree : InfoTree) : InfoTree :=
  let context : CommandContextInfo :=
    { env := after.core.env, fileMap := input.ictx.fileMap, ngen := after.core.ngen, options := after.coreCtx.options
      currNamespace := after.coreCtx.currNamespace, openDecls := after.coreCtx.openDecls }
  .context (.commandCtx context) (tree.substitute after.core.infoState.assignment)

def goalsOf (after : Saved) : List GoalsAtResult → IO (List String)
  | [] => return []
  | found :: rest => do
    let info := found.tacticInfo
    let (mctx, goals) :=
      if found.useAfter then (info.mctxAfter, info.goalsAfter) else (info.mctxBefore, info.goalsBefore)
    let there := { after with metaState := { after.metaState with mctx } }
    let texts ← mapIO (fun g => goalText g there) goals
    return reverseOnto (reverseOnto texts []) (← goalsOf after rest)

/-- What the language server shows at a byte of the text. -/
def shownAt (input : Input) (after : Saved) (byte : Nat) : List InfoTree → IO (Option (List String))
  | [] => return none
  | tree :: rest => do
    match InfoTree.goalsAt? input.ictx.fileMap (rooted input after tree) ⟨byte⟩ with
    | [] => shownAt input after byte rest
    | found => return some (← goalsOf after found)

def anyError : List Note → Bool
  | [] => false
  | n :: rest => isError n || anyError rest

/-- Whether a message is an error in what begins at a place. -/
def isErrorFrom (start : Position) (m : Message) : Bool :=
  match m.severity with
  | .error => Nat.blt start.line m.pos.line || (start.line == m.pos.line && Nat.ble start.column m.pos.column)
  | _ => false

/-- Whether a message is an error in what is before a place: in what a tactic left, with which it has been reported. -/
def isErrorBefore (start : Position) (m : Message) : Bool :=
  match m.severity with
  | .error => !isErrorFrom start m
  | _ => false

/-- Runs a tactic for at most so many milliseconds. `asked`: bytes of the text in it whose goals are wanted. -/
def elaborate (server : Server) (request : Request) (node : Node) (stx : Syntax) (input : Input) (most : Nat)
    (asked : List Nat) : IO Outcome := do
  let token ← IO.CancelToken.new
  request.limit.set (some ((← IO.monoMsNow) + most, token))
  setHeartbeats node.beats
  let coreCtx :=
    { node.saved.coreCtx with
      fileName := input.ictx.fileName, fileMap := input.ictx.fileMap, ref := stx
      initHeartbeats := 0, cancelTk? := some token }
  let began ← IO.monoMsNow
  let before := { node.saved with
    core := { node.saved.core with infoState := { enabled := !isEmptyList asked } } }
  let (thrown, after) ← runFrom before coreCtx (evaluate stx)
  let start := placeOf input (stx.getPos?.getD input.block)
  let notes ← mapIO (noteOf start.line) (filterList (fun m => !isErrorBefore start m) after.core.messages.toList)
  let left := { after with core := stripped after.core }
  let (thrownAtEnd, atEnd) ← if thrown.isNone && anyError notes then runFrom left coreCtx elaborateRest else pure (none, left)
  request.limit.set none
  let beats ← IO.getNumHeartbeats
  let atEnd := atEnd.core.messages.toList
  let atEnd := match thrownAtEnd.bind (messageOf · stx input coreCtx) with
    | some m => reverseOnto (reverseOnto atEnd []) [m]
    | none => atEnd
  let notes := reverseOnto (reverseOnto notes []) (← mapIO (noteOf start.line) (filterList (isErrorFrom start) atEnd))
  let first := (stx.getPos?.getD input.block).byteIdx
  let trees := itemsOf after.core.infoState.trees
  let shown ← mapIO (fun byte => do return (byte - first, ← shownAt input after byte trees)) asked
  match thrown with
  | none =>
    let saved := { after with core := stripped after.core }
    return { next := some (← addNode server saved node.roots beats), notes, cutAfter := none, shown }
  | some ex =>
    if ex.isInterrupt || (← token.isSet) then
      -- Less than the limit if the request was cancelled: it may be tried again.
      let ran := (← IO.monoMsNow) - began
      return { next := none, notes, cutAfter := some (if ran < most then ran else most) }
    match messageOf ex stx input coreCtx with
    | none => return { next := none, notes, cutAfter := none, aborted := true, shown }
    | some m =>
      let notes := reverseOnto (reverseOnto notes []) [← noteOf start.line m]
      return { next := none, notes, cutAfter := none, shown }

/-- Parses a tactic; `block` is where its block begins. Returns it and where what follows it begins. -/
def parseTactic (saved : Saved) (input : Input) (at_ : Byte) : Option (Syntax × Byte) :=
  let ctx := saved.coreCtx
  let pmctx : Parser.ParserModuleContext :=
    { env := saved.core.env, options := ctx.options, currNamespace := ctx.currNamespace, openDecls := ctx.openDecls }
  let p := Parser.adaptCacheableContext ({ · with savedPos? := some input.block }) (Parser.categoryParser `tactic 0)
  let s := p.fn.run input.ictx pmctx (Parser.getTokenTable saved.core.env)
    { cache := Parser.initCacheForInput input.text, pos := at_ }
  match s.errorMsg with
  | some _ => none
  | none => some (s.stxStack.back, s.pos)

/-- Skips blanks and comments. -/
def skipBlanks (saved : Saved) (input : Input) (at_ : Byte) : Byte :=
  let pmctx : Parser.ParserModuleContext := { env := saved.core.env, options := {} }
  (Parser.whitespace.run input.ictx pmctx (Parser.getTokenTable saved.core.env)
    { cache := Parser.initCacheForInput input.text, pos := at_ }).pos

/-- Lean's messages on a text that is no sequence of tactics: those on a theorem with it. -/
partial def syntaxErrors (saved : Saved) (input : Input) : IO (List Note) := do
  let head := "theorem zermelo : True := by\n"
  let ictx := inputOf (head ++ input.text ++ input.after)
  let ctx := saved.coreCtx
  let pmctx : Parser.ParserModuleContext :=
    { env := saved.core.env, options := ctx.options, currNamespace := ctx.currNamespace, openDecls := ctx.openDecls }
  mapIO (noteOf 2) (collect ictx pmctx {} {}).toList
where
  collect (ictx : Parser.InputContext) (pmctx : Parser.ParserModuleContext) (state : Parser.ModuleParserState)
      (messages : MessageLog) : MessageLog :=
    let (stx, next, messages) := Parser.parseCommand ictx pmctx state messages
    if Parser.isTerminalCommand stx || messages.hasErrors then messages else collect ictx pmctx next messages

def isAtEnd (input : Input) (at_ : Byte) : Bool := at_.byteIdx ≥ input.text.utf8ByteSize

/-- Whether a tactic may begin here: at the column of its block. -/
def continues (input : Input) (last at_ : Byte) : Bool :=
  let here := placeOf input at_
  here.column == (placeOf input input.block).column && here.line > (placeOf input last).line

structure Ran where
  steps : List Step
  state : Nat
  syntaxNotes : List Note

/-- A tactic to run in a state, until a time in milliseconds. -/
structure TacticCall where
  id : Nat
  stx : Syntax
  input : Input
  /-- Its text and columns: what its outcome is known by. -/
  key : String
  first : Nat
  /-- Bytes of the text in it whose goals are wanted. -/
  asked : List Nat
  ends : Nat

/-- The outcome of a tactic, and whether it had to be elaborated for it. -/
def knownOrElaborated (server : Server) (request : Request) (node : Node) (call : TacticCall) : IO (Outcome × Bool) := do
  let node := (← nodeAt server call.id).getD node
  let most := call.ends - (← IO.monoMsNow)
  match ← stillValid most (findChild call.key node.children) with
  | none =>
    let o ← elaborate server request node call.stx call.input most call.asked
    remember server call.id call.key o
    return (o, true)
  | some o =>
    if allOf (fun byte => (findByte (byte - call.first) o.shown).isSome) call.asked then return (o, false)
    let again ← elaborate server request node call.stx call.input most call.asked
    match again.next with  -- the state that is known stays the one after it
    | some copy => freeNode server copy
    | none => pure ()
    let o := { o with shown := reverseOnto again.shown o.shown }
    remember server call.id call.key o
    return (o, true)
where
  stillValid (most : Nat) : Option Outcome → IO (Option Outcome)
    | none => return none
    | some o => do
      match o.cutAfter with
      | some ms => return if most ≤ ms then some o else none
      | none =>
        match o.next with
        | none => return some o
        | some id => return if (← nodeAt server id).isSome then some o else none

/-- The same. While another request elaborates this tactic in this state, it waits, and then knows its outcome. -/
partial def outcomeOf (server : Server) (request : Request) (node : Node) (call : TacticCall) : IO (Outcome × Bool) := do
  let isMine ← server.elaborating.modifyGet fun others =>
    if contains others then (false, others) else (true, (call.id, call.key) :: others)
  if isMine then
    releasing (server.elaborating.modify (filterList fun other => !isThis other))
      (besideTactics server (knownOrElaborated server request node call))
  else if (← IO.monoMsNow) ≥ call.ends || (← request.unwanted.get) then
    return ({ next := none, notes := [], cutAfter := some 0 }, false)
  else
    IO.sleep 2
    outcomeOf server request node call
where
  isThis (other : Nat × String) : Bool := other.1 == call.id && other.2 == call.key
  contains : List (Nat × String) → Bool
    | [] => false
    | other :: rest => isThis other || contains rest

/-- Runs a sequence of tactics from a state, each as far as it is not known, until a time in milliseconds. -/
partial def runSequence (server : Server) (request : Request) (id : Nat) (node : Node) (input : Input)
    (at_ : Byte) (ends : Nat) (stop : Bool) (asked : List Nat) (steps : List Step) : IO Ran := do
  let failed := do return { steps := reverseOnto steps [], state := id, syntaxNotes := ← syntaxErrors node.saved input }
  match parseTactic node.saved input at_ with
  | none => failed
  | some (stx, next) =>
    let first := stx.getPos?.getD at_
    let last := stx.getTailPos?.getD next
    let from_ := placeOf input first
    let to_ := placeOf input last
    let key := s!"{(placeOf input input.block).column} {from_.column} {textBetween input.text first last}"
    let here := filterList (fun byte => Nat.ble first.byteIdx byte && Nat.blt byte next.byteIdx) asked
    let (outcome, elaborated) ← outcomeOf server request node
      { id, stx, input, key, first := first.byteIdx, asked := here, ends }
    let steps :=
      { first := first.byteIdx, line := from_.line - 1, column := from_.column, endLine := to_.line - 1, endColumn := to_.column, outcome,
        elaborated : Step } :: steps
    match outcome.next with
    | none => return { steps := reverseOnto steps [], state := id, syntaxNotes := [] }
    | some nextId =>
      let done : Ran := { steps := reverseOnto steps [], state := nextId, syntaxNotes := [] }
      if stop && anyError outcome.notes then return done
      match ← nodeAt server nextId with
      | none => return done
      | some nextNode =>
        if isAtEnd input next then return done
        let (sep, next) := afterSemicolon nextNode input next
        if isAtEnd input next then return done
        if sep || continues input last next then runSequence server request nextId nextNode input next ends stop asked steps
        else return { done with syntaxNotes := ← syntaxErrors nextNode.saved input }
where
  afterSemicolon (node : Node) (input : Input) (at_ : Byte) : Bool × Byte :=
    if charAt input.text at_ == ';' then (true, skipBlanks node.saved input (nextByte input.text at_)) else (false, at_)

/-! ### Requests -/

def stepJson (server : Server) (s : Step) : IO Json := do
  let goals ← match s.outcome.next with
    | none => pure Json.null
    | some id => do
      match ← nodeAt server id with
      | some node => pure (stringsJson node.goals)
      | none => pure Json.null
  return Json.mkObj [("from", placeJson s.line s.column), ("to", placeJson s.endLine s.endColumn),
    ("state", match s.outcome.next with | some id => numberJson id | none => Json.null), ("goals", goals),
    ("notes", listJson (mapList (noteJson s.line) s.outcome.notes)),
    ("cut", Json.bool s.outcome.cutAfter.isSome), ("aborted", Json.bool s.outcome.aborted), ("elaborated", Json.bool s.elaborated)]

abbrev Answer := Except String (List (String × Json))

def answerOpen (server : Server) (j : Json) : IO Answer := do
  match stringField j "text", natField j "at" with
  | .ok text, .ok byte =>
    match ← openHole server text byte with
    | .error e => return .error e
    | .ok id =>
      match ← nodeAt server id with
      | none => return .error "the state is gone"
      | some node => return .ok [("state", numberJson id), ("goals", stringsJson node.goals)]
  | _, _ => return .error "`open` needs a text and the byte of the hole"

/-- Runs a text from a state until a time in milliseconds. -/
def runText (server : Server) (request : Request) (id : Nat) (node : Node) (text after : String) (ends : Nat)
    (stop : Bool) (asked : List Nat) : IO Ran := do
  let ictx := inputOf text
  let input : Input := { text, ictx, block := {}, after }
  let first := skipBlanks node.saved input {}
  if isAtEnd input first then return { steps := [], state := id, syntaxNotes := [] }
  runSequence server request id node { input with block := first } first ends stop asked []

def ranFields (server : Server) (node : Node) (ran : Ran) : IO (List (String × Json)) := do
  let last := (← nodeAt server ran.state).getD node
  return [("steps", listJson (← mapIO (stepJson server) ran.steps)),
    ("syntax", listJson (mapList (noteJson 0) ran.syntaxNotes)), ("state", numberJson ran.state),
    ("goals", stringsJson last.goals), ("sorry", Json.bool last.hasSorry), ("holes", Json.bool last.hasHoles)]

def answerRun (server : Server) (request : Request) (j : Json) : IO Answer := do
  match stringField j "text", natField j "state", natField j "ms" with
  | .ok text, .ok id, .ok most =>
    match ← nodeAt server id with
    | none => return .error "there is no such state"
    | some node =>
      let asked := numbersField j "goals_at"
      let ran ← runText server request id node text "" ((← IO.monoMsNow) + most) (flagField j "stop") asked
      let shown := mapList (fun byte => shownJson (findShown byte ran.steps)) asked
      return .ok (("goals_at", listJson shown) :: (← ranFields server node ran))
  | _, _, _ => return .error "`run` needs a text, a state and a number of milliseconds"
where
  findShown (byte : Nat) : List Step → Option (List String)
    | [] => none
    | s :: rest =>
      match findByte (byte - s.first) s.outcome.shown with
      | some shown => if Nat.ble s.first byte then shown else none
      | none => findShown byte rest
  shownJson : Option (List String) → Json
    | none => Json.null
    | some goals => stringsJson goals

/-- The state with the first goal only, which has no name, as in a `case`; none if there is no goal. -/
def firstGoal (server : Server) (id : Nat) (node : Node) : IO (Option Nat) := do
  match node.saved.tac.goals, findChild key node.children with
  | [], _ => return none
  | _, some { next := some known, .. } => return some known
  | goal :: _, _ =>
    let metaState := node.saved.metaState
    let saved := { node.saved with
      tac := { goals := [goal] }
      metaState := { metaState with mctx := metaState.mctx.setMVarUserName goal .anonymous } }
    let first ← addNode server saved [goal] node.beats
    let reached : Outcome := { next := some first, notes := [], cutAfter := none }
    let known ← knownOr server id key reached
    if known.next != some first then freeNode server first
    return known.next
where
  key := "first goal"

def failed (ran : Ran) : Bool := !isEmptyList ran.syntaxNotes || lastFailed ran.steps
where
  lastFailed : List Step → Bool
    | [] => false
    | [s] => s.outcome.next.isNone
    | _ :: rest => lastFailed rest

/-- Runs each text from a state for at most `each` milliseconds. Ends early at a time, or when the request is unwanted. -/
partial def tryTexts (server : Server) (request : Request) (id : Nat) (node : Node) (after : String)
    (each ends : Nat) : List String → IO (List Json)
  | [] => return []
  | text :: rest => do
    let now ← IO.monoMsNow
    if now ≥ ends || (← request.unwanted.get) then return []
    let node := (← nodeAt server id).getD node
    let ran ← runText server request id node text after (Nat.min ends (now + each)) false []
    let cutShort := Nat.ble ends (now + each) || (← request.unwanted.get)
    if cutShort && anyCut ran.steps then return []
    let answer := Json.mkObj (← ranFields server node ran)
    return answer :: (← tryTexts server request id node after each ends rest)
where
  anyCut : List Step → Bool
    | [] => false
    | s :: rest => s.outcome.cutAfter.isSome || anyCut rest

def answerTry (server : Server) (request : Request) (j : Json) : IO Answer := do
  match natField j "state", stringField j "before", stringsField j "texts", stringField j "after", natField j "each",
    natField j "ms" with
  | .ok id, .ok before, .ok texts, .ok after, .ok each, .ok most =>
    match ← nodeAt server id with
    | none => return .error "there is no such state"
    | some node =>
      let ends := (← IO.monoMsNow) + most
      let ran ← runText server request id node before after ends false []
      let reached := (← nodeAt server ran.state).getD node
      let goal ← if failed ran then pure none else firstGoal server ran.state reached
      match goal with
      | none => return .ok [("tried", listJson [])]
      | some first =>
        return .ok [("tried", listJson (← tryTexts server request first reached after each ends texts))]
  | _, _, _, _, _, _ => return .error "`try` needs a state, tactics, texts and two numbers of milliseconds"

def answerFree (server : Server) (j : Json) : IO Answer := do
  match natField j "state" with
  | .error _ => return .error "`free` needs a state"
  | .ok id =>
    freeNode server id
    return .ok []

def answer (server : Server) (request : Request) : IO Answer := do
  match stringField request.json "method", request.json.getObjVal? "params" with
  | .ok "open", .ok params => answerOpen server params
  | .ok "run", .ok params => answerRun server request params
  | .ok "try", .ok params => answerTry server request params
  | .ok "free", .ok params => answerFree server params
  | .ok "ping", _ => return .ok [("version", Json.str Lean.versionString)]
  | _, _ => return .error "there is no such method"

/-! ### The connection: JSON-RPC in the frames of LSP -/

/-- The length of the next frame's body; none at the end of the input. -/
partial def readHeader (input : IO.FS.Stream) (length : Nat) : IO (Option Nat) := do
  let line ← input.getLine
  if line.isEmpty then return none
  if line == "\r\n" then return some length
  let head := "Content-Length: "
  if head.isPrefixOf line then
    readHeader input (digits line head.utf8ByteSize 0)
  else readHeader input length
where
  digits (line : String) (byte value : Nat) : Nat :=
    let p : Byte := ⟨byte⟩
    if byte < line.utf8ByteSize && (charAt line p).isDigit then
      digits line (byte + 1) (10 * value + ((charAt line p).toNat - 48))
    else value

partial def readBody (input : IO.FS.Stream) (length : Nat) (have_ : ByteArray) : IO ByteArray := do
  if have_.size ≥ length then return have_
  let more ← input.read (USize.ofNat (length - have_.size))
  if more.isEmpty then return have_
  readBody input length (have_ ++ more)

def writeAnswer (output : IO.FS.Stream) (id : Nat) (key : String) (value : Json) : IO Unit := do
  let body := (Json.mkObj [("jsonrpc", Json.str "2.0"), ("id", numberJson id), (key, value)]).compress
  output.putStr s!"Content-Length: {body.utf8ByteSize}\r\n\r\n{body}"
  output.flush

def answerTo (server : Server) (output : IO.FS.Stream) (request : Request) : IO Unit := do
  let result ← try answer server request catch e => pure (.error (toString e))
  holding server.writing do
    match result with
    | .ok fields => writeAnswer output request.id "result" (Json.mkObj fields)
    | .error e => writeAnswer output request.id "error" (Json.mkObj [("message", Json.str e)])

/-- The next request for a thread; none at the end of the input. -/
def nextRequest (server : Server) : IO (Option Request) := do
  let inbox : Inbox ← IO.Promise.new
  let (first, atEnd) ← server.queue.modifyGet fun queue =>
    match queue.requests with
    | request :: rest => ((some request, false), { queue with requests := rest })
    | [] => ((none, queue.atEnd), { queue with idle := inbox :: queue.idle })
  if first.isSome || atEnd then return first
  await inbox

/-- Answers requests, one after another. -/
partial def work (server : Server) (output : IO.FS.Stream) : IO Unit := do
  match ← nextRequest server with
  | none => return ()
  | some request =>
    answerTo server output request
    server.underWay.modify (filterList fun other => other.id != request.id)
    work server output

/-- Gives a request to a thread that has none, or to the first that ends its own. -/
def enqueue (server : Server) (request : Request) : IO Unit := do
  server.underWay.modify (request :: ·)
  let idle ← server.queue.modifyGet fun queue =>
    match queue.idle with
    | inbox :: rest => (some inbox, { queue with idle := rest })
    | [] => (none, { queue with requests := reverseOnto (reverseOnto queue.requests []) [request] })
  match idle with
  | some inbox => inbox.resolve (some request)
  | none => return ()

def cancel (id : Nat) : List Request → IO Unit
  | [] => return ()
  | request :: rest => do
    if request.id == id then request.unwanted.set true
    cancel id rest

def resolveAll : List Inbox → IO Unit
  | [] => return ()
  | inbox :: rest => do
    inbox.resolve none
    resolveAll rest

/-- Reads requests while other threads answer them, so that those under way can be cancelled. -/
partial def serve (server : Server) (input : IO.FS.Stream) : IO Unit := do
  match ← readHeader input 0 with
  | none => resolveAll (← server.queue.modifyGet fun queue => (queue.idle, { queue with idle := [], atEnd := true }))
  | some length =>
    let body ← readBody input length ByteArray.empty
    match Json.parse (String.fromUTF8! body) with
    | .error _ => pure ()
    | .ok json =>
      match stringField json "method", json.getObjVal? "params" with
      | .ok "cancel", .ok params =>
        match natField params "id" with
        | .ok id => cancel id (← server.underWay.get)
        | .error _ => pure ()
      | _, _ =>
        let id := match natField json "id" with
          | .ok n => n
          | .error _ => 0
        enqueue server { id, json, limit := ← IO.mkRef none, unwanted := ← IO.mkRef false }
    serve server input

/-- Ends tactics at their limit, or when their request is no longer wanted. -/
partial def watch (server : Server) : IO Unit := do
  IO.sleep 20
  endDue (← IO.monoMsNow) (← server.underWay.get)
  watch server
where
  endDue (now : Nat) : List Request → IO Unit
    | [] => return ()
    | request :: rest => do
      match ← request.limit.get with
      | none => pure ()
      | some (ends, token) => if now ≥ ends || (← request.unwanted.get) then token.set
      endDue now rest

/-- Starts threads that answer requests. -/
def startThreads (server : Server) (output : IO.FS.Stream) : Nat → IO (List (Task (Except IO.Error Unit)))
  | 0 => return []
  | more + 1 => do
    let working ← IO.asTask (work server output) .dedicated
    return working :: (← startThreads server output more)

def joinAll : List (Task (Except IO.Error Unit)) → IO Unit
  | [] => return ()
  | working :: rest => do
    let _ ← IO.wait working
    joinAll rest

/-- The number of threads that the command line asks for. -/
def threadsOf : List String → Nat
  | [] => 1
  | threads :: _ => threads.toNat?.getD 1

/-- Answers requests from standard input. -/
unsafe def start (arguments : List String) : IO Unit := do
  let captured ← IO.mkRef none
  -- Environments that are imported from now on have it.
  addTactic kindOfHole `Zermelo.capture (capture captured)
  let server : Server :=
    { nodes := ← IO.mkRef #[], elaborating := ← IO.mkRef [], gate := ← IO.mkRef {}, opening := ← IO.mkRef false
      commands := ← IO.mkRef [], captured, imported := ← IO.mkRef [], queue := ← IO.mkRef {}
      underWay := ← IO.mkRef [], writing := ← IO.mkRef false }
  let _ ← IO.asTask (watch server) .dedicated
  let working ← startThreads server (← IO.getStdout) (threadsOf arguments)
  serve server (← IO.getStdin)
  joinAll working

end Zermelo

-- The embedded Lean does not find `main` without `public`, and before 4.22 that is no word of Lean.
run_cmd do
  let main := "unsafe def main : List String → IO Unit := Zermelo.start"
  let env ← getEnv
  match Parser.runParserCategory env `command ("public " ++ main) with
  | .ok stx => Command.elabCommand stx
  | .error _ =>
    match Parser.runParserCategory env `command main with
    | .ok stx => Command.elabCommand stx
    | .error _ => return ()
