"""Parts of a trainer on several ranks: a stage of the tiny language model, and Adam for a part of it.

The model is the recorded `target` of `tiny_lm` in float64, with one change: the logits have a scale and
a matrix of their own, which begins as a copy of the embedding. So a weight lives in one stage alone, and
not every stage has an even number of weights. A stage notes
what is done with it: the order of forwards and backwards, how many microbatches it keeps at once, and
the bytes that it saves for their backwards. Each backward is a step of `own_steps`.
"""

import contextlib
import copy
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tutor.judge.cases import own_steps, tiny_lm

RATE, DECAY, SQUARES, EPS = 0.01, 0.9, 0.99, 1e-3
FOLDED = 4096  # sums that stand for a stage's weights in a row of `report`
_UNITS = 5  # the embedding, three layers, the norm with the logits
_LOGIT_SCALE = 4.0


class _Embedding(nn.Module):
    def __init__(self, model: tiny_lm.TinyLM) -> None:
        super().__init__()
        self.rows = nn.Parameter(model.embedding.weight.detach().clone())

    def forward(self, codes: Tensor, positions: Tensor) -> Tensor:
        return self.rows[codes]


class _Logits(nn.Module):
    def __init__(self, model: tiny_lm.TinyLM) -> None:
        super().__init__()
        self.norm = model.norm
        self.rows = nn.Parameter(model.embedding.weight.detach().clone())
        self.scale = nn.Parameter(torch.tensor([_LOGIT_SCALE], dtype=torch.float64))

    def forward(self, x: Tensor, positions: Tensor) -> Tensor:
        logits: Tensor = self.norm(x) @ self.rows.T * self.scale
        return logits


