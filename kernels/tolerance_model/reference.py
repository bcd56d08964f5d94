import re

import torch

from tutor.judge.spec import Case, Work

CHANGES = {
    "K": "a sum of K terms counts K roundings, and not √K",
    "one": "a sum of K terms counts one rounding",
    "eps": "a rounding costs a whole eps, and not half of it",
    "result": "a sum's rounding is measured by its result, and not by its terms",
    "no-carry": "what was wrong before a product of matrices is gone after it",
    "worst": "what was wrong before a product of matrices adds up with one sign",
    "sums": "errors are added, and not their squares",
    "relu-all": "below zero `relu` keeps the whole tolerance",
    "relu-none": "below zero `relu` has no tolerance at all",
    "no-slope": "`exp` keeps the tolerance of its operand, without its slope",
    "cast-always": "a cast to a finer dtype counts as a rounding",
    "cast-never": "a cast never rounds",
    "operand": "a step rounds as its operand's dtype does, and not as its own",
    "N": "the length of a sum is the number of columns of w",
    "mul": "of a product each error is weighed by its own factor",
}


def reference(program, x, w0, w1):
    return modelled(program, x, w0, w1)[0]


def modelled(program, x, w0, w1, change=""):
    """The tolerance, and the largest number on the way. `change` names a mistake of `CHANGES`."""
    known, largest = {}, 1.0
    for name, tensor in (("x", x), ("w0", w0), ("w1", w1)):
        known[name] = tensor.double(), torch.zeros_like(tensor.double()), "float32"

    def unit(dtype):
        return torch.finfo(getattr(torch, dtype)).eps / (1 if change == "eps" else 2)

    def joined(*parts):
        if change == "sums":
            return sum(part.abs() for part in parts)
        return sum(part**2 for part in parts) ** 0.5

    for line in program.splitlines():
        match = re.fullmatch(r"(\w+) = (\w+)\((\w+)(?:, (\w+))?\)(?: : (\w+))?", line.strip())
        if not match:
            continue
        name, step, first, second, dtype = match.groups()
        v, t, has = known[first]
        to = dtype or has
        u = unit(has if change == "operand" else to)
        other, off, _ = known.get(second, (None, None, None))
        if step == "linear":
            length = other.shape[1 if change == "N" else 0]
            times = {"K": length, "one": 1}.get(change, length**0.5)
            carried = (t**2 @ other**2) ** 0.5
            if change in ("no-carry", "worst"):
                carried = t @ other.abs() * (change == "worst")
            made = v @ other
            size = made.abs() if change == "result" else v.abs() @ other.abs()
            known[name] = made, joined(carried, times * u * size), to
        elif step == "relu":
            below = {"relu-all": t, "relu-none": 0 * t}.get(change, (v + t).clamp(min=0))
            known[name] = v.clamp(min=0), torch.where(v < 0, below, t), has
        elif step == "exp":
            made = v.exp()
            known[name] = made, joined(t if change == "no-slope" else made * t, u * made), to
        elif step == "cast":
            rounds = unit(to) > unit(has) or change == "cast-always"
            rounds = rounds and change != "cast-never"
            known[name] = v, joined(t, unit(to) * v.abs() * rounds), to
        elif step == "add":
            made = v + other
            known[name] = made, joined(t, off, u * made.abs()), to
        else:
            made = v * other
            parts = (t * v, off * other) if change == "mul" else (t * other, off * v)
            known[name] = made, joined(*parts, u * made.abs()), to
        largest = max(largest, float(known[name][0].abs().max()))
    return known[program.split()[-1]][1], largest


def eager(program, x, w0, w1):
    return reference(program, x, w0, w1)


def by_mistake(change):
    return lambda program, x, w0, w1: modelled(program, x, w0, w1, change=change)[0]


NEAR_MISSES = tuple((words, by_mistake(change)) for change, words in CHANGES.items())


def scale(program, x, w0, w1):
    """Rounding in float64 is a part of the values, of which the tolerance is a small part."""
    tolerance, largest = modelled(program, x, w0, w1)
    return tolerance.abs() + largest


def work(program, x, w0, w1):
    size = sum(each.numel() * each.element_size() for each in (x, w0, w1))
    return Work(bytes=size + len(program), flops=2 * x.shape[0] * w0.numel())


