import torch
from torch import Tensor

from tutor.judge.cases.engine import END, HashPair, Machine, Request, Row


def serve(machine: Machine, requests: list[Request]) -> list[list[int]]:
    """The tokens that each request gets, in the order of `requests`."""
    # The plain loop: one request at a time, one token
    # a call, and nothing drafted. Its texts are right.
    # Build the engine: many requests in a call, blocks
    # taken as texts grow, three drafts a step.
    texts = []
    for request in requests:
        text, read = list(request.prompt), 0
        table = list(range(machine.blocks))
        while len(text) < len(request.prompt) + request.limit:
            row = Row(request.name, text[read:], read, table)
            said = machine.target([row])[0]
            read = len(text)
            text.append(said[-1])
            if text[-1] == END:
                break
        texts.append(text[len(request.prompt) :])
    return texts


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