def units_of(stage: int, stages: int) -> range:
    """Return the units of a stage: 0 is the embedding, 1 to 3 are layers, 4 makes the logits.

    Raises `ValueError` where there are more stages than units, or no such stage.
    """
    if not 0 <= stage < stages <= _UNITS:
        raise ValueError(f"stage {stage} of {stages}: there are at most {_UNITS} stages")
    held = [unit for unit in range(_UNITS) if unit * stages // _UNITS == stage]
    return range(held[0], held[-1] + 1)


def count_weights(stages: int) -> list[int]:
    """Return how many weights each stage has."""
    parts = _make_parts()
    sizes = [sum(each.numel() for each in part.parameters()) for part in parts]
    return [sum(sizes[unit] for unit in units_of(stage, stages)) for stage in range(stages)]


@functools.cache
def _make_parts() -> tuple[nn.Module, ...]:
    model = tiny_lm.load("target").double()
    return (_Embedding(model), *model.layers, _Logits(model))


@dataclass
class _Kept:
    given: Tensor | None
    out: Tensor
    bytes: int


class Stage:
    """A part of the model. `weights` and `gradient` are float64 [n]; `backward` adds to `gradient`.

    `first` and `last` say which it is; `width` is how many numbers a token has between stages.
    `order`: `i + 1` for the forward of microbatch i, `-(i + 1)` for its backward, in the order of the
    calls since `load`. `most_alive`, `most_saved`: microbatches and bytes that were kept at once.
    `held`: numbers of Adam's state.
    """

    def __init__(self, stage: int, stages: int) -> None:
        units, parts = units_of(stage, stages), _make_parts()
        self._parts = nn.ModuleList(copy.deepcopy(parts[unit]) for unit in units)
        self.stage, self.stages = stage, stages
        self.first, self.last = stage == 0, stage == stages - 1
        self.width = tiny_lm.SHAPES["target"].width
        parameters = list(self._parts.parameters())
        self.weights = torch.cat([each.detach().reshape(-1) for each in parameters])
        self.gradient = torch.zeros_like(self.weights)
        self.start = self.weights.clone()
        at = 0
        for each in parameters:
            until = at + each.numel()
            each.requires_grad_(True)
            each.data = self.weights[at:until].view(each.shape)
            each.grad = self.gradient[at:until].view(each.shape)
            at = until
        self.held = self.most_alive = self.most_saved = 0
        self._codes = torch.zeros(0, 1, 2, dtype=torch.int64)
        self._kept: dict[int, _Kept] = {}
        self.order: list[int] = []

    def load(self, codes: Tensor) -> None:
        """Take the text of a step, [microbatches, rows, tokens + 1]: the first stage reads all but its
        last column, the last stage has to predict all but its first one. Others do not look at it."""
        self._codes, self.order = codes, []
        self._kept.clear()

    @property
    def microbatches(self) -> int:
        """How many microbatches the step has."""
        return len(self._codes)

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of what goes from stage to stage: rows, tokens, width."""
        _, rows, tokens = self._codes.shape
        return rows, tokens - 1, self.width

    def forward(self, number: int, given: Tensor | None = None) -> Tensor:
        """Return what the next stage needs of microbatch `number`, or on the last stage its loss.

        `given` is what came from the stage before; None on the first. What the backward needs is kept
        until `backward`. Raises `ValueError` where it is kept already, or `given` is not as it should
        be.
        """
        if number in self._kept:
            raise ValueError(f"microbatch {number} was forward already")
        codes = self._codes[number]
        if (given is None) != self.first:
            raise ValueError("the first stage is given None, and every other one a tensor")
        if given is not None:
            if given.shape != self.shape or given.dtype != torch.float64:
                raise ValueError(f"expected float64 {list(self.shape)} from the stage before")
            given = given.detach().clone().requires_grad_(True)
        x = codes[:, :-1] if given is None else given
        positions = torch.arange(self.shape[1], dtype=torch.float64)
        saved: dict[int, int] = {}
        own = self.weights.untyped_storage().data_ptr()

        def note(tensor: Tensor) -> Tensor:
            at = tensor.untyped_storage().data_ptr()
            if at != own and tensor.is_floating_point():
                saved[at] = tensor.untyped_storage().nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            for part in self._parts:
                x = part(x, positions)
            if self.last:
                x = F.cross_entropy(x.flatten(0, 1), codes[:, 1:].flatten())
        self._kept[number] = _Kept(given, x, sum(saved.values()))
        self.order.append(number + 1)
        self.most_alive = max(self.most_alive, len(self._kept))
        self.most_saved = max(self.most_saved, sum(each.bytes for each in self._kept.values()))
        return x.detach()

    def backward(self, number: int, gradient: Tensor | None = None) -> Tensor | None:
        """Add the gradient of microbatch `number` to `gradient`, and return what the stage before needs;
        None on the first.

        `gradient` is what came from the next stage; None on the last. Raises `ValueError` where the
        microbatch was not forward, or `gradient` is not as it should be.
        """
        kept = self._kept.pop(number, None)
        if kept is None:
            raise ValueError(f"microbatch {number} was not forward, or is backward already")
        if (gradient is None) != self.last:
            raise ValueError("the last stage is given None, and every other one a tensor")
        if gradient is not None and (gradient.shape, gradient.dtype) != (self.shape, torch.float64):
            raise ValueError(f"expected float64 {list(self.shape)} from the next stage")
        # `out.backward(gradient)` would import SymPy, half a second in each rank.
        scalar = kept.out if gradient is None else (kept.out * gradient).sum()
        scalar.backward()  # type: ignore[no-untyped-call]
        self.order.append(-(number + 1))
        own_steps.count()
        return None if kept.given is None else kept.given.grad


class Adam:
    """Adam's state for `count` numbers: two numbers for each, which the stage counts as held."""

    def __init__(self, stage: Stage, count: int) -> None:
        self._mean, self._squares = (torch.zeros(count, dtype=torch.float64) for _ in range(2))
        self._steps = 0
        stage.held += 2 * count

    def update(self, weights: Tensor, gradient: Tensor) -> None:
        """Change `weights`, [count], in place. `EPS` is 1e-3: the size of a gradient counts."""
        self._steps += 1
        self._mean.lerp_(gradient, 1 - DECAY)
        self._squares.mul_(SQUARES).addcmul_(gradient, gradient, value=1 - SQUARES)
        root = (self._squares / (1 - SQUARES**self._steps)).sqrt_().add_(EPS)
        weights.addcdiv_(self._mean, root, value=-RATE / (1 - DECAY**self._steps))


def order_1f1b(stage: int, stages: int, microbatches: int) -> list[int]:
    """Return the order of 1F1B on a stage, in the numbers of `Stage.order`."""
    ahead = min(stages - stage, microbatches)
    order = list(range(1, ahead + 1))
    for done in range(1, microbatches + 1):
        order.append(-done)
        if done + ahead <= microbatches:
            order.append(done + ahead)
    return order


def tell_call(number: int) -> str:
    """Return a call of `Stage.order` as `pipelines` writes it: F0, B3; "" for 0."""
    return f"{'F' if number > 0 else 'B'}{abs(number) - 1}" if number else ""


def fold(numbers: Tensor) -> Tensor:
    """Return float64 [`FOLDED`]: sums of `numbers`, each times a factor that depends on its place. A
    number that is off, or at another place, changes a sum."""
    places = torch.arange(len(numbers), dtype=torch.float64)
    weighed = F.pad(numbers * (1.7 * places).cos(), (0, -len(numbers) % FOLDED))
    return weighed.view(-1, FOLDED).sum(0)


def report(stage: Stage, numbers: Tensor) -> Tensor:
    """Return a stage's row for the judge, float64 [`FOLDED` + 2 * microbatches + 2]: `numbers`, folded,
    the order of the last step, and the most that was held: bytes that backwards need, and numbers of
    Adam's state."""
    order = torch.zeros(2 * stage.microbatches, dtype=torch.float64)
    done = stage.order[: len(order)]
    order[: len(done)] = torch.tensor(done, dtype=torch.float64)
    held = torch.tensor([stage.most_saved, stage.held], dtype=torch.float64)
    return torch.cat((fold(numbers), order, held))


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread meanwhile: the model is so small that several wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def count_saved(stage: int, stages: int, rows: int, tokens: int) -> int:
    """Return how many bytes a stage saves for the backward of one microbatch."""
    part = Stage(stage, stages)
    part.load(torch.zeros(1, rows, tokens + 1, dtype=torch.int64))
    part.forward(0, None if part.first else torch.zeros(part.shape, dtype=torch.float64))
    return part.most_saved


def train_alone(
    stages: int, batches: Sequence[Tensor], times: float = 1, clear: bool = True
) -> list[tuple[Tensor, Tensor]]:
    """Train the model in one process, a step for each batch, [rows, tokens + 1]. Return for each stage
    the mean gradient of the first step and the change of its weights, each [n].

    Two slips can be made: gradients that are `times` too large, and such that no step clears.
    """
    parts = [Stage(stage, stages) for stage in range(stages)]
    states = [Adam(part, len(part.weights)) for part in parts]
    first: list[Tensor] = []
    for batch in batches:
        x: Tensor | None = None
        for part in parts:
            part.load(batch[None])
            x = part.forward(0, x)
        for part in reversed(parts):
            x = part.backward(0, None if part.last else x)
        first = first or [part.gradient.clone() for part in parts]
        for part, state in zip(parts, states, strict=True):
            state.update(part.weights, times * part.gradient)
            if clear:
                part.gradient.zero_()
    return [
        (gradient, part.weights - part.start) for gradient, part in zip(first, parts, strict=True)
    ]


@dataclass(frozen=True)
class Sizes:
    """What a run of the trainer is: `tokens` of a microbatch are in `rows` windows of equal length."""

    stages: int
    replicas: int
    microbatches: int
    rows: int
    tokens: int


# The run that the capstone's numbers are promised for, and measured on.
PROJECT = Sizes(stages=2, replicas=2, microbatches=4, rows=1, tokens=16)
