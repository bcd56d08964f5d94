"""A machine that runs two language models over one cache of blocks, for engines that learners write.

An engine decides which requests run, which blocks they hold and what is drafted. `Machine` runs its
target or its draft model on rows of several requests, keeps keys and values in the blocks that a row's
table names, and notes each call. `Refused` says what breaks its rules. Two pairs of models fit it:
`TinyPair`, the recorded models, and `HashPair`, which computes no language, but whose next token depends
on every token and position that was read from the cache. One wrong slot changes it, and a call takes
microseconds.
"""

import functools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor
from torch.nn import functional as F

from tutor.base.number_text import plural
from tutor.judge.cases import tiny_lm

END = 0  # the token after which a text ends; of the tiny model the end of a line
DRAFT_COST = 0.14  # of a call of the target: the draft's parameters over those of the target
MOST_CALLS = 3_000
_ROTARY_BASE = 10_000.0


Laid = tuple[Sequence[int], int, list[int]]  # new tokens, place of the first, slots of all places


class Refused(Exception):
    """A row breaks a rule of the machine; one sentence with call and request."""


class Row(NamedTuple):
    """New tokens of a request, the first of which stands at place `start` of its text. `table` names the
    block of places 0 to size - 1, then the block of the next ones, and so on."""

    name: str
    tokens: Sequence[int]
    start: int
    table: Sequence[int]


@dataclass(frozen=True)
class Request:
    """A text to go on with: the tokens of its prompt (1 or more), and how many tokens it gets at most
    (1 or more)."""

    name: str
    prompt: tuple[int, ...]
    limit: int


@dataclass(frozen=True)
class Call:
    """A call of a model: for each row its request's name, start, tokens and length of its table."""

    model: str
    rows: tuple[tuple[str, int, int, int], ...]


class Pair(Protocol):
    """A target and a draft model, whose keys and values lie in slots, `size` in each block."""

    def clear(self, slots: int) -> None:
        """Make a cache of so many slots, in which nothing was written."""

    def run(self, model: str, rows: Sequence[Laid]) -> list[list[int]]:
        """Write the new tokens of rows, and return the likeliest next token after each."""


