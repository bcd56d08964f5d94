import tvm
from tvm import relax
from tvm.relax.expr_functor import PyExprMutator, mutator

ADD = tvm.ir.Op.get("relax.add")
RELU = tvm.ir.Op.get("relax.nn.relu")


@mutator
class Simplifier(PyExprMutator):
    """Takes out a relu of a relu, and a sum with 0."""

    def visit_call_(self, call):
        call = super().visit_call_(call)
        # What stands in place of the call? It reads
        # variables; `self.lookup_binding` says what
        # one is bound to.
        return call


def simplify(program: tvm.IRModule) -> tvm.IRModule:
    """Return the module with both rules applied, and without dead code."""
    made = Simplifier(program)
    for name, function in program.functions.items():
        if isinstance(function, relax.Function):
            made.builder_.update_func(name, made.visit_expr(function))
    program = relax.transform.CanonicalizeBindings()(made.builder_.get())
    return relax.transform.DeadCodeElimination()(program)
