"""Switches each part of the learner's pass off, on the tiny model, and measures what comes out."""

import torch

from tutor.judge.cases import int4_pass


def probe(module, device):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        rows = {
            name: int4_pass.report(module.quantise, **switches)
            for name, switches in int4_pass.SETTINGS
        }
    finally:
        torch.set_num_threads(threads)
    return {"rows": rows}
