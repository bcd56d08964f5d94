import re
from collections import Counter

import torch

from tutor.judge.spec import Case, Work

KIND = 'R.Tensor((2, 3), "float32")'
_NO_OPERATION = ("Tensor", "dataflow", "output", "const", "function", "Tuple", "tuple", "func_attr")


def functions_of(source):
    """The lines of each Relax function of a module, by name."""
    parts = re.split(r"@R\.function.*\n +def (\w+)", source)
    return dict(zip(parts[1::2], [part.split("@T.")[0] for part in parts[2::2]], strict=True))


def count(functions, name):
    """How often each operation runs in one call of a function."""
    counts, body = Counter(), functions[name]
    counts.update(re.findall(r"R\.call_tir\(cls\.(\w+)", body))
    operations = re.findall(r"R\.([\w.]+)\(", body)
    counts.update(each for each in operations if each not in (*_NO_OPERATION, "call_tir"))
    for called in re.findall(r"(?<!call_tir\()cls\.(\w+)\(", body):
        counts.update(count(functions, called))
    return counts


def reference(source, names):
    counts = count(functions_of(source), "main")
    return torch.tensor([*(counts[name] for name in names.split()), sum(counts.values())])


eager = reference


def work(source, names):
    return Work(bytes=len(source), flops=0)


def explain_wrong(got, source, names):
    """One sentence where the counts are those of a known mistake, else None."""
    functions = functions_of(source)
    asked, got = names.split(), got.tolist()
    right = count(functions, "main")
    for name, found in zip(asked, got, strict=False):
        if found != right[name]:
            return f"`{name}` is counted {found} times. It runs {right[name]} times."
    return (
        f"The sum of all counts is {got[-1]} in place of {sum(right.values())}, "
        f"and the counts of {names.replace(' ', ', ')} are right: something else is counted or left out."
    )


def relax_function(name, lines, returned="r", parameters="x"):
    """The text of a Relax function on tensors [2, 3]; lines after a bar stand outside its block."""
    given = ", ".join(f"{each}: {KIND}" for each in parameters.split())
    head = "@R.function" if name == "main" else "@R.function(private=True)"
    inside, _, outside = lines.partition(" | ")
    output = inside.split("; ")[-1].split()[0] if outside else returned
    body = "".join(f"            {line}\n" for line in inside.split("; "))
    after = "".join(f"        {line}\n" for line in outside.split("; ") if line)
    return (
        f"    {head}\n    def {name}({given}) -> {KIND}:\n        cls = Module\n"
        f"        with R.dataflow():\n{body}            R.output({output})\n"
        f"{after}        return {returned}\n"
    )


def loops(name):
    """The text of a function of loops that doubles a tensor [2, 3]."""
    return (
        "    @T.prim_func(private=True, s_tir=True)\n"
        f'    def {name}(a: T.Buffer((2, 3), "float32"), b: T.Buffer((2, 3), "float32")):\n'
        f'        for i, j in T.grid(2, 3):\n            with T.sblock("{name}"):\n'
        '                v_i, v_j = T.axis.remap("SS", [i, j])\n'
        "                b[v_i, v_j] = a[v_i, v_j] * T.float32(2)\n"
    )


def module(*functions):
    return "@I.ir_module\nclass Module:\n" + "".join(functions)


def tir(name, given):
    return f'R.call_tir(cls.{name}, ({given},), out_ty=R.Tensor((2, 3), "float32"))'


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


FORMS = ("R.exp({a})", "R.add({a}, {b})", "R.multiply({a}, {b})", "R.nn.relu({a})", "loops", "call")


def drawn(g):
    """A chain of functions that call earlier ones, and loops, several times each."""
    functions = []
    for at in range(3):
        values, lines = ["x"], []
        for row in range(draw(g, 3, 7)):
            a, b = (values[draw(g, 0, len(values))] for _ in "ab")
            form = FORMS[draw(g, 0, 6 if at else 5)]
            if form == "loops":
                form = tir("twice", a)
            elif form == "call":
                form = f"cls.part{draw(g, 0, at)}({a})"
            lines.append(f"v{row} = {form.format(a=a, b=b)}")
            values.append(f"v{row}")
        name = "main" if at == 2 else f"part{at}"
        functions.append(relax_function(name, "; ".join(lines), values[-1]))
    return module(loops("twice"), *functions), "exp add multiply nn.relu twice"


PART = {"part": "a = R.exp(x); r = R.add(a, x)"}
NAMED = (  # the names that are asked for, names of loops, and the lines of each function
    ("three operations", "exp add nn.relu", "",
     {"main": "a = R.exp(x); b = R.add(a, a); r = R.nn.relu(b)"}),
    ("one operation four times", "exp", "",
     {"main": "a = R.exp(x); b = R.exp(a); c = R.exp(x); r = R.exp(c)"}),
    ("a value read three times", "exp add", "",
     {"main": "a = R.exp(x); b = R.add(a, a); r = R.add(b, a)"}),
    ("a result that nobody reads", "exp tanh", "", {"main": "a = R.tanh(x); r = R.exp(x)"}),
    ("operations after a dataflow block", "exp add tanh", "",
     {"main": "a = R.exp(x); b = R.add(a, x) | c = R.tanh(b); r = R.exp(c)"}),
    ("a tuple and its elements", "exp add", "",
     {"main": "a = R.exp(x); t = (a, x); b = t[0]; c = t[1]; r = R.add(b, c)"}),
    ("a constant", "multiply", "", {"main": 'r = R.multiply(x, R.const(2.0, "float32"))'}),
    ("names with a dot", "nn.relu nn.gelu relu", "",
     {"main": "a = R.nn.relu(x); r = R.nn.gelu(a)"}),
    ("loops, called twice", "twice other exp", "twice other",
     {"main": f"a = {tir('twice', 'x')}; b = R.exp(a); "
              f"c = {tir('twice', 'b')}; r = {tir('other', 'c')}"}),
    ("a function called three times", "exp add nn.relu", "",
     {**PART, "main": "a = cls.part(x); b = cls.part(a); c = cls.part(b); r = R.nn.relu(c)"}),
    ("functions in functions", "exp add twice", "twice",
     {**PART, "two": f"a = cls.part(x); b = {tir('twice', 'a')}; r = cls.part(b)",
      "main": "a = cls.two(x); b = cls.two(a); r = cls.part(b)"}),
    ("functions four deep", "exp add", "",
     {**PART, "two": "r = cls.part(x)", "three": "a = cls.two(x); r = cls.two(a)",
      "four": "r = cls.three(x)", "main": "a = cls.four(x); r = R.exp(a)"}),
    ("a function that nobody calls", "exp tanh", "",
     {**PART, "lost": "a = R.tanh(x); r = R.tanh(a)", "main": "r = cls.part(x)"}),
)  # fmt: skip


def made(names, nests, functions):
    """The `make` of a case: a module of these functions, and the names that are asked for."""
    text = module(
        *map(loops, nests.split()), *(relax_function(*each) for each in functions.items())
    )
    return lambda g: (text, names)


DRAWN = ("drawn", "drawn again", "drawn a third time")
CASES = (
    *(Case(name, made(*rest)) for name, *rest in NAMED),
    *(Case(name, drawn) for name in DRAWN),
)
