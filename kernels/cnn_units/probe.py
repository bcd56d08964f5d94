"""Counts the network of this day with the learner's `count_units`. Plain values leave the process."""

import torch
from torch import nn
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program


class Net(nn.Module):
    """Two convolutions with batch norms, a pool, a sum around the second, a linear layer."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(8), nn.BatchNorm2d(8)
        self.linear = nn.Linear(512, 10)
        self.eval()

    def forward(self, x):  # [N, 3, 16, 16]
        y = torch.max_pool2d(torch.relu(self.bn1(self.conv1(x))), 2)
        y = torch.relu(self.bn2(self.conv2(y)) + y)
        return self.linear(y.flatten(1))  # [N, 10]


LOWER = ("LegalizeOps", "FoldConstant", "CanonicalizeBindings", "DeadCodeElimination")
FUSE = ("LegalizeOps", "AnnotateTIROpPattern", "FoldConstant", "CanonicalizeBindings", "FuseOps")
APART = ("DecomposeOpsForInference", "FoldConstant", "CanonicalizeBindings")
STEPS = {
    "before fusion": LOWER,
    "after fusion": FUSE,
    "after fusion, batch norms taken apart": (*APART, *FUSE),
}


def probe(module, device):
    program = torch.export.export(Net(), (torch.zeros(2, 3, 16, 16),))
    given = from_exported_program(program, unwrap_unit_return_tuple=True)
    found = {}
    for name, steps in STEPS.items():
        made = given
        for step in steps:
            made = getattr(relax.transform, step)()(made)
        got = [int(each) for each in module.count_units(made)]
        found[name] = {"text": text_of(made), "got": got}
    return found


def text_of(made):
    """The text of a module without its loops."""
    parts = made.script().split("    @")
    return parts[0] + "".join(f"    @{each}" for each in parts[1:] if not each.startswith("T."))