class Machine:
    """`blocks` blocks of `size` tokens, and two models over them. A call takes at most `places` rows.

    What both models keep of a token lies in the same slot of the same block. Nothing is erased: a
    freed block holds what was there until somebody writes it.
    """

    def __init__(self, pair: Pair, blocks: int, size: int, places: int) -> None:
        self.blocks, self.size, self.places = blocks, size, places
        self.calls: list[Call] = []
        self._pair = pair
        pair.clear(blocks * size)

    def target(self, rows: Sequence[Row]) -> list[list[int]]:
        """Return for each row, after each of its tokens, the next token of the text."""
        return self._call("target", rows)

    def draft(self, rows: Sequence[Row]) -> list[list[int]]:
        """Return for each row, after each of its tokens, what the draft model takes for the next."""
        return self._call("draft", rows)

    def _call(self, model: str, rows: Sequence[Row]) -> list[list[int]]:
        rows = [Row(*row) for row in rows]
        where = f"call {len(self.calls)}, of the {model}"
        if len(self.calls) >= MOST_CALLS:
            raise Refused(f"It has not ended after {MOST_CALLS:,} calls.")
        if fault := self._fault(rows):
            raise Refused(f"{where[0].upper()}{where[1:]}: {fault}.")
        self.calls.append(
            Call(model, tuple((r.name, r.start, len(r.tokens), len(r.table)) for r in rows))
        )
        return self._pair.run(
            model,
            [([int(token) for token in row.tokens], row.start, self._slots(row)) for row in rows],
        )

    def _slots(self, row: Row) -> list[int]:
        return [
            int(row.table[place // self.size]) * self.size + place % self.size
            for place in range(row.start + len(row.tokens))
        ]

    def _fault(self, rows: Sequence[Row]) -> str:
        """Say which rule rows break, else ""."""
        if not rows:
            return "it has no row"
        if len(rows) > self.places:
            return f"it has {len(rows)} rows, and {self.places} is the most"
        written: dict[int, str] = {}
        for row in rows:
            if not len(row.tokens):
                return f"{row.name} has no new token: its row begins at place {row.start}, and is empty"
            if row.start < 0:
                return f"{row.name} begins at place {row.start}"
            last = row.start + len(row.tokens)
            if last > len(row.table) * self.size:
                held = plural(len(row.table), "block")
                needs = f"{row.name} needs room for {plural(last, 'token')}"
                return f"{needs}, and its table has {held} of {self.size}"
            for block in row.table:
                if not 0 <= int(block) < self.blocks:
                    return f"the table of {row.name} names block {block}, of {self.blocks}"
            for slot in self._slots(row)[row.start :]:
                if slot in written:
                    block = slot // self.size
                    if written[slot] == row.name:
                        return f"{row.name} writes a slot of block {block} twice"
                    return f"{written[slot]} and {row.name} write the same slot of block {block}"
                written[slot] = row.name
        return ""


# --- two pairs of models --------------------------------------------------------------------------


def _mix(*numbers: int) -> int:
    """Return a number of 32 bits in which each bit depends on every number and on their order."""
    found = 0x9E3779B9
    for number in numbers:
        found = (found ^ (number & 0xFFFFFFFF)) * 0x85EBCA6B & 0xFFFFFFFF
        found ^= found >> 13
        found = found * 0xC2B2AE35 & 0xFFFFFFFF
        found ^= found >> 16
    return found


class HashPair:
    """Models of no language: the next token is a hash of all tokens and positions that are read.

    A text ends by `END` about once in `ends` tokens. The draft model agrees with the target `kept` times
    in 100, as long as it reads what the target reads.
    """

    def __init__(self, key: int = 0, tokens: int = 50, ends: int = 20, kept: int = 75) -> None:
        self.key, self.tokens, self.ends, self.kept = key, tokens, ends, kept
        self._slots: dict[str, list[int]] = {}

    def clear(self, slots: int) -> None:
        """Fill all slots with what nobody wrote."""
        for model in ("target", "draft"):
            self._slots[model] = [_mix(self.key, slot, 77) for slot in range(slots)]

    def run(self, model: str, rows: Sequence[Laid]) -> list[list[int]]:
        """Write the new tokens, and return what the model says after each."""
        held = self._slots[model]
        for tokens, start, slots in rows:
            for place, token in enumerate(tokens, start):
                held[slots[place]] = _mix(self.key, token, place)
        answers: list[list[int]] = []
        for tokens, start, slots in rows:
            read = sum(held[slot] for slot in slots[:start])
            answers.append([])
            for place in range(start, start + len(tokens)):
                read += held[slots[place]]
                answers[-1].append(self._says(model, read, place))
        return answers

    def write(self, prompt: Sequence[int], limit: int) -> list[int]:
        """Return what the target alone writes behind a prompt, up to `END` or so many tokens."""
        read = sum(_mix(self.key, token, place) for place, token in enumerate(prompt))
        written: list[int] = []
        for place in range(len(prompt), len(prompt) + limit):
            written.append(self._says("target", read, place - 1))
            if written[-1] == END:
                break
            read += _mix(self.key, written[-1], place)
        return written

    def says(self, model: str, text: Sequence[int]) -> int:
        """Return a model's next token behind a text, "target" or "draft"."""
        read = sum(_mix(self.key, token, place) for place, token in enumerate(text))
        return self._says(model, read, len(text) - 1)

    def _says(self, model: str, read: int, place: int) -> int:
        found = _mix(self.key, read, place, 1)
        # A large `ends` leaves few bits of the hash for the token: they are mixed anew.
        rest = found // self.ends if self.ends < 1 << 16 else _mix(found)
        token = END if found % self.ends == 0 else 1 + rest % (self.tokens - 1)
        if model == "draft" and _mix(self.key, read, place, 2) % 100 >= self.kept:
            return 1 + token % (self.tokens - 1)
        return token


class TinyPair:
    """The recorded target and draft. Keys and values of each layer lie in slots, turned by positions;
    slots that nobody wrote hold large numbers."""

    def __init__(self) -> None:
        self._models = {name: _tiny(name) for name in ("target", "draft")}
        self._keys: dict[str, list[Tensor]] = {}
        self._values: dict[str, list[Tensor]] = {}

    @property
    def weight_bytes(self) -> int:
        """Return the bytes of both models' weights, in float32."""
        return sum(
            each.numel() * each.element_size()
            for model in self._models.values()
            for each in model.parameters()
        )

    def bytes_of(self, slots: int) -> int:
        """Return the bytes of so many slots, in both models."""
        self.clear(slots)
        kept = [*self._keys.values(), *self._values.values()]
        return sum(each.numel() * each.element_size() for layers in kept for each in layers)

    def clear(self, slots: int) -> None:
        """Make a cache in which nobody wrote."""
        for name, model in self._models.items():
            size = (slots, model.shape.kv_heads, model.shape.head)
            self._keys[name] = [torch.full(size, 9.0) for _ in model.layers]
            self._values[name] = [torch.full(size, 9.0) for _ in model.layers]

    @torch.no_grad()
    def run(self, model: str, rows: Sequence[Laid]) -> list[list[int]]:
        """Write keys and values of the new tokens, and return the likeliest next token after each."""
        before = torch.get_num_threads()
        torch.set_num_threads(1)  # two are slower for sizes like these
        try:
            return self._run(model, rows)
        finally:
            torch.set_num_threads(before)

    def _run(self, name: str, rows: Sequence[Laid]) -> list[list[int]]:
        model: Any = self._models[name]
        new = max(len(tokens) for tokens, _, _ in rows)
        all_ = max(len(slots) for _, _, slots in rows)
        codes, places = (torch.zeros(len(rows), new, dtype=torch.long) for _ in range(2))
        read = torch.zeros(len(rows), all_, dtype=torch.long)
        last = torch.full((len(rows), new), 0)
        for at, (tokens, start, slots) in enumerate(rows):
            codes[at, : len(tokens)] = torch.tensor(tokens)
            places[at, : len(tokens)] = torch.arange(start, start + len(tokens))
            last[at] = start
            last[at, : len(tokens)] = places[at, : len(tokens)]
            read[at, : len(slots)] = torch.tensor(slots)
        real = torch.arange(new) < torch.tensor([[len(tokens)] for tokens, _, _ in rows])
        written = read.gather(1, places)[real]
        seen = (torch.arange(all_) <= last[:, :, None])[:, None]
        x = model.embedding(codes)
        for layer, keys, values in zip(
            model.layers, self._keys[name], self._values[name], strict=True
        ):
            x = x + _attend(
                layer, layer.norm_attention(x), places, keys, values, (written, real), read, seen
            )
            y = layer.norm_hidden(x)
            x = x + layer.down(F.silu(layer.gate(y)) * layer.up(y))
        found: list[list[int]] = (model.norm(x) @ model.embedding.weight.T).argmax(-1).tolist()
        return [found[at][: len(tokens)] for at, (tokens, _, _) in enumerate(rows)]


def _attend(
    layer: Any,
    x: Tensor,
    places: Tensor,
    keys: Tensor,
    values: Tensor,
    new: tuple[Tensor, Tensor],
    read: Tensor,
    seen: Tensor,
) -> Tensor:
    """Write keys and values of the new tokens into their slots, and attend to all that rows read."""
    shape, (written, real) = layer.shape, new
    batch, tokens, _ = x.shape
    queries = _rotate(layer.query(x).view(batch, tokens, shape.heads, -1), places)
    keys[written] = _rotate(layer.key(x).view(batch, tokens, shape.kv_heads, -1), places)[real]
    values[written] = layer.value(x).view(batch, tokens, shape.kv_heads, -1)[real]
    found = F.scaled_dot_product_attention(
        queries.transpose(1, 2),
        keys[read].transpose(1, 2),
        values[read].transpose(1, 2),
        attn_mask=seen,
        enable_gqa=True,
    )
    joined: Tensor = layer.out(found.transpose(1, 2).flatten(2))
    return joined


def _rotate(x: Tensor, places: Tensor) -> Tensor:
    """Turn `x`, [batch, tokens, heads, head], by positions [batch, tokens], as `tiny_lm.rotate`."""
    half = x.shape[-1] // 2
    speeds = _ROTARY_BASE ** (-torch.arange(half) / half)
    angles = (places[:, :, None, None]) * speeds
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., :half], x[..., half:]
    return torch.cat((first * cos - second * sin, first * sin + second * cos), -1)


@functools.cache
def _tiny(name: str) -> tiny_lm.TinyLM:
    return tiny_lm.load(name)


# --- the plain loop, and loads --------------------------------------------------------------------


@torch.no_grad()
def plain_tiny(request: Request) -> tuple[list[int], float]:
    """Return what the recorded target writes for a request, and the least lead of a token's logit."""
    model, out, lead = _tiny("target"), [], float("inf")
    caches = model.new_caches()
    logits = model(torch.tensor([request.prompt]), caches)[0, -1]
    while True:
        best = logits.topk(2)
        out.append(int(best.indices[0]))
        lead = min(lead, float(best.values[0] - best.values[1]))
        if out[-1] == END or len(out) == request.limit:
            return out, lead
        logits = model(torch.tensor([[out[-1]]]), caches)[0, -1]


def drawn(
    seed: int, count: int, prompts: tuple[int, int], limits: tuple[int, int]
) -> list[Request]:
    """Return requests for a `HashPair`, by dice."""
    dice = random.Random(seed)
    return [
        Request(
            f"r{number}",
            tuple(dice.randint(1, 49) for _ in range(dice.randint(*prompts))),
            dice.randint(*limits),
        )
        for number in range(count)
    ]


# The load of the project "engine" in the course's last days: how texts of the held-out text begin, the
# most tokens that each gets, and what the target writes, which `tests/judge/test_engine.py` proves. Each
# token's logit leads by 0.03 or more, so that sums in another order write the same tokens.
PROJECT_LOAD = (
    ("for example", 32, ":\n"),
    ("tain a c", 12, "ode block is"),
    ("ents an", 4, "d th"),
    ("builds a list w", 8, "ill be a"),
    ("rpreted as i", 16, "n the same conte"),
    ("key=st", 8, 'din>()" '),
    ('d "list( (1, 2, 3) )" ret', 4, "urns"),
    ("e following additional method:", 24, "\n"),
    ("es to denote", 12, "d by the con"),
    ("its cont", 8, "ains a s"),
    ("*\n\nAll", 24, " the function objects ar"),
    ("s of mutable conta", 8, "iners in"),
    ("r later use.\n\n4. The context ", 4, "mana"),
    ("e it is replac", 24, "ed by the same context m"),
    ('the "el', 4, 'se" '),
    (". If a target was incl", 4, "ude "),
    (" is used for repeated executio", 32, "n of the statement is a string o"),
    (", typically used ", 4, "to t"),
    ('xpression.\n\nThe "', 16, "__getattribute__"),
    ("teration, or an it", 8, "ems of t"),
    ("it is tested) the suite of th", 4, "e sa"),
    ("', 'c']\" and", 8, ' "\'" or '),
    (" size of the range it repr", 12, "esentation o"),
    ("nal ar", 16, "guments are comp"),
    (" cases, if the argu", 16, "ments and the sa"),
    ("ution as long as an\nexpressio", 4, "ns o"),
    ('ed.\n\n3. "remove()', 24, '" and "__getattribute__('),
    ("e stil", 4, "l as"),  # codespell:ignore stil
    ("and a brief so", 8, "me and t"),
    ("y is a", 4, " str"),
)
PROJECT_BLOCKS, PROJECT_SIZE, PROJECT_PLACES = 16, 8, 8


def project_requests() -> list[Request]:
    """Return the requests of the project "engine"."""
    return [
        Request(f"r{number}", tuple(tiny_lm.encode(text).tolist()), limit)
        for number, (text, limit, _) in enumerate(PROJECT_LOAD)
    ]


def project_texts() -> list[list[int]]:
    """Return what the target alone writes for each of them."""
    return [tiny_lm.encode(written).tolist() for _, _, written in PROJECT_LOAD]


def project_machine() -> Machine:
    """Return the machine of the project "engine", with the recorded models."""
    return Machine(TinyPair(), PROJECT_BLOCKS, PROJECT_SIZE, PROJECT_PLACES)


def project_sizes() -> dict[str, Any]:
    """Return what a plan of the project "engine" is made from, by the names of its arguments."""
    requests = project_requests()
    return {
        "target": list_sizes(tiny_lm.SHAPES["target"]),
        "draft": list_sizes(tiny_lm.SHAPES["draft"]),
        "prompts": torch.tensor([len(each.prompt) for each in requests]),
        "limits": torch.tensor([each.limit for each in requests]),
        "blocks": PROJECT_BLOCKS,
        "size": PROJECT_SIZE,
        "places": PROJECT_PLACES,
        "k": 3,
        "kept": 0.7,
    }


def list_sizes(shape: tiny_lm.Shape) -> list[int]:
    """Return layers, width, heads, heads of keys and values, hidden, characters."""
    sizes = (shape.layers, shape.width, shape.heads, shape.kv_heads, shape.hidden)
    return [*sizes, len(tiny_lm.CHARACTERS)]


def make_log(machine: Machine) -> list[Any]:
    """Return the machine's calls as JSON has them: [model, [[name, start, tokens, blocks], ...]]."""
    return [[call.model, [list(row) for row in call.rows]] for call in machine.calls]
