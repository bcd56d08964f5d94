"""Gives graphs to the learner's `operate`. Plain values leave it."""

import torch

from tutor.judge.cases.fx_graphs import net, try_rewrite

LAYERS = """
self.act = torch.nn.ReLU()
self.lin = torch.nn.Linear(3, 3)
self.six = torch.nn.ReLU6()
self.leaky = torch.nn.LeakyReLU()
self.block = torch.nn.Module()
self.block.act = torch.nn.ReLU()
"""
GRAPHS = {
    "one relu": "return torch.relu(x)",
    "four spellings": "return self.act(F.relu(torch.relu(x)).relu())",
    "a product with two users": "p = x @ x\nq = p + 1\nreturn q + p",
    "a product that is returned": "return x @ x",
    "two layers": "return self.lin(torch.relu(self.lin(x)))",
    "product, then relu": "return torch.relu(x @ x)",
    "an unread value": "y = x.sin()\nr = x.relu()\nreturn r + 1",
    "nothing to do": "return x.sin() + 1",
    "submodules with like names": "return self.leaky(self.six(x))",
    "a ReLU inside a submodule": "return self.block.act(x) + 1",
    "functions with like names": "return F.linear(torch.mm(x, x), F.relu6(x))",
}


def probe(module, device):
    x = torch.linspace(-1, 1, 9).reshape(3, 3)
    return {
        name: try_rewrite(module.operate, net(text, LAYERS), x, in_place=False)
        for name, text in GRAPHS.items()
    }