def case(program, rows=4, k=16, hidden=8, out=6, spread=1.0, shift=0.0):
    """Inputs for a program: x [rows, k], w0 [k, hidden], w1 [hidden, out]."""
    text = "\n".join(line.strip() for line in program.split(";"))

    def make(g):
        def drawn(*size):
            return torch.randn(*size, generator=g, device=g.device)

        x = drawn(rows, k) * spread + shift
        return text, x, drawn(k, hidden) / k**0.5, drawn(hidden, out) / hidden**0.5

    return make


def drawn_program(g):
    """A program of six steps on [4, 6] tensors, each of earlier values."""

    def pick(*those):
        return those[int(torch.randint(len(those), (1,), generator=g, device=g.device))]

    names, lines = ["x"], []
    for at in range(6):
        step, dtype = pick("linear", "add", "mul", "relu", "cast", "exp"), pick(*DTYPES)
        a, b, name = pick(*names[-3:]), pick(*names), f"v{at}"
        lines.append(
            {
                "linear": f"{name} = linear({a}, {pick('w0', 'w1')}) : {dtype}",
                "add": f"{name} = add({a}, {b}) : {dtype}",
                "mul": f"{name} = mul({a}, {b}) : {dtype}",
                "relu": f"{name} = relu({a})",
                "exp": f"{name} = exp({a}) : {dtype}" if at < 1 else f"{name} = relu({b})",
                "cast": f"{name} = cast({a}) : {dtype}",
            }[step]
        )
        names.append(name)
    lines.append(f"return {pick(*names[-3:])}")
    return case("; ".join(lines), 4, 6, 6, 6, 0.7)(g)


DTYPES = ("float32", "float16", "bfloat16", "float64")
CASES = (
    Case("one product", case("a = linear(x, w0) : float32; return a")),
    Case("long sums, all of one sign", case("h = linear(x, w0) : float32; return h", k=900, shift=3.0)),
    Case("sums in float16", case("a = linear(x, w0) : float16; return a", rows=2, k=64, hidden=40)),
    Case("two layers", case(
        "a = linear(x, w0) : float32; b = relu(a); c = linear(b, w1) : float32; return c", hidden=50)),
    Case("a cast before and one after", case(
        "h = cast(x) : bfloat16; s = linear(h, w0) : float32; r = cast(s) : bfloat16; return r")),
    Case("a cast to a finer dtype", case(
        "h = cast(x) : float16; f = cast(h) : float32; return f", spread=9.0)),
    Case("a cast behind a cast to a finer dtype", case(
        "h = cast(x) : bfloat16; f = cast(h) : float32; r = relu(f); g = cast(r) : float16; return g")),
    Case("casts between dtypes of 16 bits", case(
        "a = cast(x) : float16; b = cast(a) : bfloat16; c = cast(b) : float16; return c")),
    Case("sums near zero, on both sides", case(
        "h = cast(x) : bfloat16; s = linear(h, w0) : bfloat16; r = relu(s); return r", rows=30, k=64)),
    Case("an exponential of large numbers", case(
        "a = linear(x, w0) : float32; e = exp(a) : float32; return e", k=32, spread=3.0)),
    Case("a gate", case(
        "a = linear(x, w0) : float16; e = exp(x) : float32; b = linear(e, w0) : float32; "
        "m = mul(a, b) : float16; return m", spread=0.5)),
    Case("a value that is read twice", case(
        "a = linear(x, w0) : float32; b = mul(a, a) : float32; s = add(a, b) : bfloat16; return s")),
    Case("a value added to itself", case(
        "a = linear(x, w0) : float32; s = add(a, a) : float32; return s")),
    Case("a relu in bfloat16, then a cast", case(
        "h = cast(x) : bfloat16; r = relu(h); g = cast(r) : float16; return g")),
    Case("a result that is not the last step", case(
        "a = exp(x) : bfloat16; b = add(a, x) : float32; c = cast(b) : float16; return b")),
    Case("the second matrix first", case(
        "v1 = linear(x, w1) : bfloat16; v2 = linear(v1, w0) : float32; return v2",
        k=5, hidden=5, out=5)),
    Case("hardly a rounding", case(
        "a = relu(x); b = cast(a) : float32; c = add(b, b) : float64; return c")),
    *(Case(f"drawn, {n}", drawn_program) for n in range(1, 6)),
)
