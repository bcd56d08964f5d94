"""The worked example of the capstone: how probable a small language model finds answers to a question.

Day 68 writes `plain` and the fast scorer on its pages. Days 69 and 70 import them, with the mistakes
that the pages look for, and count what they do.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from tutor.judge.cases.tiny_lm import Cache, TinyLM

Score = Callable[["Counted", Tensor, Sequence[Tensor]], Tensor]


class Counted:
    """A model that counts its `calls`, the `tokens` that it reads, and the bytes of the caches that it
    leaves behind, at most (`cache_bytes`)."""

    def __init__(self, model: TinyLM) -> None:
        self.model = model
        self.calls = self.tokens = self.cache_bytes = 0

    def __call__(self, codes: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        """Return the model's logits of `codes`, [batch, tokens]; `caches` as of `TinyLM`."""
        self.calls += 1
        self.tokens += codes.numel()
        logits: Tensor = self.model(codes, caches)
        kept = [each for cache in caches or () for each in (cache.keys, cache.values)]
        held = sum(each.untyped_storage().nbytes() for each in kept if each is not None)
        self.cache_bytes = max(self.cache_bytes, held)
        return logits

    def new_caches(self) -> list[Cache]:
        """Return an empty cache for each layer."""
        return self.model.new_caches()


def plain(model: Counted, question: Tensor, answers: Sequence[Tensor]) -> Tensor:
    """Return the log-probability of each answer behind the question, with one call for each."""
    sums = []
    for answer in answers:
        codes = torch.cat((question, answer))
        logs = torch.log_softmax(model(codes[None]), -1)[0]
        place = torch.arange(len(question) - 1, len(codes) - 1)
        sums.append(logs[place, answer].sum())
    return torch.stack(sums)


def build(*, once: bool = True, together: bool = True, fault: str = "") -> Score:
    """Return a scorer. `once`: it reads the question once; `together`: it asks all answers in one call.
    `fault`: "padding" counts filled-in places, "layer" spoils what one layer keeps of the question."""

    def score(model: Counted, question: Tensor, answers: Sequence[Tensor]) -> Tensor:
        if together:
            return _score_together(model, question, answers, once, fault)
        if once:
            return torch.cat(_score_in_turn(model, question, answers))
        return plain(model, question, answers)

    return score


def _score_together(
    model: Counted, question: Tensor, answers: Sequence[Tensor], once: bool, fault: str
) -> Tensor:
    batch = pad_sequence(list(answers), batch_first=True)
    if once:
        caches = model.new_caches()
        first = torch.log_softmax(model(question[None], caches), -1)[0, -1]
        if fault == "layer":
            caches[1].keys = caches[1].keys.roll(1, 2)  # type: ignore[union-attr]
        logs = torch.log_softmax(model(batch[:, :-1], share(caches, len(answers))), -1)
        head = first[batch[:, 0]]
    else:
        codes = torch.cat((question.expand(len(answers), -1), batch), 1)
        every = torch.log_softmax(model(codes), -1)[:, len(question) - 1 : -1]
        head = every[:, 0].gather(1, batch[:, :1])[:, 0]
        logs = every[:, 1:]
    found = logs.gather(2, batch[:, 1:, None])[..., 0]
    sizes = torch.tensor([len(each) for each in answers])
    real = torch.arange(1, batch.shape[1]) < sizes[:, None]
    return head + (found * (real | (fault == "padding"))).sum(1)


def _score_in_turn(model: Counted, question: Tensor, answers: Sequence[Tensor]) -> list[Tensor]:
    """Score one answer after the other, each behind the same caches."""
    caches = model.new_caches()
    first = torch.log_softmax(model(question[None], caches), -1)[0, -1]
    sums = []
    for answer in answers:
        again = [Cache(each.keys, each.values) for each in caches]
        logs = torch.log_softmax(model(answer[None, :-1], again), -1)[0]
        place = torch.arange(len(answer) - 1)
        sums.append((first[answer[0]] + logs[place, answer[1:]].sum())[None])
    return sums


def share(caches: Sequence[Cache], count: int) -> list[Cache]:
    """Return caches of `count` sequences that view the one sequence of `caches`."""

    def widened(kept: Tensor | None) -> Tensor | None:
        return None if kept is None else kept.expand(count, -1, -1, -1)

    return [Cache(widened(each.keys), widened(each.values)) for each in caches]
