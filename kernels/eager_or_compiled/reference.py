import torch

from tutor.judge.spec import Case, Work

N = 4096 * 4096
EAGER = (4 * (4 + 4) + (4 + 2)) * N
COMPILED = (4 + 2) * N
GAIN = 4096 * 4  # bytes; a kernel that reads it once a row may count it or not
WORDS = ("arithmetic", "bytes", "launches")


def reference(x, gain):
    return torch.sigmoid(torch.relu(x) * gain + 1.0)


def eager(x, gain):
    return torch.sigmoid(torch.relu(x) * gain + 1.0).half()


def work(x, gain):
    read = (x.numel() + gain.numel()) * x.element_size()
    return Work(bytes=read + 2 * x.numel(), flops=7 * x.numel())  # a sigmoid counted as four


def check_module(constants):
    """Return one sentence on the learner's predictions where they are wrong, else None."""
    for name in ("EAGER_BYTES", "COMPILED_BYTES", "PREDICTED_SPEEDUP"):
        if isinstance(constants.get(name), bool) or not isinstance(
            constants.get(name), int | float
        ):
            return f"The file must say what you expect: {name} = a number, at its top level."
    eager_bytes, compiled_bytes = constants["EAGER_BYTES"], constants["COMPILED_BYTES"]
    if eager_bytes == 5 * 8 * N:
        return (
            f"EAGER_BYTES is {eager_bytes:,}, five kernels of 8 bytes an element; but the last one "
            "reads float32 and writes float16."
        )
    if not abs(eager_bytes - EAGER) <= 4 * GAIN:
        return (
            f"EAGER_BYTES is {eager_bytes:,}. For each kernel, bytes read and bytes written an "
            f"element, times {N:,} elements: what do the five come to?"
        )
    if not abs(compiled_bytes - COMPILED) <= 4 * GAIN:
        return (
            f"COMPILED_BYTES is {compiled_bytes:,}; one kernel reads x, {4 * N:,} bytes, and "
            "writes one float16 for each of its elements."
        )
    if not abs(constants["PREDICTED_SPEEDUP"] - EAGER / COMPILED) <= 0.05:
        return (
            f"PREDICTED_SPEEDUP is {constants['PREDICTED_SPEEDUP']:g}; if time is bytes over "
            "bandwidth, it is the quotient of your two numbers of bytes."
        )
    return waits(constants)


def waits(constants):
    for name in ("LARGE_WAITS_FOR", "SMALL_WAITS_FOR"):
        if constants.get(name) not in WORDS:
            return f"{name} must be one of {', '.join(WORDS)}."
    if constants["LARGE_WAITS_FOR"] != "bytes":
        return (
            f"LARGE_WAITS_FOR is {constants['LARGE_WAITS_FOR']!r}. At 4096 x 4096 on an H200: 0.13 ms "
            "of transfers, some twenty microseconds of launches, about two of arithmetic."
        )
    if constants["SMALL_WAITS_FOR"] != "launches":
        return (
            f"SMALL_WAITS_FOR is {constants['SMALL_WAITS_FOR']!r}. 256 elements are 10 KB of "
            "transfers, nanoseconds; five launches still cost microseconds each."
        )
    return None


CONVERSIONS = ("half", "to", "type", "double", "float", "bfloat16", "type_as", "copy")
OTHERS = ("half", "double", "bfloat16")  # whatever they are given
ARITHMETIC = ("sigmoid", "exp", "tanh", "relu", "mul", "add", "sub", "div", "truediv", "reciprocal")


def check_graph(ops):
    """Return one sentence where something is computed in another dtype than float32, else None."""
    plain = [op.split(".")[-1].strip("_") for op in ops]
    told = [op for op in plain if op in CONVERSIONS or op.endswith(ARITHMETIC)]
    converted = next((n for n, op in enumerate(told) if op in OTHERS), len(told))
    later = [op for op in told[converted:] if op.endswith(ARITHMETIC)]
    if later:
        return (
            f"The captured graph calls {told[converted]} before {later[0]}: what {later[0]} gets did "
            "not stay in float32. The conversion to float16 stands last."
        )
    if told and told[-1] not in CONVERSIONS:
        return (
            f"The captured graph ends with {told[-1]}, and not with a conversion: something was "
            "converted before it, and the result is not rounded once, at the end."
        )
    return None


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def sized(rows, columns):
    return lambda g: (normal(g, rows, columns), normal(g, columns))


def one_spike(g):
    x = torch.zeros(20, 33, device=g.device)
    x[int(torch.randint(0, 20, (1,), generator=g, device=g.device)), 17] = 100.0
    return x, normal(g, 33)


def with_nan(g):
    x = normal(g, 20, 30)
    x[0, 0], x[7, 9], x[19, 29] = float("nan"), float("inf"), float("-inf")
    return x, normal(g, 30).abs() + 0.5


CASES = (
    Case("30 x 40", sized(30, 40)),
    Case("30 x 40 again", sized(30, 40)),
    Case("one element", sized(1, 1)),
    Case("one row", sized(1, 300)),
    Case("one column", sized(77, 1)),
    Case("two rows of three, all near 5", lambda g: (5 + normal(g, 2, 3), normal(g, 3))),
    Case("nothing but zeros", lambda g: (0 * normal(g, 9, 50), 0 * normal(g, 50))),
    Case("one spike", one_spike),
    Case("gains of thousands", lambda g: (normal(g, 20, 33), 1e3 * normal(g, 33))),
    Case("numbers of millions", lambda g: (1e6 * normal(g, 20, 33), 1e-6 * normal(g, 33))),
    Case("NaN and infinities", with_nan),
    Case("transposed view", lambda g: (normal(g, 40, 30).T, normal(g, 40))),
    Case("every second gain", lambda g: (normal(g, 31, 40), normal(g, 80)[::2])),
    Case(
        "both starting at element 3",
        lambda g: (normal(g, 2003)[3:].view(40, 50), normal(g, 53)[3:]),
    ),
)
TIMING = Case("4096 x 4096", sized(4096, 4096))
TIMING_CPU = Case("1024 x 4096", sized(1024, 4096))
