"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, NoDead, Operators, Work

FUNCTIONS = {"Relu": torch.relu, "Neg": torch.neg, "Exp": torch.exp, "Identity": torch.clone}


def reference(x, operators):  # what the model must compute; called with float64 copies
    for name in operators:
        x = FUNCTIONS[name](x)
    return x


eager = reference


def work(x, operators):
    return Work(bytes=2 * x.nbytes, flops=len(operators) * x.numel())


# docs/course-format.md has the other properties: opset, constants, names of inputs and outputs.
PROPERTIES = (Operators("Identity", most=0), NoDead())


def chain(*operators):
    return lambda g: (torch.randn(4, 6, generator=g, device=g.device), operators)


CASES = (
    Case("none", chain("Relu", "Exp")),
    Case("in the middle", chain("Relu", "Identity", "Exp")),
    Case("before the output", chain("Neg", "Relu", "Identity")),
    Case("behind the input", chain("Identity", "Exp")),
    Case("two in a row", chain("Relu", "Identity", "Identity", "Neg")),
    Case("here and there", chain("Identity", "Relu", "Identity", "Neg", "Identity")),
)
