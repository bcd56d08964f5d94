"""What a pass to int4 weights is built of and measured by, for the project "pass".

A pass gets the graph of a network and inputs that it has seen, and returns another graph in which linear
layers keep codes of four bits. `int4_linear`, `unpack` and `float_linear` stand for kernels of a GPU:
they compute on the CPU, and a `Meter` counts them, their FLOP and the bytes that they move. Codes lie as
in Q4_0 of GGUF: of 32 numbers, byte i holds number i in its low four bits and number i + 16 in its high
ones, and a code is the step plus 8.
"""

import copy
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, ValuesView
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.fx
from torch import Tensor, nn
from torch.nn import functional as F

from tutor.judge.cases import tiny_lm

BLOCK = 32  # numbers whose codes share 16 bytes
SEEN_FROM = (
    64 * tiny_lm.LENGTH + tiny_lm.LENGTH
)  # of the held-out text; the judge asks what is before
Pass = Callable[..., torch.fx.GraphModule]

# --- kernels, as far as a CPU has them ------------------------------------------------------------


@dataclass
class Meter:
    """Kernels that ran, their FLOP and the bytes that they read and wrote."""

    kernels: int = 0
    int4_kernels: int = 0
    flop: int = 0
    moved: int = 0


_meters: list[Meter] = []


@contextmanager
def metered() -> Iterator[Meter]:
    """Count the kernels that run meanwhile."""
    meter = Meter()
    _meters.append(meter)
    try:
        yield meter
    finally:
        _meters.remove(meter)


def _count(flop: int, *tensors: Tensor, int4: bool = False) -> None:
    for meter in _meters:
        meter.kernels += 1
        meter.int4_kernels += int4
        meter.flop += flop
        meter.moved += sum(each.numel() * each.element_size() for each in tensors)


