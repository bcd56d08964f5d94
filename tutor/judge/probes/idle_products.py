"""Products of tiles that the output does not come from.

An exercise may ask that tiles are multiplied by `tl.dot`. The compiled code tells that there is one, not
what it is for: a product of zeros that is added would do. So a case runs once more in the interpreter
with every `tl.dot` adding nothing. What is right then was computed in another way.
"""

import os
import re

import torch

from tutor.judge.cases.arguments import tensors_of
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import make_inputs
from tutor.judge.comparison import compare
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.model.tensor_grid import index_of
from tutor.judge.model.verdict import Diagnosis
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.limits import WorkerLimits, tolerate_stop

_SECONDS = 3.0
_MANY = 20_000  # elements of an output; the interpreter is slow on more
_PRODUCT = re.compile(r"\bdot(_scaled)?\b")
_PART = 16  # one element in so many may be right by chance


def find_idle_products(cases: Cases, facts: list[CaseFacts]) -> Diagnosis | None:
    """Find elements that are right without any product, where the exercise asks for `tl.dot`.

    `facts` has those of all cases, which are right. The largest one of at most `_MANY` elements is run.
    """
    reference = cases.reference
    if cases.mode != "interpret" or not (reference.dot or reference.matrix_units):
        return None
    if not _PRODUCT.search(cases.source):  # that there is none at all the compiled code tells
        return None
    small = [i for i in range(len(facts)) if 0 < facts[i].numel <= _MANY and not facts[i].constant]
    if not small:
        return None
    index = max(small, key=lambda i: facts[i].numel)
    right: torch.Tensor | None = None
    with tolerate_stop():
        limits = cases.limits()
        cases.worker.begin(WorkerLimits(min(_SECONDS, limits.seconds), limits.memory_bytes))
        right = _find_right_elements(cases, index)
    if right is None or _PART * int(right.sum()) < right.numel():
        return None
    first = int(right.reshape(-1).to(torch.uint8).argmax())
    place = list(index_of(first, tuple(right.shape)))
    return Diagnosis(
        "no-tensor-cores" if reference.matrix_units else "wrong-values",
        f"The numbers are right, but {int(right.sum())} of {right.numel()} elements are right as well "
        f"if every `tl.dot` adds nothing (case “{facts[index].name}”, the first is {place}). They are "
        "computed in another way.",
    )


def _find_right_elements(cases: Cases, index: int) -> torch.Tensor | None:
    """Return which elements are right without products, and would not be right as zeros."""
    reference = cases.reference
    args = make_inputs(reference.cases[index], cases.seed + index)
    buffer, _ = shared_tensors.fill_buffer(tensors_of(args))
    fd = shared_tensors.memory_file("inputs", buffer)
    fds: list[int] = []
    try:
        reply, fds = cases.ask(index, args, fd, without_products=True)
        eager, want = reference.eager(*args), reference.want(args)
        form = (str(eager.dtype).removeprefix("torch."), tuple(want.shape))
        if reply.output is None or not fds or (reply.output.dtype, reply.output.shape) != form:
            return None
        data = shared_tensors.read_file(fds[0], eager.numel() * eager.element_size())
    finally:
        for descriptor in (fd, *fds):
            os.close(descriptor)
    if data is None:
        return None
    got = data.view(eager.dtype).reshape(want.shape)
    scale = reference.magnitude(args, want, eager.dtype)
    wrong, wrong_zeros = (
        compare.compare_output(output, want, scale, eager, reference.precision).wrong
        for output in (got, torch.zeros_like(got))
    )
    return ~wrong & wrong_zeros
