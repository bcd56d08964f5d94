"""What a model's matrices in few bits are built of and measured by, for Day 56.

Each parameter of two axes is a matrix. It is kept as steps of 3 to 8 bits and a float16 scale for each
32 numbers that follow each other in a row. What that costs is measured as a divergence: how far the
probabilities of the next character move away from the float model's.
"""

import copy
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from tutor.judge.cases import int4_pass, tiny_lm

WIDTHS = (3, 4, 5, 6, 8)  # bits of a step
GROUP = 32  # numbers that share a scale
BUDGET = 210_800  # bytes of steps and scales; with the tiny model's norms 17.0 % of its float bytes
MOST_OF_EQUAL = 0.5  # of the divergence of equal widths
Stored = dict[str, tuple[Tensor, Tensor, int]]  # steps int8, scale float16, bits; by name
SEEN_WINDOWS = 8


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread meanwhile: models so small are slower on two."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def matrices(net: nn.Module) -> dict[str, Tensor]:
    """Return the parameters of two axes by name, in the order of `named_parameters`. One that two
    modules share stands here once."""
    return {name: each for name, each in net.named_parameters() if each.dim() == 2}


def round_to(w: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    """Return steps, int8 [N, K], and scales, float16 [N, K // 32], of a matrix rounded to nearest."""
    groups = w.reshape(w.shape[0], -1, GROUP)
    top = 2 ** (bits - 1) - 1
    scale = (groups.abs().amax(2) / top).half()
    step = scale.to(w.dtype)[:, :, None]
    steps = torch.round(groups / torch.where(step == 0, torch.inf, step)).clamp(-top - 1, top)
    return steps.to(torch.int8).flatten(1), scale


def numbers(steps: Tensor, scale: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return the matrix, [N, K], that steps and scales stand for."""
    groups = steps.to(dtype).reshape(steps.shape[0], -1, GROUP)
    return (groups * scale.to(dtype)[:, :, None]).flatten(1)


def stored_bytes(w: Tensor, bits: int) -> int:
    """Return the bytes of a matrix in steps of so many bits, side by side, and its float16 scales."""
    return w.numel() * bits // 8 + 2 * w.numel() // GROUP


def float_bytes(net: nn.Module) -> int:
    """Return the bytes of all parameters in float32."""
    return sum(4 * each.numel() for each in net.parameters())


@torch.no_grad()
def log_probabilities(net: nn.Module, codes: Tensor) -> Tensor:
    """Return the logarithms of the probabilities of what comes next, float64 [..., classes]."""
    return torch.log_softmax(net(codes).double(), -1)


def divergence(usual: Tensor, changed: Tensor) -> float:
    """Return the mean of KL(usual || changed) over all places, in nats. Both are logarithms of
    probabilities."""
    return float((usual.exp() * (usual - changed)).sum(-1).mean())


@torch.no_grad()
def narrowed(net: nn.Module, widths: dict[str, int]) -> nn.Module:
    """Return a copy whose matrices named here hold the numbers of so many bits, rounded to nearest."""
    out = copy.deepcopy(net)
    for name, w in matrices(out).items():
        if name in widths:
            w.copy_(numbers(*round_to(w, widths[name]), w.dtype))
    return out


# --- sensitivity ----------------------------------------------------------------------------------

Sensitivity = Callable[[nn.Module, Tensor, tuple[int, ...]], tuple[list[str], Tensor]]


def network(source: str) -> nn.Module:
    """Return the network of a text, in eval mode and float64."""
    return int4_pass.network(source).double()


def measure_sensitivity(
    find: Sensitivity, source: str, seen: Tensor, widths: tuple[int, ...]
) -> Tensor:
    """Return what `find` says of a text's network, float64 [matrices + 1, widths + 1]: in each row the
    matrix's place in `matrices` and its losses. The last row begins with 1 where the network was left
    changed, else with 0."""
    net, given = network(source), seen.clone()
    order = list(matrices(net))
    before = int4_pass.state_of(net)
    with one_thread():
        names, losses = find(net, given, widths)
    changed = not int4_pass.same_state(before, int4_pass.state_of(net)) or net.training
    changed |= not torch.equal(given, seen)
    if not isinstance(losses, Tensor):
        raise TypeError(f"the losses are of type {type(losses).__name__}, not a tensor")
    if losses.dtype != torch.float64:
        raise TypeError(f"the losses are {losses.dtype}, not torch.float64")
    if any(name not in order for name in names):
        raise ValueError(f"the names are not those of `matrices(net)`: {list(names)}")
    places = torch.tensor([order.index(name) for name in names], dtype=torch.float64)
    last = torch.zeros(1, len(widths) + 1, dtype=torch.float64)
    last[0, 0] = float(changed)
    return torch.cat((torch.cat((places[:, None], losses), 1), last))


# --- a whole model in few bits ---------------------------------------------------------------------

Compress = Callable[[nn.Module, Tensor, int], Stored]
FIELDS = ("matrices", "others", "changed", "form", "steps", "bytes over the budget", "too far off")


def equal_width(net: nn.Module, budget: int) -> int:
    """Return the most bits that all matrices may have together, or the fewest where none fit."""
    whole = matrices(net).values()
    fitting = [bits for bits in WIDTHS if sum(stored_bytes(w, bits) for w in whole) <= budget]
    return max(fitting, default=WIDTHS[0])


def _fits_form(w: Tensor, kept: Any) -> bool:
    if not isinstance(kept, tuple) or len(kept) != 3:
        return False
    steps, scale, bits = kept
    if not isinstance(steps, Tensor) or not isinstance(scale, Tensor) or bits not in WIDTHS:
        return False
    groups = (w.shape[0], w.shape[1] // GROUP)
    return bool(
        steps.dtype == torch.int8
        and steps.shape == w.shape
        and scale.dtype == torch.float16
        and tuple(scale.shape) == groups
    )


def stored_total(stored: Stored) -> int:
    """Return the bytes of steps and scales of all matrices."""
    return sum(stored_bytes(steps, bits) for steps, _, bits in stored.values())


@torch.no_grad()
def restored(net: nn.Module, stored: Stored) -> nn.Module:
    """Return a copy of a network with the matrices that steps and scales stand for."""
    out = copy.deepcopy(net)
    for name, w in matrices(out).items():
        steps, scale, _ = stored[name]
        w.copy_(numbers(steps, scale, w.dtype))
    return out


def measure_compression(
    compress: Compress, source: str, seen: Tensor, asked: Tensor, budget: int
) -> Tensor:
    """Return what `compress` makes of a text's network, int64 [7], in the order of `FIELDS`: how many
    of its matrices are kept, and then faults, which are zeros of a right answer. The last ones are 0
    where an earlier one shows a fault."""
    net, given = int4_pass.network(source), seen.clone()
    before = int4_pass.state_of(net)
    with one_thread():
        stored = compress(net, given, budget)
    row = dict.fromkeys(FIELDS, 0)
    changed = not int4_pass.same_state(before, int4_pass.state_of(net))
    row["changed"] = int(changed or net.training or not torch.equal(given, seen))
    _find_fault(row, int4_pass.network(source), stored, asked, budget)
    return torch.tensor(list(row.values()))


def _find_fault(
    row: dict[str, int], net: nn.Module, stored: Any, asked: Tensor, budget: int
) -> None:
    """Put the first fault of what is stored into `row`."""
    whole = matrices(net)
    if not isinstance(stored, dict):
        raise TypeError(f"`compress` returned {type(stored).__name__}, not a dict")
    row["matrices"] = len(set(stored) & set(whole))
    row["others"] = len(set(stored) - set(whole))
    if row["others"] or row["matrices"] < len(whole):
        return
    row["form"] = sum(not _fits_form(w, stored[name]) for name, w in whole.items())
    if row["form"]:
        return
    for steps, _, bits in stored.values():
        low, top = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
        row["steps"] += int(((steps < low) | (steps > top)).sum())
    row["bytes over the budget"] = max(0, stored_total(stored) - budget)
    if row["steps"] or row["bytes over the budget"]:
        return
    usual = log_probabilities(net, asked)
    width = equal_width(net, budget)
    equal = log_probabilities(narrowed(net, dict.fromkeys(whole, width)), asked)
    found = divergence(usual, log_probabilities(restored(net, stored), asked))
    row["too far off"] = int(not found <= MOST_OF_EQUAL * divergence(usual, equal))


# --- points of the tiny model -----------------------------------------------------------------------


def seen_text(windows: int = SEEN_WINDOWS) -> Tensor:
    """Return windows of held-out text to measure sensitivities on, int64 [windows, 128]. The perplexity
    is that of other text."""
    return int4_pass.text(windows)


def seconds_of(net: nn.Module, codes: Tensor, turns: int = 5) -> float:
    """Return the least processor time of a forward, of some turns."""
    taken = []
    with torch.no_grad():
        for _ in range(turns):
            start = time.process_time()
            net(codes)
            taken.append(time.process_time() - start)
    return min(taken)


def report(compress: Compress) -> dict[str, list[float]]:
    """Return measured points of the tiny model: bytes, perplexity, and time as a ratio to the float
    model in this run. The last one is the learner's."""
    net = tiny_lm.load("target")
    stored = compress(net, seen_text(), BUDGET)
    net = tiny_lm.load("target")
    whole, vectors = matrices(net), float_bytes(net)
    vectors -= sum(4 * w.numel() for w in whole.values())
    points: dict[str, list[float]] = {"float32": [float_bytes(net), tiny_lm.perplexity(net), 1.0]}
    for bits in reversed(WIDTHS):
        equal = narrowed(net, dict.fromkeys(whole, bits))
        size = vectors + sum(stored_bytes(w, bits) for w in whole.values())
        points[f"{bits} bits each"] = [size, tiny_lm.perplexity(equal), 1.0]  # type: ignore[arg-type]
    codes = seen_text(4)
    usual = seconds_of(net, codes)
    for name in ("draft", "distilled"):
        small = tiny_lm.load(name)
        ratio = seconds_of(small, codes) / usual
        points[name] = [float_bytes(small), tiny_lm.perplexity(small), ratio]
    yours = math.inf if set(stored) != set(whole) else tiny_lm.perplexity(restored(net, stored))  # type: ignore[arg-type]
    points["yours"] = [vectors + stored_total(stored), yours, 1.0]
    return points
