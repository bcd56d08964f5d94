import torch

from tutor.judge.spec import Case, Work

ADD, SOFTMAX, SIDE = 2**24, 4096 * 1024, 2048
WANTED = (  # kernel, units, FLOPs, bytes
    ("vector_add", "fp32", ADD, 12 * ADD),
    ("row_softmax", "fp32", 5 * SOFTMAX, 8 * SOFTMAX),
    ("tiled_matmul", "tf32", 2 * SIDE**3, 12 * SIDE**2),
)


def reference(runs, peaks, bandwidth, launch):
    names = [name for name, _ in peaks]
    at = torch.tensor([names.index(run[0]) for run in runs])
    peak = torch.tensor([float(value) for _, value in peaks], dtype=torch.float64)[at]
    flops, nbytes, us = torch.tensor(
        [[float(x) for x in run[1:]] for run in runs], dtype=torch.float64
    ).unbind(1)
    arithmetic, memory = flops / peak * 1e6, nbytes / bandwidth * 1e6
    least = torch.maximum(arithmetic, memory)
    limit = torch.where(least < launch, 2.0, (arithmetic >= memory).double())
    return torch.stack([flops / nbytes, least, least / us * 100, limit], 1)


eager = reference


def scale(runs, peaks, bandwidth, launch):
    return reference(runs, peaks, bandwidth, launch).abs()


def work(runs, peaks, bandwidth, launch):
    return Work(bytes=32 * len(runs), flops=0)


def check_module(constants):
    """Return one sentence where ATTAINABLE_US or PERCENT is wrong, else None."""
    us, percent = (constants.get(name) for name in ("ATTAINABLE_US", "PERCENT"))
    for name, value in (("ATTAINABLE_US", us), ("PERCENT", percent)):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"{name} is {value!r}; expected a number."
    if 27 < us < 29:
        return "ATTAINABLE_US counts two vectors. An addition reads two and writes one."
    if not 41 < us < 43:
        return f"ATTAINABLE_US is {us!r}; divide the bytes of three vectors by 4.8e12, in µs."
    if 120 < percent < 130:
        return "PERCENT is above 100: the attainable time belongs over the measured one."
    if not 78 < percent < 82:
        return f"PERCENT is {percent!r}; expected the attainable time over 52.4 µs, in per cent."
    return None


def check_found(found):
    """(code, sentence) where a row of `my_kernels` is not the kernel's work, else None."""
    if found.get("missing"):
        return "wrong-values", "The file has no function `my_kernels()`."
    rows = found["rows"]
    if isinstance(rows, str):
        return "wrong-values", f"`my_kernels()` returned {rows}; expected a list of three rows."
    for row, (kernel, units, flops, nbytes) in zip(rows, WANTED, strict=True):
        if isinstance(row, str) or len(row) != 4:
            return (
                "wrong-values",
                f"The row of {kernel} is {row}; expected [units, flops, nbytes, us].",
            )
        for what, got, want in zip(
            ("units", "FLOPs", "bytes"), row, (units, flops, nbytes), strict=False
        ):
            if got != want:
                return (
                    "wrong-values",
                    f"`my_kernels()` gives {kernel} {got!r} {what}; it has {want!r}.",
                )
        us = row[3]
        if isinstance(us, bool) or not isinstance(us, int | float) or not us > 0:
            return (
                "wrong-values",
                f"The time of {kernel} is {us!r}; expected a positive number of µs.",
            )
    return None


def explain_wrong(got, runs, peaks, bandwidth, launch):
    """The sentence for a mistake that one column shows, else None."""
    want = reference(runs, peaks, bandwidth, launch)
    wrong = [column for column in range(4) if not torch.allclose(got[:, column], want[:, column])]
    if not wrong:
        return None
    first = wrong[0]
    fitting = [
        sentence
        for sentence, column in mistakes(first, runs, peaks, bandwidth, launch, want)
        if torch.allclose(got[:, first], column, atol=0.0)
    ]
    return fitting[0] if len(fitting) == 1 else None


