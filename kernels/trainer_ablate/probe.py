"""Lets the learner's ranks do the project's own run, with all on and with each switch off."""

import math
import time

from tutor.judge.cases import tiny_lm
from tutor.judge.cases.training import FOLDED, PROJECT
from tutor.judge.worker.learner_function import describe_output
from tutor.judge.worker.ranks.launch import Ranks

STEPS = 2
SETTINGS = {  # one_f_one_b, sharded, once
    "nothing": (True, True, True),
    "one_f_one_b": (False, True, True),
    "sharded": (True, False, True),
    "once": (True, True, False),
}


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
    runs, first = {}, None
    for name, switches in SETTINGS.items():
        end = ranks.run((world, run.stages, text(run, STEPS), *switches))
        if end.output is None:
            return {
                "broken": f"In the project's own run, with {name} switched off, the ranks fail."
            }
        weights = end.output[:, :FOLDED]
        first = weights if first is None else first
        runs[name] = {
            "off": float((weights - first).abs().max() / first.abs().max()),
            "noted": end.output[:, FOLDED:].tolist(),
            "sent": list(end.report.sent),
            "calls": [
                [(each.operation, each.bytes) for each in row] for row in end.report.collectives
            ],
            "messages": [calls.get("send", 0) for calls in end.report.calls],
        }
    return {"broken": "", "runs": runs}
