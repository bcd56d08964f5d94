import torch

from tutor.judge.spec import Case, Work


def sizes_in(word, known):
    """The sizes of a word such as float32[q,p+1]."""
    return [eval(each, {}, known) for each in word.split("[")[1].rstrip("]").split(",")]


def computed(text, operands):
    """The results of a line `def` for these tensors and numbers."""
    head, bodies = text.removeprefix("def ").split(" : ")
    left, right = head.split(" -> ")
    known = {}
    given = dict(zip([word.split("[")[0] for word in left.split()[1:]], operands, strict=True))
    for word, operand in zip(left.split()[1:], operands, strict=True):
        if "[" not in word:
            known[word] = operand
            continue
        for letter, size in zip(
            word.split("[")[1].rstrip("]").split(","), operand.shape, strict=True
        ):
            if letter.isalpha():
                known[letter] = size
    results = []
    for word, body in zip(right.split(), bodies.split(" ; "), strict=True):
        sizes = sizes_in(word, known)
        device = next(each for each in operands if isinstance(each, torch.Tensor)).device
        grids = torch.meshgrid(*[torch.arange(s, device=device) for s in sizes], indexing="ij")
        seen = {**known, **given, "whole": lambda value: value.to(torch.int32)}
        seen.update(zip("ij", grids, strict=False))
        results.append(eval(body, seen).expand(sizes))
    return results


def reference(program, x, y):
    first, *rows, last = program.splitlines()
    values, letters, lines = {}, {}, {}
    for word, tensor in zip(first.split()[1:], (x, y), strict=True):
        name, inside = word.rstrip("]").split("[")
        values[name] = tensor
        letters.update(zip(inside.split(","), tensor.shape, strict=True))
    for row in rows:
        if row.startswith("def "):
            lines[row.split()[1]] = row
            continue
        names, words = (part.split() for part in row.split(" = "))
        operands = [
            values[w] if w in values else letters[w] if w in letters else int(w) for w in words[1:]
        ]
        values.update(zip(names, computed(lines[words[0]], operands), strict=True))
    return torch.cat([values[name].flatten().float() for name in last.split()[1:]])


eager = reference


def work(program, x, y):
    results = reference(program, x, y)
    return Work(bytes=4 * (x.numel() + y.numel() + results.numel()), flops=results.numel())


def check_found(found):
    """(code, sentence) where a module is built otherwise than asked, else None."""
    for name, each in found.items():
        if told := fault_of(each):
            return "wrong-values", f"The program with {name}: {told}"
    return None


def fault_of(each):
    """A sentence on a module that is not as asked, or ""."""
    if each["functions"] != each["wanted functions"]:
        return (
            f"beside `main` the module has {each['functions']} functions, for "
            f"{each['wanted functions']} that are called."
        )
    if each["calls"] != each["wanted calls"]:
        calls, lines = (", ".join(each[key]) or "none" for key in ("calls", "wanted calls"))
        return f"its bindings are {calls}. The lines are {lines}."
    if each["changed"]:
        return f"the loops of `{each['changed'][0]}` in the module are not those that `call` got."
    if each["operands"]:
        return f"the call of `{each['operands'][0]}` does not get the line's operands in order."
    if each["leaving"] != 1:
        return (
            f"{each['leaving']} variables leave the dataflow block. It is one, the tuple of the "
            "results. `builder.emit` makes one that stays inside."
        )
    if each["refused"]:
        return f"TVM refuses the module: {each['refused'].rstrip('.')}."
    if each["result"] != each["wanted result"]:
        return f"`main` returns {each['result']}. By the loops it is {each['wanted result']}."
    return ""


TURN = "def turn a[p,q] -> float32[q,p] : a[j,i]"
OUTER = "def outer a[p] b[q] -> float32[p,q] : a[i] * b[j]"
TWICE = "def twice a[p] -> float32[p*2+1] : a[i % p]"
WINDOW = "def window a[p] k -> float32[p-k+1] : a[i] + a[i+k-1]"
NAMED = (  # name, inputs, lines, results, shapes; a size that is text is drawn
    ("sizes that change places", "x[n,m] y[m]", (TURN, "t = turn x"), "t", ("nm", "m")),
    ("a size from the second tensor", "x[n] y[m]", (OUTER, "t = outer x y"), "t", ("n", "m")),
    ("the loops' letters, the other way round", "x[n] y[m]",
     ("def outer a[m] b[n] -> float32[m,n] : a[i] * b[j]", "t = outer x y"), "t", ("n", "m")),
    ("a size that is computed", "x[n] y[m]", (TWICE, "t = twice x"), "t", ("n", "m")),
    ("a computed size of a computed size", "x[n] y[m]",
     (TWICE, "t = twice x", "u = twice t"), "u t", ("n", "m")),
    ("loops called for two tensors", "x[n] y[m]",
     (TWICE, "t = twice x", "u = twice y"), "u t", ("n", "m")),
    ("a number", "x[n] y[m]", (WINDOW, "t = window x 3"), "t", ("n", "m")),
    ("a number that is a size", "x[n] y[m]",
     ("def again a[p] k -> float32[p,k] : a[i] + k", "t = again x m"), "t", ("n", "m")),
    ("two numbers", "x[n] y[m]",
     ("def stretch a[p] k b -> float32[p*b+k] : a[i % p] * b + k", "t = stretch x m 2"),
     "t", ("n", "m")),
    ("integers", "x[n,4] y[m]",
     ("def floor a[p,q] -> int32[q,p] : whole(a[j,i] * 10)", "t = floor x"), "t", ("n4", "m")),
    ("two results of two types", "x[n,4] y[m]",
     ("def both a[p,q] b[r] -> float32[r,q] int32[p] : a[0,j] + b[i] ; whole(a[i,0] * 9)",
      "t u = both x y"), "u t", ("n4", "m")),
    ("an axis that is a number", "x[n,4] y[m]",
     ("def column a[p,4] -> float32[p,2] : a[i,j+2]", "t = column x"), "t", ("n4", "m")),
    ("a letter behind an axis that is a number", "x[n,4] y[m]",
     (TURN, "def second a[4,p] -> float32[p] : a[1,i]", "t = turn x", "u = second t"),
     "u", ("n4", "m")),
    ("a letter behind an axis that is computed", "x[n,m] y[n]",
     ("def grow a[p,q] -> float32[p+1,q] : a[i % p,j]",
      "def change a[p+1,q] b[p] -> float32[q,p] : a[j+1,i] - b[j]",
      "t = grow x", "u = change t y"), "u", ("nm", "n")),
    ("an axis that is computed, before its letter", "x[n] y[m]",
     (TWICE, "def cut a[p*2+1] b[p] -> float32[p] : a[i+1] - b[i]",
      "t = twice x", "u = cut t x"), "u", ("n", "m")),
)  # fmt: skip


def drawn(text, shapes):
    """A case of one program; a letter is a drawn size, the same in both tensors."""

    def make(g):
        n, m = torch.randperm(12, generator=g, device=g.device)[:2].tolist()
        sizes = {"n": n + 4, "m": m + 4, "4": 4}
        return (
            text,
            *(
                torch.randn([sizes[s] for s in shape], generator=g, device=g.device)
                for shape in shapes
            ),
        )

    return make


def program(inputs, rows, results):
    return "\n".join([f"inputs {inputs}", *rows, f"return {results}"])


CASES = tuple(
    Case(name, drawn(program(inputs, rows, results), shapes))
    for name, inputs, rows, results, shapes in NAMED
)
