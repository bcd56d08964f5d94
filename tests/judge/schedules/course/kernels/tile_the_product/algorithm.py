from tvm import te


def algorithm(a, b):
    """The product as a block C with loops i, j and k."""
    (n, d), m = a.shape, b.shape[1]
    left = te.placeholder((n, d), name="A")
    right = te.placeholder((d, m), name="B")
    k = te.reduce_axis((0, d), name="k")
    product = te.compute((n, m), lambda i, j: te.sum(left[i, k] * right[k, j], axis=k), name="C")
    return te.create_prim_func([left, right, product])
