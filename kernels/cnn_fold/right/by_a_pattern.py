"""Describes the pair as a pattern of the pattern language, and lets TVM find it."""

from collections import Counter

import numpy as np
import tvm
from tvm import relax
from tvm.relax.dpl import is_const, is_op, rewrite_call, wildcard

data, weights = wildcard(), is_const()
vectors = [is_const() for _ in range(4)]
CONV = is_op("relax.nn.conv2d")(data, weights)
NORM = is_op("relax.nn.batch_norm")(CONV, *vectors)


def tidy(program):
    for change in ("CanonicalizeBindings", "DeadCodeElimination"):
        program = getattr(relax.transform, change)()(program)
    return program


def read_once(function):
    """The calls whose value is read at one place."""
    readers, values = Counter(), relax.analysis.get_var2val(function)

    def visit(expression):
        if isinstance(expression, relax.Var):
            readers[expression] += 1

    for block in function.body.blocks:
        for binding in block.bindings:
            relax.analysis.post_order_visit(binding.value, visit)
    relax.analysis.post_order_visit(function.body.body, visit)
    return [value for name, value in values.items() if readers[name] == 1]


def folded(function):
    once = read_once(function)

    def rewriter(norm, found):
        conv, about = found[CONV], norm.attrs
        alone = any(conv.same_as(each) for each in once)
        in_place = conv.attrs.data_layout == "NCHW" and about.axis == 1
        if about.training or not in_place or not alone:
            return norm
        gamma, beta, mean, variance = (found[each].value.numpy() for each in vectors)
        scale = (gamma if about.scale else 1) / np.sqrt(variance + about.epsilon)
        shift = (beta if about.center else 0) - mean * scale
        weight = np.einsum("oihw,o->oihw", found[weights].value.numpy(), scale)
        new = relax.op.nn.conv2d(
            found[data],
            relax.const(weight.astype("float32")),
            strides=conv.attrs.strides,
            padding=conv.attrs.padding,
            dilation=conv.attrs.dilation,
            groups=int(conv.attrs.groups),
        )
        shift = relax.const(shift.astype("float32").reshape(-1, 1, 1))
        return relax.Tuple([relax.op.add(new, shift), *norm.args[3:]])

    return rewrite_call(NORM, rewriter, function)


def fold(program: tvm.IRModule) -> tvm.IRModule:
    """Return the module with batch norms folded, and without dead code."""
    program = tidy(program)
    functions = dict(program.functions.items())
    for name, function in functions.items():
        if isinstance(function, relax.Function):
            functions[name] = folded(function)
    return tidy(tvm.IRModule(functions, attrs=program.attrs))
