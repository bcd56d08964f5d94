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
    def __init__(self, request: Request) -> None:
        self.name, self.start = request.name, len(request.prompt)
        self.end = self.start + request.limit
        self.tokens, self.table, self.read, self.seen = list(request.prompt), [], 0, 0
        self.guesses: list[int] = []

    def wants(self) -> int:
        return max(0, min(3, self.end - len(self.tokens) - 1))

    def room(self) -> int:
        return len(self.tokens) + self.wants()

    def done(self) -> bool:
        return len(self.tokens) == self.end or END in self.tokens[self.start :]


def serve(machine: Machine, requests: list[Request]) -> list[list[int]]:
    """The tokens that each request gets, in the order of `requests`."""
    pool, every = Pool(machine), [Text(request) for request in requests]
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
        while queue and len(runs) < machine.places and pool.grow(queue[-1].table, queue[-1].room()):
            runs.append(queue.pop())
        speculate(machine, runs)
        for text in runs:
            pool.cut(text.table, 0 if text.done() else text.read)
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
