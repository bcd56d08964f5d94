# One call a line: a case for transpose.
# Nothing is run, the calls are read. Tensors are
#     f32[4, 100]             dtype and sizes
#     f32[4, 100][200, 2]     with strides
#     zeros(f32[4, 100])      or ones, large,
#                             negative, counting
#     full(f32[4, 100], -2)   one number everywhere
#     one(f32[4, 100], nan)   one among normal ones
#     values(f32[3], 1, 0, 2) these, again and again


def cases(transpose):
    # Write your cases below this line.
    pass
