from tvm import te


def algorithm(a, b, bias):
    """C = a @ b, and D, the larger of C + bias and 0."""
    (n, d), m = a.shape, b.shape[1]
    left = te.placeholder((n, d), name="A")
    right = te.placeholder((d, m), name="B")
    row = te.placeholder((m,), name="bias")
    k = te.reduce_axis((0, d), name="k")
    product = te.compute((n, m), lambda i, j: te.sum(left[i, k] * right[k, j], axis=k), name="C")
    result = te.compute((n, m), lambda i, j: te.max(product[i, j] + row[j], 0.0), name="D")
    return te.create_prim_func([left, right, row, result])
