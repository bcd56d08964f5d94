"""Imports three models, and watches which functions `run` calls. Plain values only leave the process."""

import torch
import tvm
import tvm_ffi
from tvm import relax, tirx


class Wide(torch.nn.Module):
    """A batch in columns, and two layers with a wide result between them."""

    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(6, 64), torch.nn.Linear(64, 3)

    def forward(self, x):
        return self.second(torch.relu(self.first(x.T)))


class Columns(torch.nn.Module):
    """A batch in columns, beside a batch in rows, and a size that is computed from it."""

    def forward(self, x, scale, y):
        return torch.cat([x.T * scale, y])


class Apart(torch.nn.Module):
    """Two batches that nothing brings together, one of them of integers."""

    def forward(self, rows, x):
        return rows.to(torch.float32).sum(0) + torch.exp(x).sum(0)


def examples(g):
    """Name, model, inputs for a batch, axes, batch of the example, most, sizes."""
    yield (
        "a wide layer inside",
        Wide(),
        lambda n: (torch.randn(6, n, generator=g),),
        ((1,), 1, 40, (16,)),
    )
    yield (
        "a batch in columns",
        Columns(),
        lambda n: (
            torch.randn(6, n, generator=g),
            torch.randn(6, generator=g),
            torch.randn(n, 6, generator=g),
        ),
        ((1, None, 0), 6, 8, (8, 1)),
    )
    yield (
        "inputs that never meet before they are summed",
        Apart(),
        lambda n: (torch.randint(0, 5, (n, 4), generator=g), torch.randn(n, 4, generator=g)),
        ((0, 0), 2, 20, (3,)),
    )


def probe(module, device):
    torch.manual_seed(41)
    g = torch.Generator().manual_seed(41)
    return {
        name: seen(module, model.eval(), inputs, *rest) for name, model, inputs, rest in examples(g)
    }


class Watched:
    """A machine that notes which function is asked for and called."""

    def __init__(self, machine):
        self.machine, self.called = machine, []

    def __getitem__(self, name):
        def call(*arguments):
            self.called.append(name)
            return self.machine[name](*arguments)

        return call


def sizes_of(function):
    return [
        [int(size) if isinstance(size, tirx.IntImm) else "?" for size in parameter.ty.shape]
        for parameter in function.params
    ]


def letters_of(function):
    """How many unknown sizes the function speaks of, inside as well."""
    return len(relax.analysis.defined_symbolic_vars(function)) + len(
        relax.analysis.free_symbolic_vars(function)
    )


def called_by(function):
    """The names of the functions of Relax that a function calls."""
    found = []

    def visit(node):
        if isinstance(node, relax.Call) and isinstance(node.op, tvm.ir.GlobalVar):
            found.append(node.op.name_hint)

    relax.analysis.post_order_visit(function, visit)
    return found


def seen(module, model, inputs, axes, example, most, sizes):
    given = inputs(example)
    kept = [x.clone() for x in given]
    made = module.to_relax(model, given, axes, most)
    touched = any(not torch.equal(a, b) for a, b in zip(given, kept, strict=True))
    main = made["main"]
    text = tvm_ffi.structural_hash(made, map_free_vars=True)
    wider = module.specialise(made, sizes)
    names = sorted(place.name_hint for place in wider.functions)
    bounds = [dict(main.attrs or {}).get(f"tir_var_{end}_bound", {}) for end in ("lower", "upper")]
    letters = relax.analysis.defined_symbolic_vars(main)
    known = [dict(each).get(letter.name) for each in bounds for letter in letters[:1]]
    found = {
        "unknown": len(letters),
        "sizes": sizes_of(main),
        "wanted sizes": [
            ["?" if at == axis else size for at, size in enumerate(x.shape)]
            for x, axis in zip(given, axes, strict=True)
        ],
        "bounds": [None if value is None else int(value) for value in known],
        "wanted bounds": [1, most],
        "functions": names,
        "wanted functions": sorted(["main", *(f"main_{size}" for size in sizes)]),
        "main changed": "main" in names
        and not tvm_ffi.structural_equal(wider["main"], main, map_free_vars=True),
        "given changed": text != tvm_ffi.structural_hash(made, map_free_vars=True),
        "bound": {n: sizes_of(wider[n]) for n in names if n != "main"},
        "letters": {n: letters_of(wider[n]) for n in names if n != "main"},
        "called": {n: called_by(wider[n]) for n in names if n != "main"},
        "wanted bound": {f"main_{size}": [list(x.shape) for x in inputs(size)] for size in sizes},
        "calls": {},
        "wanted calls": {},
        "refused": {},
    }
    machine = relax.VirtualMachine(tvm.compile(wider, target="llvm"), tvm.cpu())
    for batch in dict.fromkeys((1, *sizes, sizes[0] - 1, most)):
        watched, arguments = Watched(machine), inputs(batch)
        kept = [x.clone() for x in arguments]
        got = module.run(watched, arguments, axes, most, sizes)
        touched |= any(not torch.equal(a, b) for a, b in zip(arguments, kept, strict=True))
        with torch.no_grad():
            right = model(*arguments)
        same = isinstance(got, torch.Tensor) and got.shape == right.shape
        off = float((got - right).abs().max()) if same else float("inf")
        found["calls"][batch] = watched.called, off
        found["wanted calls"][batch] = f"main_{batch}" if batch in sizes else "main"
    for batch in (most + 1, 3 * most, 0):
        watched, said = Watched(machine), "nothing"
        try:
            module.run(watched, inputs(batch), axes, most, sizes)
        except Exception as error:
            said = "ValueError" if isinstance(error, ValueError) else type(error).__name__
        found["refused"][batch] = watched.called, said
    return {**found, "touched": touched}
