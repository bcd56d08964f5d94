import torch
from torch import Tensor

from tutor.judge.cases.engine import END, HashPair, Machine, Request, Row


class Pool:
    """The blocks of a machine, of which each is in one table or free."""

    def __init__(self, machine: Machine) -> None:
        self.free, self.size = set(range(machine.blocks)), machine.size

    def grow(self, table: list[int], tokens: int) -> bool:
        """Let a table hold so many tokens; False, and nothing done, without room."""
        more = (tokens + self.size - 1) // self.size - len(table)
        if more > len(self.free):
            return False
        table.extend(self.free.pop() for _ in range(more))
        return True

    def cut(self, table: list[int], tokens: int) -> None:
        """Take back what is not needed for so many tokens."""
        while len(table) * self.size >= tokens + self.size:
            self.free.add(table.pop())


class Text:
    def __init__(self, request: Request, paging: bool, drafts: int) -> None:
        self.paging, self.drafts = paging, drafts
        self.name, self.start = request.name, len(request.prompt)
        self.end = self.start + request.limit
        self.tokens, self.table, self.read, self.seen = list(request.prompt), [], 0, 0
        self.guesses: list[int] = []

    def wants(self) -> int:
        return max(0, min(self.drafts, self.end - len(self.tokens) - 1))

    def room(self) -> int:
        return len(self.tokens) + self.wants() if self.paging else self.end - 1

    def done(self) -> bool:
        return len(self.tokens) == self.end or END in self.tokens[self.start :]


def serve(
    machine: Machine,
    requests: list[Request],
    paging: bool = True,
    batching: bool = True,
    speculation: bool = True,
) -> list[list[int]]:
    """The tokens that each request gets, in the order of `requests`."""
    pool = Pool(machine)
    every = [Text(request, paging, 3 if speculation else 0) for request in requests]
    queue, runs = every[::-1], []  # the next one stands last
    while queue or runs:
        kept: list[Text] = []
        while runs:
            oldest = runs.pop(0)
            while not pool.grow(oldest.table, oldest.room()):
                victim = runs.pop() if runs else oldest
                pool.cut(victim.table, 0)
                victim.read = victim.seen = 0
                queue.append(victim)
                if victim is oldest:
                    break
            else:
                kept.append(oldest)
        runs = kept
        joins = machine.places if batching or not runs else 0
        while queue and len(runs) < joins and pool.grow(queue[-1].table, queue[-1].room()):
            runs.append(queue.pop())
        speculate(machine, runs)
        for text in runs:
            pool.cut(text.table, 0 if text.done() else text.read if paging else text.end - 1)
        runs = [text for text in runs if not text.done()]
    return [text.tokens[text.start :] for text in every]


def speculate(machine: Machine, runs: list[Text]) -> None:
    for text in runs:
        text.guesses = []
    while those := [text for text in runs if len(text.guesses) < text.wants()]:
        rows = []
        for text in those:
            news = (text.tokens + text.guesses)[text.seen :]
            rows.append(Row(text.name, news, text.seen, text.table))
            text.seen += len(news)
        for text, said in zip(those, machine.draft(rows), strict=True):
            text.guesses.append(said[-1])
    rows = [Row(t.name, t.tokens[t.read :] + t.guesses, t.read, t.table) for t in runs]
    for text, said in zip(runs, machine.target(rows), strict=True):
        old = len(text.tokens)
        for guess, token in zip([*text.guesses, None], said[old - 1 - text.read :], strict=True):
            text.tokens.append(token)
            if token == END or guess != token:
                break
        text.read = len(text.tokens) - 1
        text.seen = min(text.seen, text.read)


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
