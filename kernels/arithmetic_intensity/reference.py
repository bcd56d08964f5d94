from fractions import Fraction

import torch

from tutor.judge.spec import Case, Work

PRODUCTS = ("matvec", "matmul", "naive_matmul")


def inputs_and_output(op, sizes):
    """How many numbers each input and the output has, of the kernel that moves each once."""
    if op in ("relu", "chain", "eager_chain"):
        return [sizes[0]], sizes[0]
    if op == "add":
        return [sizes[0]] * 2, sizes[0]
    if op == "matvec":
        m, k = sizes
        return [m * k, k], m
    if op in PRODUCTS:
        m, n, k = sizes
        return [m * k, k * n], m * n
    rows, columns = sizes
    return {
        "bias": ([rows * columns, columns], rows * columns),
        "row_sum": ([rows * columns], rows),
        "softmax": ([rows * columns], rows * columns),
    }[op]


def flops_of(op, sizes):
    inputs, output = inputs_and_output(op, sizes)
    if op in PRODUCTS:
        return 2 * output * sizes[-1]
    each = {"softmax": 5, "chain": sizes[-1], "eager_chain": sizes[-1]}.get(op, 1)
    return each * max(inputs)


def numbers_of(op, sizes):
    inputs, output = inputs_and_output(op, sizes)
    if op == "naive_matmul":
        return output * (2 * sizes[-1] + 1)
    return (sum(inputs) + output) * (sizes[1] if op == "eager_chain" else 1)


def reference(op, sizes, itemsize, peak, bandwidth):
    flops, nbytes = flops_of(op, sizes), numbers_of(op, sizes) * itemsize
    side = Fraction(flops, nbytes) >= Fraction(peak) / Fraction(bandwidth)
    return torch.tensor([flops, nbytes, int(side)])


eager = reference


def work(op, sizes, itemsize, peak, bandwidth):
    return Work(bytes=24, flops=0)


def check_module(constants):
    """Return one sentence on the learner's RIDGE and SMALLEST where they are wrong, else None."""
    ridge, smallest = constants.get("RIDGE"), constants.get("SMALLEST")
    if isinstance(ridge, bool) or not isinstance(ridge, int | float) or not 204 <= ridge <= 208:
        return (
            f"RIDGE is {ridge!r}; expected the peak of 989 TFLOP/s over 4.8 TB/s, in FLOP a byte."
        )
    if smallest == 256:
        return "SMALLEST is 256: you took n for the intensity. It is n / 3 in FP16."
    if smallest == 512:
        return "SMALLEST is 512, whose intensity is 512 / 3 = 171, left of the ridge."
    if isinstance(smallest, bool) or smallest != 1024:
        return (
            f"SMALLEST is {smallest!r}; write the intensity of an n × n product as a formula in n."
        )
    return None


def explain_wrong(got, op, sizes, itemsize, peak, bandwidth):
    """The sentence for the one known mistake that these three numbers show, else None."""
    flops, nbytes, side = reference(op, sizes, itemsize, peak, bandwidth).tolist()
    said_flops, said_bytes, said_side = got.tolist()
    if said_flops != flops:
        halved = op in PRODUCTS and said_flops * 2 == flops
        return (
            f'"{op}": these are half of the FLOP. A multiplication and an addition are two.'
            if halved
            else None
        )
    if said_bytes != nbytes:
        return only(said_bytes, wrong_bytes(op, sizes, itemsize))
    if said_side != side:
        if Fraction(flops, nbytes) == Fraction(peak) / Fraction(bandwidth):
            return f'"{op}" lies exactly on the ridge, which counts as side 1.'
        return (
            f'"{op}": the counts are right, the side is not: FLOPs / bytes beside peak / bandwidth.'
        )
    return None


def wrong_bytes(op, sizes, itemsize):
    """Numbers of bytes as mistakes make them, each with its sentence."""
    inputs, output = inputs_and_output(op, sizes)
    once = sum(inputs) + output
    mistakes = [
        (
            numbers_of(op, sizes),
            f'"{op}": so many numbers are moved. Each takes {itemsize} bytes.',
        ),
    ]
    if op not in ("naive_matmul", "eager_chain"):
        mistakes += [
            (
                sum(inputs) * itemsize,
                f'"{op}": these are the bytes that are read. The result is written, too.',
            ),
            (
                output * itemsize,
                f'"{op}": these are the bytes of the result. The inputs are read, too.',
            ),
        ]
    if op == "bias":
        mistakes.append(
            (
                3 * output * itemsize,
                '"bias": this is the number for a vector that is read for each row. It is read once.',
            )
        )
    if op == "softmax":
        mistakes.append(
            (
                8 * output * itemsize,
                '"softmax": these are the bytes of four reads and four writes. It is one kernel here: '
                "one read, one write.",
            )
        )
    if op == "chain":
        steps = once * sizes[1] * itemsize
        mistakes.append(
            (
                steps,
                '"chain": these are the bytes of a kernel for each step. It is one kernel: between its '
                "steps nothing is stored.",
            )
        )
    if op == "eager_chain":
        mistakes.append(
            (
                once * itemsize,
                '"eager_chain": these are the bytes of one kernel. Each step is a kernel that reads and '
                "writes.",
            )
        )
    if op == "naive_matmul":
        mistakes += [
            (
                once * itemsize,
                '"naive_matmul": these are the bytes if each number moves once. It fetches 2 k numbers '
                "for each of its m n results.",
            ),
            (
                2 * output * sizes[-1] * itemsize,
                '"naive_matmul": these are the bytes that are read. The results are written, too.',
            ),
        ]
    return mistakes


