from dataclasses import dataclass

import torch


@dataclass
class Model:
    layers: int
    width: int
    heads: int
    kv_heads: int
    hidden: int
    characters: int

    @property
    def products(self) -> int:
        attention = 2 * self.width**2 * (self.heads + self.kv_heads) // self.heads
        return self.layers * (attention + 3 * self.width * self.hidden) + self.embedding

    @property
    def embedding(self) -> int:
        return self.characters * self.width

    @property
    def kept(self) -> int:
        """Bytes of a token in the cache."""
        return 4 * 2 * self.layers * self.kv_heads * self.width // self.heads


def promised(target, draft, prompts, limits, blocks, size, places, k, kept):
    big, small = Model(*target), Model(*draft)
    ends = [p + n - 1 for p, n in zip(prompts.tolist(), limits.tolist(), strict=True)]
    halves = [p + n / 2 for p, n in zip(prompts.tolist(), limits.tolist(), strict=True)]

    def at_once(tokens):
        return min(places, blocks * len(tokens) / sum(-(-each // size) for each in tokens))

    step, chance = 1.0, 1.0
    for _ in range(k):
        chance *= kept
        step += chance
    calls = int(limits.sum()) / (step * at_once(halves))
    share = small.products / big.products
    return torch.tensor(
        [
            4.0 * (big.products + small.products),
            size * (big.kept + small.kept),
            2 * big.products + 4 * big.layers * big.width * max(ends),
            max(-(-each // size) for each in ends),
            at_once(halves),
            at_once(ends),
            int(limits.sum()),
            step,
            calls,
            calls * k,
            calls * (1 + k * share),
        ]
    ).double()
