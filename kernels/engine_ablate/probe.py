"""Lets the learner's engine serve the project's load with all parts, and without each one. Its texts
and the machine's calls are all that leaves the process."""

from tutor.judge.cases import engine

SETTINGS = {
    "nothing": {},
    "paging": {"paging": False},
    "batching": {"batching": False},
    "speculation": {"speculation": False},
}


def probe(module, device):
    runs = {}
    for name, switches in SETTINGS.items():
        machine = engine.project_machine()
        written = module.serve(machine, engine.project_requests(), **switches)
        texts = [[int(token) for token in each] for each in written]
        runs[name] = [texts, engine.make_log(machine)]
    return {"runs": runs}
