"""Lets the learner's ranks do the project's own run. What they noted leaves the process."""

import math
import time

from tutor.judge.cases import tiny_lm
from tutor.judge.cases.training import FOLDED, PROJECT
from tutor.judge.worker.learner_function import describe_output
from tutor.judge.worker.ranks.launch import Ranks

STEPS = 2


def text(run, steps):
    """Return the text of each rank, [world, steps, microbatches, rows, tokens + 1]."""
    windows = tiny_lm.held_out()
    length = run.tokens // run.rows + 1
    size = (run.replicas, steps, run.microbatches, run.rows, length)
    return windows[: math.prod(size)].view(size).repeat(run.stages, 1, 1, 1, 1)


def probe(module, device):
    run = PROJECT
    world = run.stages * run.replicas
    file = module.train.__code__.co_filename
    ranks = Ranks(
        module.train, file, time.monotonic() + 50, 4 << 30, lambda out: describe_output(out, ())
    )
    end = ranks.run((world, run.stages, text(run, STEPS)))
    if end.output is None:
        return {"broken": "In the project's own run the ranks come to no end, or return no tensor."}
    return {
        "broken": "",
        "noted": end.output[:, FOLDED:].tolist(),
        "sent": list(end.report.sent),
        "messages": [calls.get("send", 0) for calls in end.report.calls],
    }
