from collections import Counter

import numpy as np
import tvm
from tvm import relax
from tvm.relax.expr_functor import PyExprMutator, mutator

CONV = tvm.ir.Op.get("relax.nn.conv2d")
NORM = tvm.ir.Op.get("relax.nn.batch_norm")


def count_readers(function) -> Counter:
    """Count how often each variable of a function is read."""
    readers = Counter()

    def visit(expression):
        if isinstance(expression, relax.Var):
            readers[expression] += 1

    for block in function.body.blocks:
        for binding in block.bindings:
            relax.analysis.post_order_visit(binding.value, visit)
    relax.analysis.post_order_visit(function.body.body, visit)
    return readers


def fold_numbers(weight, vectors, attributes):
    """Return the weights and the shift of a convolution that does the batch norm as well."""
    gamma, beta, mean, variance = (each.astype("float64") for each in vectors)
    scale = 1 / np.sqrt(variance + attributes.epsilon)
    if attributes.scale:
        scale = scale * gamma
    shift = -mean * scale
    if attributes.center:
        shift = shift + beta
    # A row of the weights makes one channel of the result: it is what the scale belongs to.
    weight = weight * scale.reshape(-1, 1, 1, 1)
    return weight.astype("float32"), shift.reshape(1, -1, 1, 1).astype("float32")


@mutator
class Folder(PyExprMutator):
    """Folds batch norms into the convolutions in front of them."""

    def find_value(self, expression):
        """Follow a variable to what it is bound to."""
        while isinstance(expression, relax.Var):
            bound = self.lookup_binding(expression)
            if bound is None:  # an argument of the function
                break
            expression = bound
        return expression

    def may_fold(self, conv, norm, result):
        """Say if the batch norm may go into the convolution, whose value `result` names."""
        return (
            isinstance(conv, relax.Call)
            and conv.op == CONV
            and conv.attrs.data_layout == "NCHW"
            and norm.attrs.axis == 1  # the channels, in this layout
            and not norm.attrs.training
            # Another reader needs the result as it is, and two convolutions cost more than one.
            and self.readers[result] == 1
        )

    def visit_call_(self, given):
        call = super().visit_call_(given)
        if call.op != NORM:
            return call
        conv = self.find_value(call.args[0])
        # The readers were counted in the function as it came, so they are asked for `given`.
        if not self.may_fold(conv, call, given.args[0]):
            return call
        constants = (conv.args[1], *call.args[1:])
        if not all(isinstance(each, tvm.ir.GenericConst) for each in constants):
            return call
        weight, *vectors = (each.value.numpy() for each in constants)
        weight, shift = fold_numbers(weight, vectors, call.attrs)
        folded = relax.Call(CONV, [conv.args[0], relax.const(weight)], conv.attrs)
        result = relax.op.add(self.builder_.emit(folded), relax.const(shift))
        # The other two results of a batch norm at rest are the statistics that it got.
        return relax.Tuple([result, *call.args[3:]])


def tidy(program):
    """Take out second names of values and constants, and what nobody reads."""
    program = relax.transform.CanonicalizeBindings()(program)
    return relax.transform.DeadCodeElimination()(program)


def fold(program: tvm.IRModule) -> tvm.IRModule:
    """Return the module with batch norms folded, and without dead code."""
    program = tidy(program)
    made = Folder(program)
    for name, function in program.functions.items():
        if isinstance(function, relax.Function):  # TensorIR stays as it is
            made.readers = count_readers(function)
            made.builder_.update_func(name, made.visit_expr(function))
    return tidy(made.builder_.get())
