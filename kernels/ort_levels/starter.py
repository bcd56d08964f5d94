def prepare(model):
    """Take out of the model's way what keeps ONNX Runtime's levels from folding."""
    graph = model.graph
    held = {constant.name for constant in graph.initializer}
    for place in list(graph.input):
        # May a caller give another value for it?
        print(place.name, place.name in held)
    for node in graph.node:
        # Who reads what it makes? Does anybody?
        print(node.op_type, list(node.input), list(node.output))
    return model
