"""Gives graphs to the learner's `fold`. Plain values leave it."""

import torch

from tutor.judge.cases.fx_graphs import WEIGHTS, drawn, net, tried

NAMED = {
    "one product": "return self.w * 2 + x",
    "three in a row": "return (self.w * 2 + self.s).sin() + x",
    "weights and input": "return (self.w + x) * self.s",
    "x as a keyword": "return torch.add(self.w, other=x) * self.s",
    "a constant that is written": "y = self.w * 2\ny.add_(x)\nreturn y + 1",
    "a weight that is written": "y = self.w * 2\nself.w.add_(1)\nreturn y + self.w + x",
    "one of two weights is written": "self.w.add_(1)\nreturn (self.s * 2).sin() + self.w + x",
    "a view is folded": "return self.w.t() + x",
    "a method with keywords": "return self.w.sum(dim=0, keepdim=True) + x",
    "what remains is dead": "y = self.w * 2\nreturn y.sin() + x",
}
DRAWS = {
    "rand_like": "torch.rand_like(self.w)",
    "randn_like": "torch.randn_like(self.w)",
    "dropout": "F.dropout(self.w, 0.5)",
    "bernoulli": "self.w.bernoulli(0.5)",
}
VIEWS = {
    "t": "y.t()",
    "getitem": "y[:]",
    "view": "y.view(3, 3)",
    "reshape": "y.reshape(3, 3)",
    "transpose": "y.transpose(0, 1)",
    "expand": "y.expand(3, 3)",
}


def graphs():
    """The texts of the graphs by name, and what they are run on."""
    texts = {name: net(text, WEIGHTS) for name, text in NAMED.items()}
    for name, call in DRAWS.items():
        texts[f"a draw by {name}"] = net(f"return {call} * self.s + x", WEIGHTS)
    for name, call in VIEWS.items():
        text = f"y = self.w * 2\nv = {call}\nv.add_(x)\nreturn y + 1"
        texts[f"a constant is written through {name}"] = net(text, WEIGHTS)
    texts |= {f"drawn {i}": text for i, text in enumerate(drawn(172))}
    return texts, torch.linspace(-1, 1, 9).reshape(3, 3)


def probe(module, device):
    texts, x = graphs()
    return {
        name: (text, tried(module.fold, text, x, only_read=True)) for name, text in texts.items()
    }
