def fuse(model):
    # Find the five nodes, put one in their place.
    return model
