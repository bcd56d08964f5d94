import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
SLACK = 2.0**-18  # of a number's terms: what float32 loses before the one rounding


def folding(weight, bias, norm, eps, groups, transposed, *, left_out=""):
    """Weight and bias, output channel by output channel. The option leaves a part out."""
    mean, variance, norm_weight, norm_bias = norm
    spread = variance + (0.0 if left_out == "eps" else eps)
    spread = spread if left_out == "root" else spread.sqrt()
    spread = variance.sqrt() + eps if left_out == "eps inside" else spread
    scale = (torch.ones_like(mean) if left_out == "weight" else norm_weight) / spread
    before = torch.zeros_like(mean) if bias is None or left_out == "bias" else bias
    shift = torch.zeros_like(mean) if left_out == "mean" else mean
    new = weight.clone()
    outs = len(mean) // groups
    ins = len(weight) // groups
    inputs = 0 if transposed else 1
    for channel in range(len(mean)):
        group, inside = divmod(channel, outs)
        if transposed:
            new[group * ins : (group + 1) * ins, inside] *= scale[
                inside if left_out == "groups" else channel
            ]
        else:
            new[channel] *= scale[channel]
    if left_out == "axis" and weight.shape[inputs] <= len(scale):
        new = weight.movedim(inputs, -1) * scale[: weight.shape[inputs]]
        new = new.movedim(-1, inputs)
    added = torch.zeros_like(mean) if left_out == "norm bias" else norm_bias
    if left_out == "scaled bias":
        return torch.cat((new.flatten(), before - shift * scale + added))
    return torch.cat((new.flatten(), (before - shift) * scale + added))


def reference(weight, bias, norm, eps, groups, transposed):
    return folding(weight, bias, norm, eps, groups, transposed)


def eager(weight, bias, norm, eps, groups, transposed):
    wide = [None if each is None else each.float() for each in (weight, bias)]
    return folding(*wide, norm, eps, groups, transposed).to(weight.dtype)


def scale(weight, bias, norm, eps, groups, transposed):
    mean, variance, norm_weight, norm_bias = norm
    magnitudes = torch.stack((-mean.abs(), variance, norm_weight.abs(), norm_bias.abs()))
    return folding(
        weight.abs(), None if bias is None else bias.abs(), magnitudes, eps, groups, transposed
    )


def work(weight, bias, norm, eps, groups, transposed):
    moved = 2 * weight.numel() * weight.element_size() + 4 * norm.numel()
    return Work(bytes=moved + 8 * norm.shape[1], flops=weight.numel())


NEAR_MISSES = tuple(
    (phrase, lambda *args, part=part: folding(*args, left_out=part))
    for phrase, part in (
        ("`eps` is not added to the variance", "eps"),
        ("`eps` is added after the square root", "eps inside"),
        ("the scale divides by the variance, and not by its square root", "root"),
        ("the weight of the batch norm is left out of the scale", "weight"),
        ("the convolution's own bias is left out", "bias"),
        ("the running mean is not subtracted", "mean"),
        ("the bias of the batch norm is not added", "norm bias"),
        ("the convolution's own bias is not scaled", "scaled bias"),
        ("the scale goes along the inputs of the weight", "axis"),
        ("each group of a transposed weight has the scales of the first one", "groups"),
    )
)


def check_found(found):
    """(code, sentence) for the first bfloat16 number that was not rounded once, else None."""
    for name, given in found.items():
        shape, dtype, (weight, bias) = given["shape"], given["dtype"], given["numbers"]
        if shape != [list(PROBE["SHAPES"][name]), [8]] or set(dtype) != {"torch.bfloat16"}:
            return "wrong-values", (
                f"`folded` is right, and `fold` by itself is not: of {name} in bfloat16 it returns a "
                f"weight {shape[0]} and a bias {shape[1]} of {' and '.join(sorted(set(dtype)))}. Leave "
                "`folded` as it stands in the starter."
            )
        args = [each.double() if isinstance(each, torch.Tensor) else each
                for each in PROBE["arguments"](name)]  # fmt: skip
        want, terms = folding(*args), scale(*args)
        half = 2.0 ** (torch.frexp(want).exponent.double() - 9)  # half a step of bfloat16
        got = torch.tensor([*weight, *bias], dtype=torch.float64)
        off = ((got - want).abs() > half + SLACK * terms).nonzero().flatten().tolist()
        if off:
            at = off[0]
            what, place = ("weight", at) if at < len(weight) else ("bias", at - len(weight))
            return "wrong-values", (
                f"Of {name} in bfloat16 {len(off)} of {len(got)} numbers were rounded more than once. "
                f"{what.capitalize()} {place} is {float(got[at]):.6g}; {float(want[at]):.6g} rounds to "
                f"{want[at].bfloat16().item():.6g}."
            )
    return None


def case(shape, outs, *, bias=True, eps=1e-5, groups=1, transposed=False, view=False,
         dtype=torch.float32, spread=1.0):  # fmt: skip
    def make(g):
        def normal(*shape):
            return torch.randn(shape, generator=g, device=g.device)

        variance = spread * (0.2 + normal(outs).abs())
        norm = torch.stack((normal(outs), variance, 1 + normal(outs), 1 + normal(outs)))
        own = (1 + normal(outs)).to(dtype) if bias else None
        weight = normal(*shape).to(dtype)
        if view:  # stored channels last, the statistics too
            weight, norm = weight.mT.contiguous().mT, norm.T.contiguous().T
        return weight, own, norm, eps, groups, transposed

    return make


CASES = (
    Case("one channel", case((1, 1, 1, 1), 1)),
    Case("three by three", case((6, 4, 3, 3), 6)),
    Case("as many inputs as outputs", case((5, 5, 3, 3), 5)),
    Case("no bias", case((6, 4, 3, 3), 6, bias=False)),
    Case("a large eps", case((6, 4, 3, 3), 6, eps=0.25)),
    Case("a variance below eps", case((4, 3, 1, 1), 4, eps=1e-3, spread=1e-4)),
    Case("rows, a small eps", case((7, 3, 5), 7, eps=1e-8, spread=1e-6)),
    Case("volumes", case((4, 3, 2, 2, 2), 4)),
    Case("two groups", case((6, 2, 3, 3), 6, groups=2)),
    Case("a group for each channel", case((8, 1, 3, 3), 8, groups=8, bias=False)),
    Case("transposed", case((4, 6, 3, 3), 6, transposed=True)),
    Case("transposed, square", case((5, 5, 2, 2), 5, transposed=True)),
    Case("transposed, two groups", case((4, 3, 3, 3), 6, groups=2, transposed=True)),
    Case("transposed, square groups", case((6, 2, 3), 6, groups=3, transposed=True)),
    Case("transposed views", case((6, 4, 3, 3), 6, view=True)),
    Case("bfloat16", case((6, 4, 3, 3), 6, dtype=torch.bfloat16)),
    Case("bfloat16, transposed, no bias", case(
        (4, 3, 2, 2), 6, bias=False, groups=2, transposed=True, dtype=torch.bfloat16)),
)  # fmt: skip
