"""Record what ExecuTorch makes of three small networks for Day 55, into lessons/recorded/day-55.json.

It needs executorch, which is no extra of the course: `pip install executorch` in an environment of its
own will do. `python tests/content/record_delegates.py` there, or in this one.
"""

import json
import sys
import warnings
from datetime import date
from importlib import metadata
from pathlib import Path

import torch
from torch import nn

FILE = Path(__file__).resolve().parents[2] / "lessons" / "recorded" / "day-55.json"
MIDDLES = {
    "relu": torch.relu,
    "erf": torch.erf,
    "erf and tanh": lambda x: torch.erf(x) + torch.tanh(x),
}


class Net(nn.Module):
    """Two convolutions with something between them, a pool, and a linear layer."""

    def __init__(self, middle):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.middle, self.last = middle, nn.Linear(8 * 8 * 8, 10)

    def forward(self, x):
        x = self.middle(self.first(x).relu())
        x = nn.functional.max_pool2d(self.second(x).relu(), 2)
        return self.last(x.flatten(1))


def story():
    """Return what `run` says of each network, without and with XNNPACK."""
    return {name: {way: run(name, way) for way in ("plain", "XNNPACK")} for name in MIDDLES}


def run(name, way):
    """Return its calls, kernels, the delegates' operators, bytes, and whether the result is close."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge, to_edge_transform_and_lower
    from executorch.runtime import Runtime

    torch.manual_seed(55)
    net, image = Net(MIDDLES[name]).eval(), torch.randn(1, 1, 16, 16)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(net, (image,))
        if way == "plain":
            edge = to_edge(program)
        else:
            edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
        lowered = edge.to_executorch()
    plan = lowered.executorch_program.execution_plan[0]
    method = Runtime.get().load_program(lowered.buffer).load_method("forward")
    off = (method.execute((image,))[0] - net(image)).abs().max().item()
    modules = [each for _, each in edge.exported_program().graph_module.named_children()]
    kinds = {"DelegateCall": "delegate", "KernelCall": "kernel"}
    return {
        "calls": [kinds[type(i.instr_args).__name__] for i in plan.chains[0].instructions],
        "kernels": [operator.name.removeprefix("aten::") for operator in plan.operators],
        "delegates": [operators(each) for each in modules if hasattr(each, "original_module")],
        "arena": sum(plan.non_const_buffer_sizes),
        "file": len(lowered.buffer),
        "weights": sum(4 * each.numel() for each in net.parameters()),
        "close": off < 1e-5,
    }


def operators(lowered):
    """Return the names of the operators that a delegate has taken."""
    nodes = lowered.original_module.graph.nodes
    names = [str(node.target) for node in nodes if node.op == "call_function"]
    return [name.split("aten.")[1].split(".")[0] for name in names if "aten." in name]


def made_with():
    """Return the packages with their versions and the day."""
    day = date.today()
    parts = ", ".join(f"{name} {metadata.version(name)}" for name in ("executorch", "torch"))
    return f"{parts}, {day.day} {day:%B %Y}"


if __name__ == "__main__":
    data = {"made_with": made_with(), "said": {"networks": story()}}
    FILE.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(FILE, data["made_with"], file=sys.stderr)