def mistakes(column, runs, peaks, bandwidth, launch, want):
    """Columns as mistakes make them, each after its sentence."""
    flops, nbytes, us = torch.tensor([run[1:] for run in runs], dtype=torch.float64).unbind(1)
    speed = {name: float(value) for name, value in peaks}
    fastest = max(speed.values())
    own = torch.tensor([speed[run[0]] for run in runs], dtype=torch.float64)
    arithmetic, memory = flops / own * 1e6, nbytes / bandwidth * 1e6
    if column == 0:
        return [
            (
                "Column 0 is bytes for each FLOP; the intensity is FLOP for each byte.",
                nbytes / flops,
            )
        ]
    if column == 1:
        return [
            ("Column 1 is in seconds; the task wants µs.", want[:, 1] / 1e6),
            ("Column 1 is the sum of the two times. They run side by side: the longer one counts.",
             arithmetic + memory),
            ("Column 1 is the shorter of the two times. The longer one decides.",
             torch.minimum(arithmetic, memory)),
            ("Column 1 is that of the fastest peak for every run. Each has the peak of its own units.",
             torch.maximum(flops / fastest * 1e6, memory)),
            ("Column 1 is that of the first peak for every run. Each has the peak of its own units.",
             torch.maximum(flops / float(peaks[0][1]) * 1e6, memory)),
            ("Column 1 is the time of the bytes alone.", memory),
            ("Column 1 is the time of the arithmetic alone.", arithmetic),
        ]  # fmt: skip
    if column == 2:
        return [
            ("Column 2 is upside down: the attainable time belongs over the measured one.",
             us / want[:, 1] * 100),
            ("Column 2 is a hundredth of what belongs there. The task wants per cent.",
             want[:, 2] / 100),
        ]  # fmt: skip
    plain = (arithmetic >= memory).double()
    sides = set(want[:, 3].tolist()) - {2.0}
    return [
        ("Column 3 is that without a launch: what could end sooner than `launch` is limited by it.",
         plain),
        ("Column 3 is 2 where the measured time is less than `launch`, and nowhere else. What counts "
         "is the attainable time.",
         torch.where(us < launch, 2.0, plain)),
        ("Column 3 is 2 where the attainable time is exactly `launch`; it has to be less.",
         torch.where(want[:, 1] <= launch, 2.0, plain)),
        ("Column 3 is that of the fastest peak for every run. Each has the peak of its own units.",
         torch.where(want[:, 1] < launch, 2.0, (flops / fastest * 1e6 >= memory).double())),
        ("Column 3 has memory and arithmetic exchanged." if len(sides) == 2 else
         "Column 3 is 0 where the arithmetic limits; that is 1." if sides == {1.0} else
         "Column 3 is 1 where the memory limits; that is 0.",
         torch.where(want[:, 3] == 2, 2.0, 1 - plain)),
        ("Column 3 is 0 where arithmetic and memory take equally long; that is 1.",
         torch.where(want[:, 1] < launch, 2.0, (arithmetic > memory).double())),
        ("Column 3 is 1 where the memory takes a little longer. The longer one decides, by however "
         "little.",
         torch.where(want[:, 3] == 2, 2.0,
                     torch.maximum(plain, (arithmetic >= 0.9 * memory).double()))),
    ]  # fmt: skip


H200 = [["fp32", 67e12], ["tf32", 494.5e12], ["fp16", 989e12]], 4.8e12, 4.0
A100 = [["fp16", 312e12], ["fp32", 19.5e12], ["tf32", 156e12]], 2.039e12, 5.0


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def slower(g, us):
    """A time somewhat above the attainable one."""
    return round(us * (1 + draw(g, 5, 90) / 100) + 0.1, 2)


def run(g, gpu, units, flops, nbytes):
    peak = dict(gpu[0])[units]
    return [units, flops, nbytes, slower(g, max(flops / peak, nbytes / gpu[1]) * 1e6)]


def elementwise(g, gpu, steps=1, low=10**7, high=10**9):
    n = draw(g, low, high)
    return run(g, gpu, "fp32", steps * n, 8 * n)


def product(g, gpu, units, side):
    return run(g, gpu, units, 2 * side**3, (4 if units == "tf32" else 2) * 3 * side**2)


def mixed(gpu):
    def make(g):
        rows = [elementwise(g, gpu), product(g, gpu, "fp16", draw(g, 3000, 9000))]
        rows += [product(g, gpu, "tf32", draw(g, 3000, 9000)), elementwise(g, gpu, 1, 100, 900)]
        rows += [elementwise(g, gpu, draw(g, 2, 400)) for _ in range(draw(g, 1, 5))]
        return [rows[i] for i in torch.randperm(len(rows), generator=g).tolist()], *gpu

    return make


def one(gpu, make):
    return lambda g: ([make(g, gpu)], *gpu)


CASES = (
    Case("an elementwise kernel", one(H200, elementwise)),
    Case("a large product in FP16", one(H200, lambda g, gpu: product(g, gpu, "fp16", 8192))),
    Case("the same product in TF32", one(A100, lambda g, gpu: product(g, gpu, "tf32", 8192))),
    Case("small kernels", lambda g: (
        [["fp32", 4096, 32768, 9.0], ["fp32", 4096, 32768, 3.0]], *H200)),
    Case("a chain of 300 operations", one(A100, lambda g, gpu: elementwise(g, gpu, 300))),
    Case("a product of a few rows", one(H200, lambda g, gpu: run(
        g, gpu, "fp16", 2 * 16 * 8192 * 8192, 2 * (8192 * 8192 + 2 * 16 * 8192)))),
    Case("both take equally long", lambda g: (
        [["fp32", 2 * 10**9, 10**9, 5000.0], ["fp32", 10**8, 10**9, 5000.0],
         ["fp32", 2 * 10**6, 10**6, 9.0]],  # this one is over sooner than a launch
        [["fp32", 2e12]], 1e12, 4.0)),
    Case("one takes a little longer", lambda g: (
        [["fp32", 2 * 10**9 - draw(g, 1, 5) * 10**7, 10**9, 5000.0],
         ["fp32", 2 * 10**9 + draw(g, 1, 5) * 10**7, 10**9, 5000.0],
         ["fp32", 2 * 10**9 - 1, 10**9, 5000.0],
         ["fp32", 10**6, 41 * 10**5, 9.0], ["fp32", 10**6, 39 * 10**5, 9.0]],
        [["fp32", 2e12]], 1e12, 4.0)),
    Case("exactly as long as a launch", lambda g: (
        [["fp32", 2**10, 2**20, 2.0], ["fp32", 2**10, 2**19, 2.0],  # powers of two: nothing rounds
         ["fp32", 2**10, 2**21, 0.5]],
        [["fp32", 2.0**45]], 2.0**40, 1e6 / 2**20)),
    Case("faster than the roofs allow", lambda g: (
        [["fp32", 10**6, 12 * 10**6, draw(g, 10, 20) / 10], ["fp16", 10**10, 10**6, 9.0]], *H200)),
    Case("many runs, H200", mixed(H200)),
    Case("many runs, A100", mixed(A100)),
    Case("many runs again", mixed(H200)),
)  # fmt: skip
