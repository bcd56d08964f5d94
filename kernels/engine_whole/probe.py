"""Lets the learner's engine serve the project's load on the recorded models, and two drawn loads.
Its texts and the machine's calls are all that leaves the process."""

from tutor.judge.cases import engine
from tutor.judge.cases.engine import HashPair, Machine

LOADS = (  # name, key of the hashing models (None: the recorded ones), requests, blocks, size, places
    ("the project", None, engine.project_requests(), 0, 0, 0),
    ("a small cache", 4611, engine.drawn(1, 40, (4, 20), (4, 28)), 24, 4, 8),
    ("a few long texts", 977, engine.drawn(2, 9, (2, 30), (20, 60)), 90, 5, 4),
)


def probe(module, device):
    loads = []
    for _, key, requests, *sizes in LOADS:
        machine = engine.project_machine() if key is None else Machine(HashPair(key), *sizes)
        written = module.serve(machine, list(requests))
        loads.append(
            [[[int(token) for token in each] for each in written], engine.make_log(machine)]
        )
    pair = engine.TinyPair()
    return {
        "loads": loads,
        "weights": pair.weight_bytes,
        "block": pair.bytes_of(engine.PROJECT_SIZE),
    }
