"""Describes both rules as patterns of the pattern language, and applies them until nothing changes."""

import tvm
import tvm_ffi
from tvm import relax
from tvm.relax.dpl import is_const, is_op, rewrite_call, wildcard

anything, zero = wildcard(), is_const()
RELUS = is_op("relax.nn.relu")(is_op("relax.nn.relu")(anything))
RIGHT = is_op("relax.add")(anything, zero)
LEFT = is_op("relax.add")(zero, anything)


def one_relu(call, found):
    return relax.op.nn.relu(found[anything])


def without_zero(call, found):
    other = found[anything]
    if found[zero].value.numpy().any() or not tvm_ffi.structural_equal(other.ty, call.ty):
        return call
    return other


RULES = ((RELUS, one_relu), (RIGHT, without_zero), (LEFT, without_zero))


def tidy(program):
    program = relax.transform.CanonicalizeBindings()(program)
    return relax.transform.DeadCodeElimination()(program)


def simplify(program: tvm.IRModule) -> tvm.IRModule:
    """Return the module with both rules applied, and without dead code."""
    before = None
    program = tidy(program)
    while before is None or not tvm_ffi.structural_equal(before, program):
        before = program
        functions = dict(program.functions.items())
        for name, function in functions.items():
            if isinstance(function, relax.Function):
                for pattern, rewriter in RULES:
                    function = rewrite_call(pattern, rewriter, function)
                functions[name] = function
        program = tidy(tvm.IRModule(functions, attrs=program.attrs))
    return program
