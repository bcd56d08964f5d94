"""Gives graphs to the learner's `fold`. Plain values leave it."""

import torch

from tutor.judge.cases.fx_graphs import WEIGHTS, drawn, net, tried

NAMED = {
    "one product": "return self.w * 2 + x",
    "three in a row": "return (self.w * 2 + self.s).sin() + x",
    "weights and input": "return (self.w + x) * self.s",
    "a draw": "return torch.rand_like(self.w) * self.s + x",
    "a constant that is written": "y = self.w * 2\ny.add_(x)\nreturn y + 1",
    "a view of a constant is written": "y = self.w * 2\nv = y.t()\nv.add_(x)\nreturn y + 1",
    "a weight that is written": "y = self.w * 2\nself.w.add_(1)\nreturn y + self.w + x",
    "one of two weights is written": "self.w.add_(1)\nreturn (self.s * 2).sin() + self.w + x",
    "a view is folded": "return self.w.t() + x",
    "what remains is dead": "y = self.w * 2\nreturn y.sin() + x",
}


def probe(module, device):
    x = torch.linspace(-1, 1, 9).reshape(3, 3)
    texts = {name: net(text, WEIGHTS) for name, text in NAMED.items()}
    texts |= {f"drawn {i}": text for i, text in enumerate(drawn(172))}
    return {name: (text, tried(module.fold, text, x)) for name, text in texts.items()}