def only(number, mistakes):
    """The sentence of the one mistake that makes this number; None where several do, or none."""
    sentences = [sentence for made, sentence in mistakes if made == number]
    return sentences[0] if len(sentences) == 1 else None


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


GPUS = {  # peak, bandwidth
    "H200, FP16": (989e12, 4.8e12),
    "H200, FP32": (67e12, 4.8e12),
    "A100, FP16": (312e12, 2.039e12),
    "A100, FP32": (19.5e12, 2.039e12),
    "H200, FP64": (34e12, 4.8e12),
    "H200, INT8": (1979e12, 4.8e12),
    "a slow chip, FP32": (24e9, 2.4e12),  # whatever runs there waits for arithmetic
}


def on(gpu, op, *sizes):
    """A case; a size that is a pair is drawn between its two numbers."""
    bits = gpu.split()[-1].removeprefix("FP").removeprefix("INT")
    itemsize = int(bits) // 8

    def make(g):
        drawn = [draw(g, *size) if isinstance(size, tuple) else size for size in sizes]
        return op, drawn, itemsize, *GPUS[gpu]

    return make


CASES = (
    Case("relu, FP32, A100", on("A100, FP32", "relu", (1000, 10**9))),
    Case("an addition, FP16, H200", on("H200, FP16", "add", (1000, 10**9))),
    Case("a bias on few rows", on("H200, FP32", "bias", (2, 9), (100, 5000))),
    Case("a bias on many rows", on("H200, FP16", "bias", (4000, 9000), (100, 5000))),
    Case("sums of long rows", on("A100, FP32", "row_sum", (10, 90), (10_000, 90_000))),
    Case("sums of short rows", on("A100, FP32", "row_sum", (10_000, 90_000), (2, 9))),
    Case("softmax, FP32", on("A100, FP32", "softmax", (100, 900), (100, 900))),
    Case("a matrix times a vector", on("H200, FP16", "matvec", (1000, 9000), (1000, 9000))),
    Case("a product of 4096, FP16, H200", on("H200, FP16", "matmul", 4096, 4096, 4096)),
    Case("a product of 512, FP16, H200", on("H200, FP16", "matmul", 512, 512, 512)),
    Case("a product of 512, FP32, H200", on("H200, FP32", "matmul", 512, 512, 512)),
    Case("16 rows times 4096 x 4096", on("A100, FP16", "matmul", 16, 4096, 4096)),
    Case("an oblong product", on("A100, FP32", "matmul", (33, 99), (300, 900), (1000, 4000))),
    Case("a naive product", on("A100, FP32", "naive_matmul", (100, 900), (100, 900), (100, 900))),
    Case("a chain of 4, one kernel", on("A100, FP32", "chain", (1000, 10**8), 4)),
    Case("a chain of 4, eager", on("A100, FP32", "eager_chain", (1000, 10**8), 4)),
    Case("a chain of 100, one kernel", on("A100, FP32", "chain", (1000, 10**8), 100)),
    Case("a chain of 100, eager", on("A100, FP32", "eager_chain", (1000, 10**8), 100)),
    Case("an addition, FP64", on("H200, FP64", "add", (1000, 10**9))),
    Case("softmax on a slow chip", on("a slow chip, FP32", "softmax", (100, 900), (100, 900))),
    Case("sums of rows on a slow chip", on("a slow chip, FP32", "row_sum", (100, 900), (100, 900))),
    Case("a matrix times a vector on a slow chip", on(
        "a slow chip, FP32", "matvec", (1000, 9000), (1000, 9000))),
    Case("eager on a slow chip", on("a slow chip, FP32", "eager_chain", (1000, 10**8), 4)),
    *(
        Case(f"{name} on a slow chip", on("a slow chip, FP32", op, *sizes))
        for name, op, *sizes in (
            ("a naive product", "naive_matmul", (100, 900), (100, 900), (100, 900)),
            ("an addition", "add", (1000, 10**9)),
            ("a bias", "bias", (100, 900), (100, 900)),
        )
    ),
    Case("an addition, INT8", on("H200, INT8", "add", (1000, 10**9))),
    Case("just left of the ridge", lambda g: ("relu", [draw(g, 9, 999)], 4, 1.002e12, 8e12)),
    Case("exactly on the ridge", lambda g: ("relu", [draw(g, 9, 999)], 4, 1e12, 8e12)),
)
