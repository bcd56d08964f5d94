from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


def stablehlo_edit(text):
    """The same by MLIR's bindings: operations and values in the place of lines and names."""
    with make_ir_context() as context, ir.Location.unknown():
        module = ir.Module.parse(text, context)
        block = module.body.operations[0].regions[0].blocks[0]
        for operation in list(block.operations):
            if operation.operation.name == "stablehlo.dot_general":
                change(operation.operation)
        for operation in reversed(list(block.operations)):
            if operation.operation.name == "stablehlo.transpose" and not list(operation.result.uses):
                operation.operation.erase()
        return str(module)


def change(product):
    numbers = stablehlo.DotDimensionNumbers(product.attributes["dot_dimension_numbers"])
    lists = {
        0: (list(numbers.lhs_batching_dimensions), list(numbers.lhs_contracting_dimensions)),
        1: (list(numbers.rhs_batching_dimensions), list(numbers.rhs_contracting_dimensions)),
    }
    for side, (batch, contract) in list(lists.items()):
        value = product.operands[side]
        place = list(range(ir.RankedTensorType(value.type).rank))
        while name_of(owner := value.owner) == "stablehlo.transpose":
            dims = list(ir.DenseI64ArrayAttr(owner.attributes["permutation"]))
            place, value = [dims[d] for d in place], owner.operands[0]
            free = [p for d, p in enumerate(place) if d not in batch + contract]
            if free == sorted(free):
                product.operands[side] = value
                lists[side] = ([place[d] for d in batch], [place[d] for d in contract])
    product.attributes["dot_dimension_numbers"] = stablehlo.DotDimensionNumbers.get(
        lists[0][0], lists[1][0], lists[0][1], lists[1][1]
    )


def name_of(owner):
    """An argument is owned by its block, which has no name."""
    return "" if isinstance(owner, ir.Block) else getattr(owner, "operation", owner).name
