import torch
from torch import Tensor

from tutor.judge.cases.engine import END, HashPair, Machine, Request, Row


def serve(machine: Machine, requests: list[Request]) -> list[list[int]]:
    """The tokens that each request gets, in the order of `requests`."""
    texts = {r.name: list(r.prompt) for r in requests}
    begins = {r.name: len(r.prompt) for r in requests}
    most = {r.name: len(r.prompt) + r.limit for r in requests}
    tables, read, seen = {}, {}, {}
    spare, waiting, running = [*range(machine.blocks)], [r.name for r in requests], []

    def drafts_of(name):
        return min(3, most[name] - len(texts[name]) - 1)

    def missing(name):
        tokens = len(texts[name]) + drafts_of(name)
        return (tokens - 1) // machine.size + 1 - len(tables.get(name, []))

    def draft(rows_of):
        """Propose tokens for all that want more, and so on for these: {name: drafts}."""
        those = [name for name in rows_of if len(rows_of[name]) < drafts_of(name)]
        if not those:
            return rows_of
        rows = []
        for name in those:
            known = texts[name] + rows_of[name]
            rows.append(Row(name, known[seen[name] :], seen[name], tables[name]))
            seen[name] = len(known)
        found = machine.draft(rows)
        more = {name: [*rows_of[name], said[-1]] for name, said in zip(those, found, strict=True)}
        return draft({**rows_of, **more})

    while waiting or running:
        at = 0
        while at < len(running):
            name = running[at]
            if missing(name) > len(spare):
                last = running.pop()
                spare += tables.pop(last)
                waiting = [last, *waiting]
                continue
            for _ in range(missing(name)):
                tables[name].append(spare.pop(0))
            at += 1
        while waiting and len(running) < machine.places and missing(waiting[0]) <= len(spare):
            name = waiting.pop(0)
            need = missing(name)
            tables[name], spare = spare[:need], spare[need:]
            read[name] = seen[name] = 0
            running.append(name)
        drafted = draft({name: [] for name in running})
        rows = [
            Row(name, texts[name][read[name] :] + drafted[name], read[name], tables[name])
            for name in running
        ]
        for name, said in zip(list(running), machine.target(rows), strict=True):
            said = said[len(texts[name]) - read[name] - 1 :]
            same = [a == b for a, b in zip(drafted[name], said, strict=False)]
            kept = same.index(False) if False in same else len(same)
            new = said[: kept + 1]
            if END in new:
                new = new[: new.index(END) + 1]
            read[name] = len(texts[name]) + kept
            seen[name] = min(seen[name], read[name])
            texts[name] += new
            if new[-1] == END or len(texts[name]) == most[name]:
                running.remove(name)
                spare += tables.pop(name)
    return [texts[r.name][begins[r.name] :] for r in requests]


def served(
    prompts: list[list[int]], limits: list[int], key: int, blocks: int, size: int, places: int
) -> Tensor:
    """Serve requests on a machine, int64 [n, largest limit + 1], -1 behind a text. Leave it as it is."""
    requests = [
        Request(f"r{i}", tuple(prompt), limit)
        for i, (prompt, limit) in enumerate(zip(prompts, limits, strict=True))
    ]
    written = serve(Machine(HashPair(key), blocks, size, places), requests)
    out = torch.full((len(limits), max(limits) + 1), -1)
    for row, tokens in zip(out, written, strict=True):
        row[: len(tokens)] = torch.tensor(tokens)
    return out
