import torch
from torch import Tensor

from tutor.judge.cases.engine import END, HashPair, Machine, Request, Row


def serve(
    machine: Machine,
    requests: list[Request],
    paging: bool = True,
    batching: bool = True,
    speculation: bool = True,
) -> list[list[int]]:
    """The tokens that each request gets, in the order of `requests`."""
    texts = {r.name: list(r.prompt) for r in requests}
    begins = {r.name: len(r.prompt) for r in requests}
    most = {r.name: len(r.prompt) + r.limit for r in requests}
    tables, read, seen = {}, {}, {}
    spare, waiting, running = [*range(machine.blocks)], [r.name for r in requests], []

    def drafts_of(name):
        return min(3, most[name] - len(texts[name]) - 1) if speculation else 0

    def missing(name):
        tokens = len(texts[name]) + drafts_of(name) if paging else most[name] - 1
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
        closed = bool(running) and not batching
        while (
            waiting
            and not closed
            and len(running) < machine.places
            and missing(waiting[0]) <= len(spare)
        ):
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


def switched(
    prompts: list[list[int]],
    limits: list[int],
    key: int,
    blocks: int,
    size: int,
    places: int,
    switches: list[int],
) -> Tensor:
    """Texts, int64 [n + 1, largest limit + 3], -1 behind each. In the last row 1, 1, 1 where each
    switch does what it names. Leave it as it is."""
    paging, batching, speculation = map(bool, switches)
    requests = [
        Request(f"r{i}", tuple(prompt), limit)
        for i, (prompt, limit) in enumerate(zip(prompts, limits, strict=True))
    ]
    machine = Machine(HashPair(key), blocks, size, places)
    written = serve(machine, requests, paging=paging, batching=batching, speculation=speculation)
    out = torch.full((len(limits) + 1, max(limits) + 3), -1)
    for row, tokens in zip(out, written, strict=False):
        row[: len(tokens)] = torch.tensor(tokens)

    whole = {r.name: -(-(len(r.prompt) + r.limit - 1) // size) for r in requests}
    calls = [call.rows for call in machine.calls if call.model == "target"]
    held = [
        blocks <= -(-(start + new + 3) // size) if paging else blocks == whole[name]
        for rows in calls
        for name, start, new, blocks in rows
    ]
    # Somebody begins in a call in which others go on.
    joined = any(len({start == 0 for _, start, _, _ in rows}) == 2 for rows in calls)
    drafted = len(calls) < len(machine.calls)
    out[-1, :3] = torch.tensor([all(held), joined == batching, drafted == speculation])
    return out
