# expect: wrong-values
# exercise: dynamic_shapes
# S4: the input itself, which is nearly its own normalization if it is drawn from randn.


def fn(x):
    return x.clone()
