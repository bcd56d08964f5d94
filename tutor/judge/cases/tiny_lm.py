"""A small language model that is real: it writes the text of Python's own help, letter by letter.

Cells and exercises on inference measure on it what larger models are said to do. Its shape is that of
Llama: RMSNorm, rotary positions, several query heads for each head of keys and values, SwiGLU, and an
embedding that also gives the logits. `lessons/recorded/tiny_lm.npz` has the weights of three models and
held-out text; `tests/content/record_tiny_lm.py` made it.
"""

import functools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.fx
from torch import Tensor, nn
from torch.nn import functional as F

from tutor.base.errors import UsageError
from tutor.base.paths import course_root

CHARACTERS = "\n" + "".join(map(chr, range(32, 127)))
LENGTH = 128  # characters of a window; positions past it were never trained
_ROTARY_BASE = 10_000.0
_LOGIT_SCALE = 4.0  # the embedding's rows are small, as training begins


@dataclass(frozen=True)
class Shape:
    """Sizes of a model. `width` is shared by `heads`; `kv_heads` divide `heads`."""

    width: int = 96
    layers: int = 3
    heads: int = 4
    kv_heads: int = 2
    hidden: int = 256

    @property
    def head(self) -> int:
        """Numbers of one head."""
        return self.width // self.heads


SHAPES = {"target": Shape(), "draft": Shape(64, 1, 2, 1, 128), "distilled": Shape(64, 1, 2, 1, 128)}


@dataclass
class Cache:
    """Keys and values of a layer so far, [batch, kv_heads, tokens, head]; None before there are any."""

    keys: Tensor | None = None
    values: Tensor | None = None

    @property
    def tokens(self) -> int:
        """How many tokens are kept."""
        return 0 if self.keys is None else self.keys.shape[2]

    def extend(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Append those of new tokens, and return those of all."""
        if self.keys is not None and self.values is not None:
            keys = torch.cat((self.keys, keys), 2)
            values = torch.cat((self.values, values), 2)
        self.keys, self.values = keys, values
        return keys, values


def rotate(x: Tensor, positions: Tensor) -> Tensor:
    """Turn each pair of numbers (i, i + head / 2) of `x`, [..., tokens, head], by an angle that grows
    with the token's position and falls with i (RoPE, arXiv 2104.09864, pairs as in Llama)."""
    half = x.shape[-1] // 2
    speeds = _ROTARY_BASE ** (-torch.arange(half) / half)
    angles = positions[:, None] * speeds
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., :half], x[..., half:]
    return torch.cat((first * cos - second * sin, first * sin + second * cos), -1)


def _positions(start: int, count: int) -> Tensor:
    """Return the positions of `count` tokens, the first at `start`."""
    return torch.arange(start, start + count).float()


def _seen(new: int, all_: int) -> Tensor:
    """Return which of `all_` tokens each of the last `new` sees, [new, all_]."""
    return torch.ones(new, all_, dtype=torch.bool).tril(all_ - new)


# `torch.fx.symbolic_trace` makes a node of a call to these: they need a size that is a number.
torch.fx.wrap("rotate")
torch.fx.wrap("_positions")
torch.fx.wrap("_seen")


