"""Gives graphs to the learner's `merge`. Plain values leave it."""

import torch

from tutor.judge.cases.fx_graphs import WEIGHTS, drawn, net, tried

NAMED = {
    "twice the same": "return (x + 1) * (x + 1)",
    "two steps deep": "return (x + 1).sin() * (x + 1).sin()",
    "a weight read twice": "return (x + self.w) - (x * self.w)",
    "other keywords": "a = torch.sum(x, dim=0)\nreturn a - torch.sum(x, dim=1)",
    "an argument that is no node": "return x.reshape(9, 1)[1:3] - x.reshape(9, 1)[2:4]",
    "two draws": "return torch.rand_like(x) - torch.rand_like(x)",
    "one of two is written": "a = x * 2\nb = x * 2\na.add_(1)\nreturn a - b",
    "read before and after a write": "y = x + 1\na = y * 2\ny.add_(1)\nb = y * 2\nreturn a - b",
    "written through a view": "y = x + 1\na = y.sin()\nv = y.t()\nv.add_(1)\nreturn a - y.sin()",
    "something else is written": "y = x * 3\ny.add_(1)\nreturn (x + 1) * (x + 1) + y",
}


def probe(module, device):
    x = torch.linspace(-1, 1, 9).reshape(3, 3)
    texts = {name: net(text, WEIGHTS) for name, text in NAMED.items()}
    texts |= {f"drawn {i}": text for i, text in enumerate(drawn(173))}
    whole = net("return x * 2 + 1 - x * 2.0", WEIGHTS)
    numbers = torch.arange(9).reshape(3, 3)
    first = {"2 and 2.0": (whole, tried(module.merge, whole, numbers))}
    return first | {name: (text, tried(module.merge, text, x)) for name, text in texts.items()}
