// Lean code with its words, comments, strings and numbers marked.

type Kind = "" | "word" | "comment" | "string" | "number" | "sorry";

export interface Token {
  begin: number;
  end: number;
  kind: Kind;
}

const WORDS = new Set(("abbrev attribute axiom by calc case class def deriving do else end example exists export extends finally for forall from fun have "
  + "hiding if import in inductive infix infixl infixr instance let macro match mutual namespace noncomputable notation obtain open opaque "
  + "partial postfix prefix private protected public renaming return section set_option show structure suffices syntax termination_by then "
  + "theorem lemma universe unsafe using variable where with at").split(" "));
const HOLES = new Set(["sorry", "admit", "sorryAx"]);
const NEXT = /--[^\n]*|\/-|"(?:[^"\\]|\\[^])*"?|[\p{L}_][\p{L}\p{N}_'!?.₀-₉]*|\p{N}[\p{N}.]*/gu;

/** The end of a block comment that begins at `from`; they nest. */
function commentEnd(text: string, from: number): number {
  const ends = /\/-|-\//g;
  let depth = 0;
  ends.lastIndex = from;
  for (let found = ends.exec(text); found; found = ends.exec(text)) {
    depth += found[0] === "/-" ? 1 : -1;
    if (depth === 0) return ends.lastIndex;
  }
  return text.length;
}

function kindOf(token: string): Kind {
  if (token.startsWith("--")) return "comment";
  if (token.startsWith("\"")) return "string";
  if (/^\p{N}/u.test(token)) return "number";
  return WORDS.has(token) ? "word" : HOLES.has(token) ? "sorry" : "";
}

/** The tokens that are marked, in order. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  NEXT.lastIndex = 0;
  for (let found = NEXT.exec(text); found; found = NEXT.exec(text)) {
    const begin = found.index;
    const kind = found[0] === "/-" ? "comment" : kindOf(found[0]);
    if (found[0] === "/-") NEXT.lastIndex = commentEnd(text, begin);
    if (kind !== "") tokens.push({ begin, end: NEXT.lastIndex, kind });
  }
  return tokens;
}

/** The index of the first token that ends after `place`. */
function firstAfter(tokens: Token[], place: number): number {
  let low = 0, high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tokens[middle].end <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A part of a text of which the tokens are given. */
export function Marked({ text, tokens, begin = 0, end = text.length }: { text: string; tokens: Token[]; begin?: number; end?: number }) {
  const parts = [];
  let at = begin;
  for (let i = firstAfter(tokens, begin); i < tokens.length && tokens[i].begin < end; ++i) {
    const token = tokens[i], from = Math.max(token.begin, begin), to = Math.min(token.end, end);
    if (from > at) parts.push(text.slice(at, from));
    parts.push(<span class={`lean-${token.kind}`}>{text.slice(from, to)}</span>);
    at = to;
  }
  return <>{parts}{text.slice(at, end)}</>;
}