def pack(codes: Tensor) -> Tensor:
    """Return the bytes, uint8 [N, K // 2], of codes 0 to 15, [N, K]; 32 divides K."""
    blocks = codes.to(torch.uint8).view(codes.shape[0], -1, 2, BLOCK // 2)
    return (blocks[:, :, 0] | blocks[:, :, 1] << 4).flatten(1)


def _numbers(packed: Tensor, scale: Tensor) -> Tensor:
    blocks = packed.view(packed.shape[0], -1, 1, BLOCK // 2)
    steps = torch.cat((blocks & 15, blocks >> 4), 2).flatten(1).float() - 8
    return steps * scale.float().repeat_interleave(steps.shape[1] // scale.shape[1], 1)


def unpack(packed: Tensor, scale: Tensor) -> Tensor:
    """Return the weight, float32 [N, K]: one kernel, which writes it to memory. `scale` is float16,
    [N, groups]."""
    w = _numbers(packed, scale)
    _count(w.numel(), packed, scale, w)
    return w


def float_linear(x: Tensor, w: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x @ w.T + bias: one kernel, which reads float numbers."""
    y = F.linear(x, w, bias)
    _count(2 * x.numel() * w.shape[0], x, w, y)
    return y


def int4_linear(x: Tensor, packed: Tensor, scale: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x @ w.T + bias, float32: one kernel, which reads codes and scales."""
    y = F.linear(x, _numbers(packed, scale), bias)
    _count(2 * x.numel() * packed.shape[0], x, packed, scale, y, int4=True)
    return y


class Int4Linear(nn.Module):
    """A linear layer that keeps `packed`, `scale` and a bias, and runs one kernel."""

    packed: Tensor
    scale: Tensor
    bias: Tensor | None

    def __init__(self, packed: Tensor, scale: Tensor, bias: Tensor | None = None) -> None:
        super().__init__()
        self.register_buffer("packed", packed)
        self.register_buffer("scale", scale)
        self.register_buffer("bias", None if bias is None else bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's result for `x`, [..., K]."""
        return int4_linear(x, self.packed, self.scale, self.bias)


class UnpackedLinear(Int4Linear):
    """The same, by two kernels: one writes the weight as float numbers, one multiplies."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's result for `x`, [..., K]."""
        return float_linear(x, unpack(self.packed, self.scale), self.bias)


# --- networks -------------------------------------------------------------------------------------


def network(source: str) -> nn.Module:
    """Return the network `net` that a text makes, in eval mode."""
    names: dict[str, Any] = {"torch": torch, "nn": nn, "F": F, "tiny_lm": tiny_lm}
    exec(source, names)
    net: nn.Module = names["net"]
    return net.eval().requires_grad_(False)


def trace_network(net: nn.Module) -> torch.fx.GraphModule:
    """Return the graph of a network, which shares its modules."""
    given = {"caches": None} if isinstance(net, tiny_lm.TinyLM) else None
    return torch.fx.symbolic_trace(net, concrete_args=given)


def text(windows: int = 32) -> Tensor:
    """Return windows of held-out text that a pass may see, int64 [windows, 128]."""
    return tiny_lm.windows(tiny_lm.held_out()[SEEN_FROM:], windows)[0]


def eligible(graph: torch.fx.GraphModule) -> dict[str, int]:
    """Return how often the graph calls each linear layer that gets four bits: 32 divides its inputs, and
    no other module has its weight."""
    owners = Counter(
        id(tensor)
        for each in graph.modules()
        for tensor in each._parameters.values()
        if tensor is not None
    )
    calls = Counter(node.target for node in graph.graph.nodes if node.op == "call_module")
    found = {}
    for name, count in calls.items():
        layer = graph.get_submodule(str(name))
        fits = isinstance(layer, nn.Linear) and layer.in_features % BLOCK == 0
        if fits and owners[id(layer.weight)] == 1:
            found[str(name)] = count
    return found


def round_to_nearest(w: Tensor, group: int) -> tuple[Tensor, Tensor]:
    """Return codes [N, K] and scales, float16 [N, K // group], of a weight rounded to nearest."""
    groups = w.view(w.shape[0], -1, group)
    scale = (groups.abs().amax(2) / 7).half()
    step = scale.float()[:, :, None]
    steps = torch.round(groups / torch.where(step == 0, torch.inf, step)).clamp(-8, 7)
    return (steps + 8).to(torch.uint8).flatten(1), scale


def round_graph(graph: torch.fx.GraphModule, group: int = BLOCK) -> torch.fx.GraphModule:
    """Return a copy of the graph whose eligible layers are rounded to nearest, in groups of so many
    numbers; 0: of a row."""
    out = copy.deepcopy(graph)
    for name in eligible(graph):
        layer = out.get_submodule(name)
        codes, scale = round_to_nearest(layer.weight, group or layer.in_features)  # type: ignore[arg-type]
        out.set_submodule(name, Int4Linear(pack(codes), scale, layer.bias))  # type: ignore[arg-type]
    return out


# --- what is measured -----------------------------------------------------------------------------


def _held(module: nn.Module) -> dict[int, Tensor]:
    """Return the tensors of a module by the address of their memory: parameters, buffers, and what
    stands in plain attributes."""
    found: list[Any] = [*module.parameters(), *module.buffers()]
    for each in module.modules():
        for value in vars(each).values():
            inner = value.values() if isinstance(value, dict) else value
            found += inner if isinstance(inner, list | tuple | ValuesView) else [inner]
    tensors = [each for each in found if isinstance(each, Tensor)]
    return {each.untyped_storage().data_ptr(): each for each in tensors}


def bytes_by_kind(module: nn.Module) -> dict[str, int]:
    """Return the bytes of a module's tensors: of codes ("uint8"), scales ("float16") and all else
    ("float"). Memory that two of them share counts once."""
    kinds = {torch.uint8: "uint8", torch.float16: "float16"}
    found = dict.fromkeys(("uint8", "float16", "float"), 0)
    for tensor in _held(module).values():
        found[kinds.get(tensor.dtype, "float")] += tensor.untyped_storage().nbytes()
    return found


def _tensors(module: nn.Module) -> list[Tensor]:
    kept = (torch.uint8, torch.float16)
    return [each for each in _held(module).values() if each.dtype not in kept]


def _is_among(tensor: Tensor, others: Iterable[Tensor]) -> bool:
    return any(torch.equal(tensor, other) for other in others)


def state_of(module: nn.Module) -> tuple[dict[str, str], dict[str, Tensor]]:
    """Return the kind of each module and a copy of each tensor, by name."""
    kinds = {name: type(each).__name__ for name, each in module.named_modules()}
    tensors = (*module.named_parameters(), *module.named_buffers())
    return kinds, {name: each.detach().clone() for name, each in tensors}


def same_state(one: Any, other: Any) -> bool:
    """Return whether two results of `state_of` are equal bit for bit."""
    return bool(
        one[0] == other[0]
        and one[1].keys() == other[1].keys()
        and all(torch.equal(value, other[1][name]) for name, value in one[1].items())
    )


def squared_error(got: Tensor, want: Tensor) -> float:
    """Return the sum of squared differences; infinite where shapes differ or a number is none."""
    if got.shape != want.shape:
        return math.inf
    found = float((got.double() - want.double()).square().sum())
    return found if math.isfinite(found) else math.inf


FIELDS = (
    "int4 kernels",
    "other kernels",
    "int4 bytes",
    "scale bytes",
    "float bytes",
    "changed",
    "rounded",
    "wrong",
    "no better",
)
MOST_OF_ROUNDING = 0.85  # of rounding's squared error on inputs that were seen
LEAST_OF_ROUNDING = 0.005  # feedback leaves 0.07 and more; float numbers leave nothing


@torch.no_grad()
def measure(build: Pass, source: str, seen: Tensor, group: int = BLOCK, **switches: bool) -> Tensor:
    """Return what a pass makes of a text's network, int64 [9], in the order of `FIELDS`.

    "changed" is 1 where the pass wrote to its graph or inputs, and "rounded" counts float tensors that
    are none of the given graph's. "wrong" is 1 where the result is another network: more than four times
    the error of rounding to nearest in the same groups, or next to none, as of float numbers, or a row
    that depends on others. "no better" is 1 where the error on `seen` is more than `MOST_OF_ROUNDING` of
    that of rounding. Where the switch `feedback` is off, the pass gets None for `seen`.
    """
    return _measure(build, source, seen, group, switches)[0]


def _measure(
    build: Pass, source: str, seen: Tensor, group: int, switches: dict[str, bool]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the row of `measure`, the results for `seen`, and those of rounding to nearest."""
    graph = trace_network(network(source))
    want, nearest = graph(seen), round_graph(graph, group)
    before, given = state_of(graph), seen.clone()
    code = graph.code
    out = build(graph, seen if switches.get("feedback", True) else None, **switches)
    if not isinstance(out, torch.fx.GraphModule):
        raise TypeError(f"`quantise` returned {type(out).__name__}, not a torch.fx.GraphModule")
    out.graph.lint()
    changed = not same_state(before, state_of(graph)) or not torch.equal(given, seen)
    changed |= code != graph.code or not torch.equal(want, graph(given))
    with metered() as meter:
        got = out(given)
    plain = nearest(given)
    error, usual = squared_error(got, want), squared_error(plain, want)
    alone = torch.cat([out(given[row : row + 1]) for row in range(3)])
    apart = squared_error(alone, got[:3]) > 1e-6 * float(got[:3].double().square().sum())
    kinds = bytes_by_kind(out)
    row = [
        meter.int4_kernels,
        meter.kernels - meter.int4_kernels,
        kinds["uint8"],
        kinds["float16"],
        kinds["float"],
        int(changed),
        sum(not _is_among(each, before[1].values()) for each in _tensors(out)),
        int(apart or not LEAST_OF_ROUNDING * usual < error < 4 * usual),
        int(error > MOST_OF_ROUNDING * usual),
    ]
    return torch.tensor(row), got, plain


Setting = tuple[str, dict[str, bool]]
SETTINGS: tuple[Setting, ...] = (  # name, switches
    ("nothing", {"groups": True, "feedback": True, "kernel": True}),
    ("groups", {"groups": False, "feedback": True, "kernel": True}),
    ("feedback", {"groups": True, "feedback": False, "kernel": True}),
    ("kernel", {"groups": True, "feedback": True, "kernel": False}),
    ("all three", {"groups": False, "feedback": False, "kernel": False}),
)
PAIRS: tuple[Setting, ...] = (  # two parts off, behind what they are compared with
    SETTINGS[0],
    SETTINGS[1],
    ("groups and feedback", {"groups": False, "feedback": False, "kernel": True}),
    ("groups and kernel", {"groups": False, "feedback": True, "kernel": False}),
    ("feedback and kernel", {"groups": True, "feedback": False, "kernel": False}),
)


@torch.no_grad()
def ablate(
    build: Pass, source: str, seen: Tensor, settings: Sequence[Setting] = SETTINGS
) -> Tensor:
    """Return `measure` for each of the settings, int64 [5, 10]. The last column is 1 where a switch
    changes more than it names: results that the kernel's absence changes, or that differ from rounding
    to nearest though there is no feedback."""
    rows, results = [], {}
    for name, switches in settings:
        group = BLOCK if switches["groups"] else 0
        found, results[name], plain = _measure(build, source, seen, group, switches)
        like = results["nothing"] if switches["groups"] else results["groups"]
        if not switches["feedback"]:
            like = plain
        size = float(like.double().square().sum())
        more = squared_error(results[name], like) > 1e-8 * size
        rows.append(torch.cat((found, torch.tensor([int(more)]))))
    return torch.stack(rows)


def expect(source: str, group: int = BLOCK, **switches: bool) -> Tensor:
    """Return what `measure` finds of a right pass: one kernel a call of each eligible layer, or two
    where the switch `kernel` is off."""
    graph = trace_network(network(source))
    calls, kinds = eligible(graph), bytes_by_kind(round_graph(graph, group))
    whole, kernels = switches.get("kernel", True), sum(calls.values())
    counted = [kernels * whole, 2 * kernels * (not whole)]
    counted += [kinds["uint8"], kinds["float16"], kinds["float"]]
    return torch.tensor([*counted, 0, 0, 0, int(not switches.get("feedback", True))])


def expect_ablation(source: str, settings: Sequence[Setting] = SETTINGS) -> Tensor:
    """Return what `ablate` finds of a right pass."""
    rows = [
        expect(source, BLOCK if switches["groups"] else 0, **switches) for _, switches in settings
    ]
    return torch.nn.functional.pad(torch.stack(rows), (0, 1))


def report(build: Pass, **switches: bool) -> dict[str, float]:
    """Return what a pass makes of the tiny model, by name: what Day 68 promises, and the perplexity."""
    graph = trace_network(tiny_lm.load("target"))
    out = build(graph, text() if switches.get("feedback", True) else None, **switches)
    with torch.no_grad(), metered() as meter:
        out(text(1))
    kinds, whole = bytes_by_kind(out), bytes_by_kind(graph)
    held = sum(kinds.values())
    layers = [graph.get_submodule(name) for name in eligible(graph)]
    weights = sum(each.weight.numel() for each in layers if isinstance(each, nn.Linear))
    return {
        "int4 bytes": kinds["uint8"],
        "scale bytes": kinds["float16"],
        "float bytes": kinds["float"],
        "share of the float model": held / sum(whole.values()),
        "bits a weight": 8 * (kinds["uint8"] + kinds["float16"]) / weights,
        "kernels a forward": meter.kernels,
        "FLOP a forward": meter.flop,
        "bytes moved a forward": meter.moved,
        "perplexity": perplexity(out),
    }


@torch.no_grad()
def perplexity(module: nn.Module) -> float:
    """Return the perplexity on the 64 windows that no pass has seen."""
    asked, want = tiny_lm.windows(tiny_lm.held_out())
    loss = F.cross_entropy(module(asked).flatten(0, 1), want.flatten())
    return math.exp(loss.item())