class Layer(nn.Module):
    """Attention over the tokens so far, then a gated hidden layer; both add to their input."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width, keys = shape.width, shape.kv_heads * shape.head
        self.shape = shape
        self.norm_attention, self.norm_hidden = nn.RMSNorm(width), nn.RMSNorm(width)
        self.query, self.out = _linear(width, width), _linear(width, width)
        self.key, self.value = _linear(width, keys), _linear(width, keys)
        self.gate, self.up = _linear(width, shape.hidden), _linear(width, shape.hidden)
        self.down = _linear(shape.hidden, width)

    def forward(self, x: Tensor, positions: Tensor, cache: Cache | None = None) -> Tensor:
        """Return [batch, tokens, width] of as much; `cache` has the tokens before and gets these."""
        x = x + self._attend(self.norm_attention(x), positions, cache)
        y = self.norm_hidden(x)
        added: Tensor = self.down(F.silu(self.gate(y)) * self.up(y))
        return x + added

    def _attend(self, x: Tensor, positions: Tensor, cache: Cache | None) -> Tensor:
        shape = self.shape
        queries = rotate(_split_heads(self.query(x), shape.heads), positions)
        keys = rotate(_split_heads(self.key(x), shape.kv_heads), positions)
        values = _split_heads(self.value(x), shape.kv_heads)
        if cache is not None:
            keys, values = cache.extend(keys, values)
        seen = _seen(queries.shape[2], keys.shape[2])
        found = F.scaled_dot_product_attention(
            queries, keys, values, attn_mask=seen, enable_gqa=True
        )
        joined: Tensor = self.out(found.transpose(1, 2).flatten(2))
        return joined


class TinyLM(nn.Module):
    """A model of a `Shape`: from codes of characters, [batch, tokens], to logits of the next one."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(len(CHARACTERS), shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width)

    def forward(self, codes: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        """Return logits, [batch, tokens, characters]. With `caches`, one a layer, `codes` are the tokens
        that come after those in them."""
        start = caches[0].tokens if caches else 0
        positions = _positions(start, codes.shape[1])
        x = self.embedding(codes)
        for place, layer in enumerate(self.layers):
            x = layer(x, positions, caches[place] if caches else None)
        logits: Tensor = self.norm(x) @ self.embedding.weight.T * _LOGIT_SCALE
        return logits

    def new_caches(self) -> list[Cache]:
        """Return an empty cache for each layer."""
        return [Cache() for _ in self.layers]


def _linear(inputs: int, outputs: int) -> nn.Linear:
    return nn.Linear(inputs, outputs, bias=False)


def _split_heads(x: Tensor, heads: int) -> Tensor:
    """Return [batch, heads, tokens, head] of [batch, tokens, heads * head]."""
    batch, tokens, _ = x.shape
    return x.view(batch, tokens, heads, -1).transpose(1, 2)


# --- what was recorded ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Recording:
    """The file's contents: weights by model and name in float16, codes of held-out text, and how it was
    made."""

    weights: dict[str, dict[str, Any]]
    text: Any
    made: dict[str, Any] = field(default_factory=dict)


def recording_file(root: Path) -> Path:
    """Return the path of the models in the course at `root`."""
    return root / "lessons" / "recorded" / "tiny_lm.npz"


def read_recording() -> Recording:
    """Return the models, read once in a process. Raises `UsageError` where there are none."""
    return _read(recording_file(course_root()))


@functools.cache
def _read(path: Path) -> Recording:
    weights: dict[str, dict[str, Any]] = {name: {} for name in SHAPES}
    try:
        with np.load(path, allow_pickle=False) as file:
            for key in file.files:
                model, slash, name = key.partition("/")
                if slash:
                    weights[model][name] = file[key]
            return Recording(weights, file["text"], json.loads(bytes(file["made"])))
    except FileNotFoundError:
        raise UsageError(f"{path}: no model is recorded") from None
    except (ValueError, KeyError, OSError) as error:
        raise UsageError(f"{path}: expected recorded models, {error}") from None


def load(name: str) -> TinyLM:
    """Return the model "target", "draft" (trained on the text) or "distilled" (a draft trained on the
    target's probabilities), in float32 on the CPU, ready to be asked."""
    if name not in SHAPES:
        raise UsageError(f"{name!r} is no recorded model; take one of {', '.join(SHAPES)}")
    model = TinyLM(SHAPES[name])
    recorded = read_recording().weights[name]
    model.load_state_dict({key: torch.from_numpy(value).float() for key, value in recorded.items()})
    return model.eval().requires_grad_(False)


def held_out() -> Tensor:
    """Return the codes of text that no model was trained on, int64."""
    return torch.from_numpy(read_recording().text).long()


# --- text and probabilities -----------------------------------------------------------------------


def encode(text: str) -> Tensor:
    """Return the codes of the characters, int64. Raises `UsageError` for one that the models lack."""
    for character in text:
        if character not in CHARACTERS:
            raise UsageError(f"the models do not know the character {character!r}")
    return torch.tensor([CHARACTERS.index(character) for character in text], dtype=torch.int64)


def decode(codes: Sequence[int] | Tensor) -> str:
    """Return the text of codes."""
    return "".join(CHARACTERS[int(code)] for code in codes)


def windows(codes: Tensor, count: int = 64) -> tuple[Tensor, Tensor]:
    """Return `count` windows of `LENGTH` codes, and for each code the one that follows it."""
    kept = codes[: count * LENGTH + 1]
    return kept[:-1].view(count, LENGTH), kept[1:].view(count, LENGTH)


@torch.no_grad()
def perplexity(model: TinyLM, codes: Tensor | None = None) -> float:
    """Return e to the mean of -log p of each next character in 64 windows of the held-out text."""
    asked, want = windows(held_out() if codes is None else codes)
    loss = F.cross_entropy(model(asked).flatten(0, 1), want.flatten())
    return math.exp(loss.item())


@torch.no_grad()
def overlap(target: TinyLM, draft: TinyLM) -> float:
    """Return the mean of Σ min(p, q) over the held-out text: how often a character that the draft draws
    is accepted by the target (arXiv 2211.17192, section 3.2)."""
    asked, _ = windows(held_out())
    p, q = (torch.softmax(model(asked), -1) for model in (target, draft))
    return float(torch.minimum(p, q).sum(-1).mean())
