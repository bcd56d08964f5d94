# expect: wrong-graph
import tvm
from tvm import relax


def fold(program: tvm.IRModule) -> tvm.IRModule:
    """Return the module with batch norms taken apart."""
    for change in ("DecomposeOpsForInference", "FoldConstant", "CanonicalizeBindings"):
        program = getattr(relax.transform, change)()(program)
    return relax.transform.DeadCodeElimination()(program)
