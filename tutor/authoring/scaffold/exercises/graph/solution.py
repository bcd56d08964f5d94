def $slug(model):
    graph = model.graph
    for node in list(graph.node):
        if node.op_type == "Identity":
            (old,), (new,) = node.input, node.output
            graph.node.remove(node)
            # The names of input and output stay, so before the output it is the other one that goes.
            if new == graph.output[0].name and old != graph.input[0].name:
                rename(graph, old, new)
            else:
                rename(graph, new, old)
    return model


def rename(graph, old, new):
    for node in graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
        node.output[:] = [new if name == old else name for name in node.output]
