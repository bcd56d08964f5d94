"""Goes over the bindings in a plain loop, and makes each function anew of them; no mutator."""

from collections import Counter

import numpy as np
import tvm
from tvm import relax


def named(value, name):
    return isinstance(value, relax.Call) and getattr(value.op, "name", "") == name


class Pairs:
    """The values of one function, and how many read each."""

    def __init__(self, function):
        self.values = {}
        self.readers = Counter()
        for block in function.body.blocks:
            for binding in block.bindings:
                self.values[binding.var] = binding.value
                relax.analysis.post_order_visit(binding.value, self.count)
        relax.analysis.post_order_visit(function.body.body, self.count)

    def count(self, expression):
        if isinstance(expression, relax.Var):
            self.readers[expression] += 1

    def numbers(self, expression):
        value = self.values.get(expression, expression)
        return value.value.numpy() if isinstance(value, tvm.ir.GenericConst) else None

    def folded(self, norm):
        """The convolution and the shift that do what a batch norm and its convolution do, or None."""
        if not named(norm, "relax.nn.batch_norm") or norm.attrs.training or norm.attrs.axis != 1:
            return None
        conv = self.values.get(norm.args[0])
        if not named(conv, "relax.nn.conv2d") or self.readers[norm.args[0]] > 1:
            return None
        rows = [self.numbers(each) for each in norm.args[1:]]
        weight = self.numbers(conv.args[1])
        if conv.attrs.data_layout != "NCHW" or any(each is None for each in (weight, *rows)):
            return None
        gamma, beta, mean, variance = rows
        root = np.sqrt(variance + np.float32(norm.attrs.epsilon))
        scale = (gamma / root if norm.attrs.scale else 1 / root).astype("float32")
        shift = beta - mean * scale if norm.attrs.center else -mean * scale
        new = weight.copy()
        for channel in range(len(scale)):
            new[channel] *= scale[channel]
        call = relax.Call(conv.op, [conv.args[0], relax.const(new)], conv.attrs)
        return call, relax.const(shift.reshape(1, len(shift), 1, 1))


def made_anew(function):
    pairs = Pairs(function)
    blocks = []
    for block in function.body.blocks:
        bindings = []
        for binding in block.bindings:
            made = pairs.folded(binding.value)
            if made:
                call, shift = made
                kind = binding.var.ty.fields[0]
                conv = relax.DataflowVar("conv", kind)
                total = relax.DataflowVar("total", kind)
                bindings.append(relax.VarBinding(conv, call))
                bindings.append(relax.VarBinding(total, relax.op.add(conv, shift)))
                parts = relax.Tuple([total, *binding.value.args[3:]])
                binding = relax.VarBinding(binding.var, parts)
            bindings.append(binding)
        blocks.append(type(block)(bindings))
    body = relax.SeqExpr(blocks, function.body.body)
    return relax.Function(function.params, body, function.ret_ty, function.is_pure, function.attrs)


def tidy(program):
    for change in ("Normalize", "CanonicalizeBindings", "DeadCodeElimination"):
        program = getattr(relax.transform, change)()(program)
    return program


def fold(program: tvm.IRModule) -> tvm.IRModule:
    """Return the module with batch norms folded, and without dead code."""
    program = tidy(program)
    functions = {
        name: made_anew(each) if isinstance(each, relax.Function) else each
        for name, each in program.functions.items()
    }
    return tidy(tvm.IRModule(functions, attrs=program.attrs))
