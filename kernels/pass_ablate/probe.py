"""Switches each part of the learner's pass off, on the tiny model, and measures what comes out."""

import torch

from tutor.judge.cases import int4_pass

NETWORK = """
torch.manual_seed(5)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(64, 96)
        self.two = nn.Linear(96, 20)
    def forward(self, x):
        return self.two(self.one(x).relu())
net = Net()
"""


def probe(module, device):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        rows = {
            name: int4_pass.report(module.quantise, **switches)
            for name, switches in int4_pass.SETTINGS
        }
    finally:
        torch.set_num_threads(threads)
    mix = torch.randn(64, 64, generator=torch.Generator().manual_seed(3))
    seen = torch.randn(90, 64, generator=torch.Generator().manual_seed(4)) @ mix
    pairs = int4_pass.ablate(module.quantise, NETWORK, seen, int4_pass.PAIRS)
    return {"rows": rows, "pairs": pairs.tolist()}
