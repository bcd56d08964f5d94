"""Gives graphs to the learner's `merge`. Plain values leave it."""

import torch

from tutor.judge.cases.fx_graphs import WEIGHTS, drawn, net, tried

NAMED = {
    "twice the same": "return (x + 1) * (x + 1)",
    "two steps deep": "return (x + 1).sin() * (x + 1).sin()",
    "six steps deep": (
        "a = (x + 1).sin().cos().abs().exp().tanh()\n"
        "b = (x + 1).sin().cos().abs().exp().tanh()\nreturn a * b"
    ),
    "a weight read twice": "return (x + self.w) - (x * self.w)",
    "other keywords": "a = torch.sum(x, dim=0)\nreturn a - torch.sum(x, dim=1)",
    "an argument that is no node": "return x.reshape(9, 1)[1:3] - x.reshape(9, 1)[2:4]",
    "1 and True in an index": "return x[1, :] - x[True, :]",
    "one of two is written": "a = x * 2\nb = x * 2\na.add_(1)\nreturn a - b",
    "read before and after a write": "y = x + 1\na = y * 2\ny.add_(1)\nb = y * 2\nreturn a - b",
    "something else is written": "y = x * 3\ny.add_(1)\nreturn (x + 1) * (x + 1) + y",
}
DRAWS = {
    "rand_like": "torch.rand_like(x)",
    "randn_like": "torch.randn_like(x)",
    "dropout": "F.dropout(x, 0.5)",
    "bernoulli": "x.bernoulli(0.5)",
}
VIEWS = {
    "t": "y.t()",
    "getitem": "y[:]",
    "view": "y.view(9)",
    "reshape": "y.reshape(9)",
    "transpose": "y.transpose(0, 1)",
    "expand": "y.expand(3, 3)",
}


def graphs():
    """The texts of the graphs by name, and what they are run on."""
    texts = {name: net(text, WEIGHTS) for name, text in NAMED.items()}
    for name, call in DRAWS.items():
        texts[f"two draws by {name}"] = net(f"return {call} - {call}")
    for name, call in VIEWS.items():
        text = f"y = x + 1\na = y.sin()\nv = {call}\nv.add_(1)\nreturn a - y.sin()"
        texts[f"written through {name}"] = net(text)
    texts |= {f"drawn {i}": text for i, text in enumerate(drawn(173))}
    return texts, torch.linspace(-1, 1, 9).reshape(3, 3)


def probe(module, device):
    texts, x = graphs()

    def tell(text, given):
        return text, tried(module.merge, text, given, only_read=True)

    whole = net("return x * 2 + 1 - x * 2.0", WEIGHTS)
    first = {"2 and 2.0": tell(whole, torch.arange(9).reshape(3, 3))}
    return first | {name: tell(text, x) for name, text in texts.items()}
