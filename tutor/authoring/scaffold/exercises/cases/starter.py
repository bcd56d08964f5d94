# One call a line: a case for $function.
# Nothing is run, the calls are read. Tensors are
#     f32[1024]               dtype and sizes
#     zeros(f32[1024])        or ones, large,
#                             negative, counting
#     full(f32[1024], -2)     one number everywhere
#     one(f32[1024], nan)     one among normal ones
#     values(f32[3], 1, 0, 2) these, again and again


def cases($function):
    # Write your cases below this line.
    pass
