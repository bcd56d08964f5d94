from dataclasses import dataclass, field

import torch
from torch import Tensor

from tutor.judge.cases.engine import END, HashPair, Machine, Request, Row

DRAFTS = 3  # tokens that the draft model proposes in a step


@dataclass
class Running:
    """A request that runs: its text so far, its blocks, and what both models have read."""

    request: Request
    text: list[int]  # the prompt, and what was written
    table: list[int] = field(default_factory=list)
    most_drafts: int = DRAFTS
    read: int = 0  # tokens that the target has read
    drafted: int = 0  # tokens that the draft model has read

    @property
    def left(self) -> int:
        """Tokens that it may still write."""
        return len(self.request.prompt) + self.request.limit - len(self.text)

    @property
    def is_done(self) -> bool:
        written = self.text[len(self.request.prompt) :]
        return self.left == 0 or END in written

    @property
    def drafts(self) -> int:
        """Drafts in the next step: the target adds a token, and behind the limit none is needed."""
        return min(self.most_drafts, self.left - 1)


def serve(
    machine: Machine,
    requests: list[Request],
    paging: bool = True,
    batching: bool = True,
    speculation: bool = True,
) -> list[list[int]]:
    """Return the tokens that each request gets, in the order of `requests`."""
    most = DRAFTS if speculation else 0
    spare = list(range(machine.blocks))
    waiting = [Running(request, list(request.prompt), most_drafts=most) for request in requests]
    every, running = list(waiting), []

    if paging:

        def room(one):
            return len(one.text) + one.drafts

        def stays(one):
            return one.read
    else:

        def room(one):
            return len(one.request.prompt) + one.request.limit - 1

        stays = room

    def may_join():
        return True

    if not batching:

        def may_join():
            return not running

    def blocks_for(tokens):
        return (tokens + machine.size - 1) // machine.size

    def missing(one):
        return blocks_for(room(one)) - len(one.table)

    def let_go(one, keep=0):
        spare.extend(one.table[keep:])
        del one.table[keep:]

    while waiting or running:
        # What runs comes first, the oldest first. Without room the youngest loses its blocks and waits;
        # its text stays, and is read again.
        for one in list(running):
            while one in running and missing(one) > len(spare):
                youngest = running.pop()
                let_go(youngest)
                youngest.read = youngest.drafted = 0
                waiting.insert(0, youngest)
            if one in running:
                one.table += [spare.pop() for _ in range(missing(one))]
        joining = []
        while may_join() and waiting and len(running) + len(joining) < machine.places:
            if missing(waiting[0]) > len(spare):
                break
            one = waiting.pop(0)
            one.table += [spare.pop() for _ in range(missing(one))]
            joining.append(one)
        running += joining
        step(machine, running)
        for one in list(running):
            let_go(one, 0 if one.is_done else blocks_for(stays(one)))
            if one.is_done:
                running.remove(one)
    return [one.text[len(one.request.prompt) :] for one in every]


def step(machine: Machine, running: list[Running]) -> None:
    """Draft for all, ask the target about all in one call, and keep what it says itself."""
    drafts = {id(one): [] for one in running}
    for turn in range(DRAFTS):
        those = [one for one in running if one.drafts > turn]
        rows = []
        for one in those:
            # The draft model has not read its own last draft of the step before, if all were kept.
            known = [*one.text, *drafts[id(one)]]
            rows.append(Row(one.request.name, known[one.drafted :], one.drafted, one.table))
            one.drafted = len(known)
        if rows:
            for one, said in zip(those, machine.draft(rows), strict=True):
                drafts[id(one)].append(said[-1])
    rows = [
        Row(one.request.name, [*one.text[one.read :], *drafts[id(one)]], one.read, one.table)
        for one in running
    ]
    for one, said in zip(running, machine.target(rows), strict=True):
        mine = drafts[id(one)]
        said = said[len(said) - len(mine) - 1 :]  # after the text, and after each draft
        kept = 0
        while kept < len(mine) and mine[kept] == said[kept]:
            kept += 1
        new = said[: kept + 1]
        if END in new:
            new = new[: new.index(END) + 1]
        one.read = len(one.text) + kept
        # Keys of refused drafts are not read again: the next tokens are written over them.
        one.drafted = min(one.drafted, one.read)
        one.text += new


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
