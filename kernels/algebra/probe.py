"""Gives graphs to the learner's `simplify`. Plain values leave it."""

import torch
from torch.fx.passes.shape_prop import ShapeProp

from tutor.judge.cases.fx_graphs import WEIGHTS, drawn, net, tried

NAMED = {
    "times one": "return (x * 1 * 1.0).sin()",
    "one on the left": "return (1 * x).sin()",
    "over, to the power, minus": "return (((x / 1) ** 1) - 0).sin()",
    "a float for the power, a truth value for the factor": "return ((x ** 1.0) * True).sin()",
    "functions and methods": "return torch.mul(x, 1).mul(1).sin()",
    "minus minus": "return (-(-x)).sin()",
    "the inner value is read": "y = -x\nreturn (-y).sin() + y",
    "three times": "return (-(-(-x))).sin()",
    "abs of abs": "return x.abs().abs().relu().relu().sin()",
    "plus zero": "return 1 / (x + 0)",
    "number minus": "return (0 - x).sin() + (1 / x)",
    "minus a negative zero": "return 1 / (x - -0.0)",
    "times zero": "return x * 0 + 1",
    "minus itself": "return (x - x) + 1",
    "written afterwards": "y = x * 1\ny.add_(1)\nreturn y - x",
    "x is written afterwards": "y = x * 1\nx.add_(1)\nreturn y - x",
    "returned": "return x * 1",
    "returned twice": "y = x.sin()\nreturn y, y * 1",
    "a weight times one": "return self.w * 1",
    "a product that is returned": "return (x + self.w) * 1",
    "a keyword": 'return torch.div(x, 1, rounding_mode="floor").sin()',
}
VIEWS = {
    "t": "y.t()",
    "getitem": "y[:]",
    "view": "y.view(3, 3)",
    "reshape": "y.reshape(3, 3)",
    "transpose": "y.transpose(0, 1)",
    "expand": "y.expand(3, 3)",
}
WHOLE = {
    "whole numbers": "return ((x * 1 + 0) - 0) * 3",
    "whole numbers times 1.0": "return (x * 1.0) + 2",
    "whole numbers over 1": "return (x / 1) + 2",
}


def probe(module, device):
    special = [[-0.0, float("nan"), float("inf")], [0.0, 1.0, -1.5], [1e-40, -7.0, float("-inf")]]
    x, whole = torch.tensor(special), torch.arange(9).reshape(3, 3)
    inputs = {name: (net(text, WEIGHTS), x) for name, text in NAMED.items()}
    for name, call in VIEWS.items():
        written = f"y = x * 1\nv = {call}\nv.add_(1)\nreturn y - x"
        inputs[f"written through {name}"] = (net(written), x)
    inputs |= {name: (net(text, WEIGHTS), whole) for name, text in WHOLE.items()}
    inputs |= {f"drawn {i}": (_with_ones(text, i), x) for i, text in enumerate(drawn(174, 4, 4))}
    return {
        name: (
            text,
            given is whole,
            tried(lambda graph, x=given: _rewritten(module, graph, x), text, given),
        )
        for name, (text, given) in inputs.items()
    }


def _with_ones(text, number):
    """The text with calls that change nothing, and some that do."""
    more = ("* 1", "- 0", "+ 0", "/ 1")[number % 4]
    return text.replace(".sin()", f".sin() {more}").replace("* 0.5", "* 1")


def _rewritten(module, graph, x):
    kept = {name: value.clone() for name, value in graph.state_dict().items()}
    ShapeProp(graph).propagate(x.clone())
    graph.load_state_dict(kept)  # the run may have written to weights
    return module.simplify(graph)
