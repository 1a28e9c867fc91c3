#!/usr/bin/env python3
"""Statements to learn from: random equalities, inequalities and implications that hold on every value that is tried.

As QuickSpec (Claessen, Smallbone, Hughes 2010) finds laws: terms of one type that have the same values on all samples are
likely to be equal. Whether a statement is a theorem is decided by Lean, when the built-in policy tries to prove it.
`synthetic.py COUNT [SEED]` prints statements.
"""
import itertools
import json
import random
import sys

VARIABLES = {"Nat": "abc", "Int": "xyz", "List Nat": ("us", "vs"), "Bool": "st", "Prop": "pqr"}


def divided(a, b):
    """Lean's `/` and `%` of natural numbers."""
    return (0, a) if b == 0 else divmod(a, b)


# (type, types of the arguments, Lean, the value)
OPERATIONS = [
    *(("Nat", (), str(n), lambda n=n: n) for n in range(4)),
    ("Nat", ("Nat", "Nat"), "({} + {})", lambda a, b: a + b),
    ("Nat", ("Nat", "Nat"), "({} * {})", lambda a, b: a * b),
    ("Nat", ("Nat", "Nat"), "({} - {})", lambda a, b: max(0, a - b)),
    ("Nat", ("Nat", "Nat"), "({} / {})", lambda a, b: divided(a, b)[0]),
    ("Nat", ("Nat", "Nat"), "({} % {})", lambda a, b: divided(a, b)[1]),
    ("Nat", ("Nat", "Nat"), "(min {} {})", min),
    ("Nat", ("Nat", "Nat"), "(max {} {})", max),
    ("Nat", ("List Nat",), "{}.length", len),
    ("Nat", ("List Nat",), "{}.sum", sum),
    *(("Int", (), str(n), lambda n=n: n) for n in range(3)),
    ("Int", ("Int",), "(-{})", lambda a: -a),
    ("Int", ("Int", "Int"), "({} + {})", lambda a, b: a + b),
    ("Int", ("Int", "Int"), "({} - {})", lambda a, b: a - b),
    ("Int", ("Int", "Int"), "({} * {})", lambda a, b: a * b),
    ("Int", ("Int",), "({} ^ 2)", lambda a: a * a),
    ("List Nat", (), "(@List.nil Nat)", tuple),
    ("List Nat", ("Nat", "List Nat"), "({} :: {})", lambda a, xs: (a, *xs)),
    ("List Nat", ("List Nat", "List Nat"), "({} ++ {})", lambda xs, ys: xs + ys),
    ("List Nat", ("List Nat",), "{}.reverse", lambda xs: xs[::-1]),
    ("List Nat", ("List Nat",), "{}.tail", lambda xs: xs[1:]),
    ("List Nat", ("List Nat",), "({}.map (· + 1))", lambda xs: tuple(x + 1 for x in xs)),
    ("List Nat", ("List Nat",), "({}.filter (0 < ·))", lambda xs: tuple(x for x in xs if x > 0)),
    ("List Nat", ("Nat", "List Nat"), "({1}.take {0})", lambda n, xs: xs[:n]),
    ("List Nat", ("Nat", "List Nat"), "({1}.drop {0})", lambda n, xs: xs[n:]),
    ("Bool", (), "true", lambda: True),
    ("Bool", (), "false", lambda: False),
    ("Bool", ("Bool",), "(!{})", lambda s: not s),
    ("Bool", ("Bool", "Bool"), "({} && {})", lambda s, t: s and t),
    ("Bool", ("Bool", "Bool"), "({} || {})", lambda s, t: s or t),
    ("Bool", ("List Nat",), "{}.isEmpty", lambda xs: not xs),
    ("Bool", ("Nat", "List Nat"), "({1}.contains {0})", lambda a, xs: a in xs),
    ("Prop", ("Prop",), "(¬{})", lambda p: not p),
    ("Prop", ("Prop", "Prop"), "({} ∧ {})", lambda p, q: p and q),
    ("Prop", ("Prop", "Prop"), "({} ∨ {})", lambda p, q: p or q),
    ("Prop", ("Prop", "Prop"), "({} → {})", lambda p, q: not p or q),
    ("Prop", ("Prop", "Prop"), "({} ↔ {})", lambda p, q: p == q),
]
RELATIONS = {  # of two terms of a type
    "Nat": (("=", lambda a, b: a == b), ("≤", lambda a, b: a <= b), ("<", lambda a, b: a < b), ("≠", lambda a, b: a != b)),
    "Int": (("=", lambda a, b: a == b), ("≤", lambda a, b: a <= b), ("<", lambda a, b: a < b)),
    "List Nat": (("=", lambda a, b: a == b),),
    "Bool": (("=", lambda a, b: a == b),),
}


