def prepare(model):
    """Take out of the model's way what keeps ONNX Runtime's levels from folding."""
    graph = model.graph
    take_dead_nodes_out(graph)
    move_shapes(graph)
    # An input with a value in the file may get another value from the caller, so it is no constant.
    # Until IR version 3 each constant had to be an input, so the version goes up.
    held = {constant.name for constant in graph.initializer}
    for place in list(graph.input):
        if place.name in held:
            graph.input.remove(place)
    model.ir_version = max(model.ir_version, 4)
    # Behind that, as the constants of the probes were inputs too.
    read = {name for node in graph.node for name in node.input}
    for constant in list(graph.initializer):
        if constant.name not in read:
            graph.initializer.remove(constant)
    return model


def take_dead_nodes_out(graph):
    """Remove the nodes on which no result of the graph depends."""
    wanted = {place.name for place in graph.output}
    # Backwards: a node stands behind those whose values it reads.
    for node in reversed(list(graph.node)):
        if wanted.isdisjoint(node.output):
            graph.node.remove(node)
        else:
            wanted.update(node.input)


def move_shapes(graph):
    """Let each Shape read the value behind the norm and the relu: its sizes are the same."""
    nodes = list(graph.node)
    for shape in [node for node in nodes if node.op_type == "Shape"]:
        name = shape.input[0]
        while after := [
            node
            for node in nodes
            if node.op_type in ("BatchNormalization", "Relu") and node.input[0] == name
        ]:
            (name,) = after[0].output
        if name != shape.input[0]:
            shape.input[0] = name
            # Its place is behind the node that makes what it reads now.
            graph.node.remove(shape)
            maker = next(at for at, node in enumerate(graph.node) if name in node.output)
            graph.node.insert(maker + 1, shape)
