"""Train the models of `tutor.judge.cases.tiny_lm`: `python tests/content/record_tiny_lm.py`.

The text is that of Python's help on its own topics (`pydoc_data.topics`, PSF licence). Another Python
has another text, and training is not equal bit by bit on another machine: so the weights are recorded.
It takes some five minutes on one core, with one thread: two that wait for each other are slower. Names
of models after the command train these alone; the others stay as they are.
"""

import json
import math
import platform
import pydoc_data.topics
import sys
from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tutor.base.paths import course_root
from tutor.judge.cases import tiny_lm
from tutor.judge.cases.tiny_lm import CHARACTERS, LENGTH, SHAPES, TinyLM

HELD_OUT = 0.05  # of the text, its end
STEPS = {"target": 2_000, "draft": 1_200, "distilled": 1_200}
RATES = {"target": 4e-3, "draft": 1e-2, "distilled": 1e-2}
BATCH, WARM_STEPS, LAST_RATE = 16, 30, 0.05
Loss = Callable[[Tensor, Tensor], Tensor]  # of codes in a window and those that follow


def read_text() -> Tensor:
    """Return the codes of the help on all topics, in the order of their names."""
    topics = pydoc_data.topics.topics
    text = "\n".join(topics[name] for name in sorted(topics))
    return tiny_lm.encode("".join(c for c in text if c in CHARACTERS))


def begin(name: str) -> TinyLM:
    """Return an untrained model: what adds to a layer's input begins small, as does the embedding."""
    torch.manual_seed(0)
    model = TinyLM(SHAPES[name])
    for parameter in model.parameters():
        if parameter.ndim == 2:
            nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)
    nn.init.normal_(model.embedding.weight, std=0.02)
    for layer in model.layers:
        assert isinstance(layer, tiny_lm.Layer)
        for adding in (layer.out, layer.down):
            adding.weight.data.mul_((2 * len(model.layers)) ** -0.5)
    return model


def train(name: str, text: Tensor, loss_of: Callable[[TinyLM], Loss]) -> TinyLM:
    """Train a model on windows drawn from `text`, with a rate that rises and then falls as a cosine."""
    model, steps = begin(name), STEPS[name]
    find_loss = loss_of(model)
    draw = torch.Generator().manual_seed(0)
    optimiser = torch.optim.AdamW(
        model.parameters(), lr=RATES[name], betas=(0.9, 0.98), weight_decay=0.05
    )
    for step in range(steps):
        fallen = (1 + math.cos(math.pi * step / steps)) / 2
        rate = min(1, (step + 1) / WARM_STEPS) * (LAST_RATE + (1 - LAST_RATE) * fallen)
        for group in optimiser.param_groups:
            group["lr"] = RATES[name] * rate
        starts = torch.randint(0, len(text) - LENGTH - 1, (BATCH, 1), generator=draw)
        rows = text[starts + torch.arange(LENGTH + 1)]
        loss = find_loss(rows[:, :-1], rows[:, 1:])
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if (step + 1) % 100 == 0:
            print(f"{name} step {step + 1}: loss {loss.item():.3f}", flush=True)
    return model.eval().requires_grad_(False)


def on_text(model: TinyLM) -> Loss:
    """Return the loss against the characters that stand in the text."""
    return lambda codes, after: F.cross_entropy(model(codes).flatten(0, 1), after.flatten())


def on_target(target: TinyLM) -> Callable[[TinyLM], Loss]:
    """Return the loss against the target's probabilities: their divergence, KL(target, model)."""

    def loss_of(model: TinyLM) -> Loss:
        def find_loss(codes: Tensor, after: Tensor) -> Tensor:
            want = F.log_softmax(target(codes), -1)
            got = F.log_softmax(model(codes), -1)
            return F.kl_div(got, want, log_target=True, reduction="none").sum(-1).mean()

        return find_loss

    return loss_of


def main() -> None:
    """Train the models that are named, or all, and write the file."""
    wanted = sys.argv[1:] or list(SHAPES)
    torch.set_num_threads(1)
    text = read_text()
    cut = int((1 - HELD_OUT) * len(text))
    models = {}
    for name in SHAPES:  # the target is the first
        if name not in wanted:
            models[name] = tiny_lm.load(name)
        else:
            loss_of = on_target(models["target"]) if name == "distilled" else on_text
            models[name] = train(name, text[:cut], loss_of)
    made: dict[str, Any] = {
        "date": date.today().isoformat(),
        "versions": f"torch {torch.__version__.split('+')[0]}",
        "text": f"pydoc_data.topics of Python {platform.python_version()}, PSF licence",
        "characters": len(text),
        "steps": STEPS,
    }
    arrays = {
        f"{name}/{key}": value.half().numpy()
        for name, model in models.items()
        for key, value in model.state_dict().items()
    }
    said = np.frombuffer(json.dumps(made).encode(), dtype=np.uint8)
    path = tiny_lm.recording_file(course_root())
    np.savez_compressed(path, text=text[cut:].numpy().astype(np.uint8), made=said, **arrays)
    for name in models:
        print(f"{name}: perplexity {tiny_lm.perplexity(tiny_lm.load(name)):.3f}")


if __name__ == "__main__":
    main()