class Generator:
    def __init__(self, seed, samples=300):
        self.random = random.Random(seed)
        self.samples = [self.sample() for _ in range(samples)]
        # All truth values, as often as needed.
        for sample, values in zip(self.samples, itertools.cycle(itertools.product((False, True), repeat=3))):
            sample.update(zip(VARIABLES["Prop"], values))

    def sample(self):
        draw = self.random.randrange
        values = {name: draw(6) for name in VARIABLES["Nat"]} | {name: draw(-4, 5) for name in VARIABLES["Int"]}
        values |= {name: tuple(draw(4) for _ in range(draw(5))) for name in VARIABLES["List Nat"]}
        return values | {name: draw(2) == 1 for name in VARIABLES["Bool"]}

    def term(self, kind, depth):
        """(Lean, the values in all samples, the variables' names)"""
        if depth == 0 or self.random.random() < 0.15:
            name = self.random.choice(VARIABLES[kind])
            return name, tuple(sample[name] for sample in self.samples), {name}
        _, arguments, text, value = self.random.choice([operation for operation in OPERATIONS if operation[0] == kind])
        parts = [self.term(argument, depth - 1) for argument in arguments]
        values = tuple(value(*(part[1][i] for part in parts)) for i in range(len(self.samples)))
        return text.format(*(part[0] for part in parts)), values, set().union(*(part[2] for part in parts))

    def claim(self, depth):
        """(Lean, where it holds, the variables' names)"""
        kind = self.random.choice(list(VARIABLES))
        if kind == "Prop":
            return self.term("Prop", depth)
        relation, holds = self.random.choice(RELATIONS[kind])
        left, right = (self.term(kind, self.random.randint(0, depth)) for _ in range(2))
        if left[0] == right[0]:
            return self.claim(depth)
        values = tuple(holds(a, b) for a, b in zip(left[1], right[1]))
        sides = [term[0] if kind == "Bool" else outer(term[0]) for term in (left, right)]  # `=` binds tighter than `&&`
        return f"{sides[0]} {relation} {sides[1]}", values, left[2] | right[2]

    def statement(self):
        """(hypotheses, claim, variables): the claim holds where the hypotheses do, and not without one of them, about which it
        says something. Few samples would make chance look like a law."""
        while True:
            hypotheses = [self.claim(1) for _ in range(self.random.choice((0, 0, 1, 2)))]
            where = [i for i in range(len(self.samples)) if all(h[1][i] for h in hypotheses)]
            if len(where) < 20:
                continue
            for _ in range(200):
                text, holds, names = self.claim(3 - bool(hypotheses))
                if not names or not all(holds[i] for i in where):
                    continue
                if any(text == h[0] or not names & h[2] for h in hypotheses):
                    continue
                if all(any(all(h[1][i] for h in hypotheses if h is not other) and not holds[i] for i in range(len(holds)))
                       for other in hypotheses):
                    return hypotheses, text, names.union(*(h[2] for h in hypotheses))


def outer(text):
    """Without the parentheses around all of a term."""
    if not text.startswith("("):
        return text
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[1:-1] if at == len(text) - 1 else text
    return text


def statements(count, seed):
    """Problems as `zermelo eval` reads them, all different, the same ones for a seed."""
    generator, found = Generator(seed), {}
    while len(found) < count:
        hypotheses, claim, names = generator.statement()
        binders = [f"({' '.join(sorted(names & set(of)))} : {kind})" for kind, of in VARIABLES.items() if names & set(of)]
        binders += [f"(h{i} : {outer(text)})" for i, (text, _, _) in enumerate(hypotheses, 1)]
        found.setdefault(f"{' '.join(binders)} : {outer(claim)}", None)
    return [{"name": f"synthetic_{seed}_{number}", "category": f"synthetic.{number // 10}", "header": "",
             "formal_statement": f"theorem synthetic_{seed}_{number} {text} := by\n  sorry"}
            for number, text in enumerate(found, 1)]


if __name__ == "__main__":
    for row in statements(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1):
        print(json.dumps(row, ensure_ascii=False))
