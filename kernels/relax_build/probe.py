"""Looks at the modules that the learner's `build` makes. Plain values only leave the process."""

from tvm import relax, tirx

PROGRAMS = {
    "one result": "inputs x[n,8] y[n,8]\na = multiply x 0.5\nb = add a y\nreturn b",
    "an input and a line that nobody reads": (
        "inputs x[n,8] y[n,8]\na = exp x\nb = tanh x\nc = relu a\nreturn c"
    ),
    "equal lines, and one value read often": (
        "inputs x[n,8] y[8,m]\na = exp x\nb = exp x\nc = add a b\nd = multiply c c\n"
        "e = add d c\nreturn e"
    ),
    "two results": "inputs y[n,4] x[n,4]\na = add x y\na = relu a\nb = tanh a\nreturn b a",
}


def probe(module, device):
    return {name: seen(module, text) for name, text in PROGRAMS.items()}


def refused(made):
    """What TVM says of a module that is not well formed; "" of one that is."""
    try:
        return "" if relax.analysis.well_formed(made) is not False else "it is not well formed"
    except ValueError as error:
        return str(error).strip().splitlines()[-1][:200]


def seen(module, text):
    inputs, lines, results = module.read(text)
    made = module.build(inputs, lines, results)
    main = made["main"]
    blocks = main.body.blocks
    calls, outputs = [], 0
    for block in blocks:
        for binding in block.bindings:
            outputs += not isinstance(binding.var, relax.DataflowVar)
            if isinstance(binding.value, relax.Call):
                calls.append(binding.value.op.name.removeprefix("relax.").removeprefix("nn."))
    sizes = [
        [int(size) if isinstance(size, tirx.IntImm) else "?" for size in parameter.ty.shape]
        for parameter in main.params
    ]
    return {
        "refused": refused(made),
        "functions": len(made.functions),
        "blocks": [type(block).__name__ for block in blocks if len(block.bindings)],
        "lone": sum(
            isinstance(binding.value, relax.Call)
            for block in blocks
            if not isinstance(block, relax.DataflowBlock)
            for binding in block.bindings
        ),
        "calls": calls,
        "wanted calls": [operation for _, operation, _ in lines],
        "outputs": outputs,
        "results": len(results),
        "fields": len(main.ret_ty.fields) if hasattr(main.ret_ty, "fields") else 0,
        "sizes": sizes,
        "wanted sizes": [
            [size if isinstance(size, int) else "?" for size in given] for given in inputs.values()
        ],
        "unknown": len(
            {each for given in inputs.values() for each in given if isinstance(each, str)}
        ),
        "variables": len(relax.analysis.defined_symbolic_vars(main)),
    }
