"""Gives graphs to the learner's `sweep`. Plain values leave it."""

import torch

from tutor.judge.cases.fx_graphs import WEIGHTS, drawn, net, tried

NAMED = {
    "one dead node": "y = x.sin()\nreturn x * 2",
    "dead code that feeds dead code": "y = (x.sin() + 1).abs()\nreturn x * 2",
    "a dead chain of twenty": "y = x" + 20 * ".sin()" + "\nreturn x * 2",
    "a weight nobody reads": "y = self.w + 1\nreturn x * 2",
    "an argument nobody reads": "return self.w + self.s",
    "a write whose value nobody reads": "y = x + 1\ny.add_(2)\nreturn y",
    "a write through a view": "y = x + 1\nv = y.t()\nv.mul_(2)\nreturn y",
    "a function that writes": "y = x - 0.5\ntorch.relu_(y)\nreturn y",
    "writing methods of many names": (
        "y = x - 0.1\ny.sigmoid_()\ny.lerp_(x, 0.5)\ny.tril_()\ny.atan_()\n"
        "y.clamp_(max=0.2)\ny.addcmul_(x, x)\nreturn y"
    ),
    "writing functions of many names": (
        "y = x - 0.1\nF.elu_(y)\ntorch.sigmoid_(y)\ntorch.exp_(y)\ntorch.atan_(y)\n"
        "torch.clamp_(y, max=1.1)\nreturn y"
    ),
    "a keyword that writes": "y = x - 0.5\nF.relu(y, inplace=True)\nreturn y",
    "a draw nobody reads": "y = torch.rand_like(x)\nreturn x * 2",
    "a normal draw nobody reads": "y = torch.randn_like(x)\nreturn x * 2",
    "a dropout nobody reads": "y = F.dropout(x, 0.5)\nreturn x * 2",
    "a bernoulli nobody reads": "y = x.bernoulli(0.5)\nreturn x * 2",
    "a pure method": "y = x.abs()\nz = x.__add__(1)\nreturn x * 2",
    "a pure function": "y = F.leaky_relu(x)\nz = torch.log_softmax(y, 0)\nreturn x * 2",
}


def graphs():
    """The texts of the graphs by name, and what they are run on."""
    texts = {name: net(text, WEIGHTS) for name, text in NAMED.items()}
    texts |= {f"drawn {i}": text for i, text in enumerate(drawn(171))}
    return texts, torch.linspace(-1, 1, 9).reshape(3, 3)


def probe(module, device):
    texts, x = graphs()
    return {name: (text, tried(module.sweep, text, x)) for name, text in texts.items()}
