import torch

from tutor.judge.spec import Case, Work

ONE = {"exp": torch.exp, "tanh": torch.tanh, "relu": torch.relu}
TWO = {"add": torch.add, "multiply": torch.mul, "matmul": torch.matmul}


def reference(program, x, y):
    first, *rows, last = program.splitlines()
    names = [word.split("[")[0] for word in first.split()[1:]]
    values = dict(zip(names, (x, y), strict=True))
    for row in rows:
        name, _, operation, *operands = row.split()
        read = [
            values[each]
            if each in values
            else torch.tensor(float(each), dtype=x.dtype, device=x.device)
            for each in operands
        ]
        values[name] = {**ONE, **TWO}[operation](*read)
    return torch.cat([values[name].flatten() for name in last.split()[1:]])


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
    if each["refused"]:
        return f"TVM refuses the module: {each['refused'].rstrip('.')}."
    if each["functions"] != 1:
        return f"the module has {each['functions']} functions. Only `main` is asked for."
    if each["sizes"] != each["wanted sizes"]:
        asked = each["wanted sizes"]
        return f"the parameters have the sizes {each['sizes']}, and {asked} are asked for."
    if each["variables"] != each["unknown"]:
        return (
            f"the number of unknown sizes in `main` is {each['variables']}. "
            f"The number of letters is {each['unknown']}."
        )
    if each["lone"] or each["blocks"].count("DataflowBlock") != 1:
        kinds = ", ".join(each["blocks"])
        return f"operations stand outside a dataflow block, or in several ({kinds})."
    if each["calls"] != each["wanted calls"]:
        calls, lines = (", ".join(each[key]) for key in ("calls", "wanted calls"))
        return f"its operations are {calls}. The lines are {lines}."
    if each["outputs"] > each["results"]:
        return (
            f"{each['outputs']} variables leave the block, of which {each['results']} are results."
        )
    if each["fields"] != (each["results"] if each["results"] > 1 else 0):
        what = "a tuple" if each["fields"] else "a tensor"
        return f"`main` returns {what}. The program has {each['results']} results."
    return ""


def drawn_sizes(text, first, second):
    """A case of one program; sizes that are None are drawn, the same for both inputs."""

    def make(g):
        n = int(torch.randint(2, 30, (1,), generator=g, device=g.device))
        shapes = [[n if size is None else size for size in sizes] for sizes in (first, second)]
        return (text, *(torch.randn(*shape, generator=g, device=g.device) for shape in shapes))

    return make


def program(inputs, rows, results):
    return "\n".join([f"inputs {inputs}", *rows.split("; "), f"return {results}"])


N8 = "x[n,8] y[n,8]"
ALIKE = ((None, 8), (None, 8))
NAMED = (  # name, inputs, lines, results, shapes
    ("a sum", N8, "a = add x y", "a", ALIKE),
    ("one row", N8, "a = exp x; b = multiply a y", "b", ((1, 8), (1, 8))),
    ("a constant with a fraction", N8, "a = multiply x 0.25; b = add a -1.5", "b", ALIKE),
    ("constants that are whole", N8, "a = multiply x 2; b = add a -3", "b", ALIKE),
    ("a name that is set three times", N8,
     "a = add x y; a = multiply a a; a = tanh a", "a", ALIKE),
    ("a name that is read and set again", N8,
     "a = exp x; b = add a y; a = relu y; c = multiply a b", "c b", ALIKE),
    ("an input's name that is set", N8, "x = relu x; y = add x y", "y x", ALIKE),
    ("a product with an unknown number of rows", "x[n,8] y[8,5]",
     "a = matmul x y; b = relu a", "b", ((None, 8), (8, 5))),
    ("two results, the later one first", N8, "a = tanh x; b = add a y", "b a", ALIKE),
    ("a result that is returned twice", N8, "a = tanh x; b = add a y", "b a b", ALIKE),
    ("inputs in another order", "y[n,8] x[n,8]", "a = exp y; b = add a x", "b", ALIKE),
)  # fmt: skip
CASES = tuple(Case(name, drawn_sizes(program(*text), *shapes)) for name, *text, shapes in NAMED)
