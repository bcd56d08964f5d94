"""Takes the number of images from x, whose first size is the same."""


def prepare(model):
    graph = model.graph
    for node in graph.node:
        if node.op_type == "Shape":
            node.input[:] = ["x"]
    alive = {"y"}
    count = 0
    while count != len(alive):
        count = len(alive)
        for node in graph.node:
            if set(node.output) & alive:
                alive |= set(node.input)
    nodes = [node for node in graph.node if set(node.output) & alive]
    constants = [each for each in graph.initializer if each.name in alive]
    x = [place for place in graph.input if place.name == "x"]
    for field, kept in (("node", nodes), ("initializer", constants), ("input", x)):
        graph.ClearField(field)
        getattr(graph, field).extend(kept)
    if model.ir_version == 3:
        model.ir_version = 4
    return model
