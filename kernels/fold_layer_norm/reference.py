import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work


def folding(weight, bias, norm_weight, norm_bias, *, left_out=""):
    """Weight and bias, computed by sums over columns. The option names a mistake."""
    zeros = torch.zeros(len(weight), dtype=weight.dtype, device=weight.device)
    own = zeros if bias is None or left_out == "bias" else bias
    shift = torch.zeros_like(norm_weight) if norm_bias is None else norm_bias
    scaled = torch.einsum("oi,i->oi", weight, norm_weight)
    carried = torch.einsum("oi,i->o", scaled if left_out == "order" else weight, shift)
    if left_out == "rows" and len(weight) == len(norm_weight):
        scaled = torch.einsum("oi,o->oi", weight, norm_weight)
    if left_out == "weight" and len(weight) == len(shift):
        carried = shift
    if left_out == "carried":
        carried = zeros
    return torch.cat((scaled.flatten(), own + carried))


def reference(weight, bias, norm_weight, norm_bias):
    return folding(weight, bias, norm_weight, norm_bias)


eager = reference


def scale(weight, bias, norm_weight, norm_bias):
    positive = (
        None if each is None else each.abs() for each in (weight, bias, norm_weight, norm_bias)
    )
    magnitudes = folding(*positive)
    scaled, constant = magnitudes[: -len(weight)], magnitudes[-len(weight) :]
    # The columns may also be read off the layer's outputs, which contain the constant.
    scaled = scaled.reshape(len(weight), -1) + constant[:, None]
    return torch.cat((scaled.flatten(), constant))


def work(weight, bias, norm_weight, norm_bias):
    numbers = 2 * weight.numel() + 2 * len(weight) + 2 * len(norm_weight)
    return Work(bytes=4 * numbers, flops=3 * weight.numel())


def by_mistake(left_out):
    return lambda *args: folding(*args, left_out=left_out)


NEAR_MISSES = (
    ("the rows of the weight are scaled, not its columns", by_mistake("rows")),
    ("the bias of the layer norm goes through the scaled weight", by_mistake("order")),
    ("the bias of the layer norm is added as it is", by_mistake("weight")),
    ("the bias of the layer norm is missing", by_mistake("carried")),
    ("the bias of the linear layer is missing", by_mistake("bias")),
)


ARGUMENTS = runpy.run_path(str(Path(__file__).with_name("probe.py")))["ARGUMENTS"]


def check_found(found):
    """(code, sentence) where `fold` by itself does not fold, else None."""
    for what, given in ARGUMENTS.items():
        want = folding(*(None if each is None else each.double() for each in given()))
        got = torch.tensor(found[what], dtype=torch.float64)
        if got.shape != want.shape or not torch.allclose(got, want, rtol=1e-4, atol=1e-5):
            return "wrong-values", (
                "`folded` is right, and `fold` by itself is not: called with a layer of 5 inputs and 3 "
                f"outputs{what}, it returns another weight or bias. Leave `folded` as it stands in the "
                "starter."
            )
    return None


def case(out, read, *, bias=True, norm_bias=True, transposed=False):
    def make(g):
        def normal(*shape):
            return torch.randn(shape, generator=g, device=g.device)

        weight = normal(read, out).T if transposed else normal(out, read)
        return (
            weight,
            1 + normal(out) if bias else None,
            1 + normal(read),
            1 + normal(read) if norm_bias else None,
        )

    return make


CASES = (
    Case("one number", case(1, 1)),
    Case("square", case(6, 6)),
    Case("wide", case(4, 9)),
    Case("tall", case(9, 4)),
    Case("no bias in the layer", case(5, 7, bias=False)),
    Case("no bias in the norm", case(5, 7, norm_bias=False)),
    Case("no bias at all", case(5, 7, bias=False, norm_bias=False)),
    Case("one output", case(1, 12)),
    Case("transposed view", case(8, 3, transposed=True)),
)
