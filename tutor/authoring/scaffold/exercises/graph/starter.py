def $slug(model):
    # Take the nodes out, and mend the names.
    for node in model.graph.node:
        print(node.op_type, node.input, node.output)
    return model
