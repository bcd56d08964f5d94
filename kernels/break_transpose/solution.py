def cases(transpose):
    # The view is what `.T` makes: row stride 1. Neither size is a multiple of 32, and there are more
    # columns than rows, so a grid that is counted by the wrong size is too small.
    transpose(f32[40, 70][1, 40])
    # A copy keeps -0.0, bit for bit; `0.0 + x` does not. Here the tensor has no gaps, so an answer that
    # stores where x lies is seen too.
    transpose(full(f32[65, 33], -0.0))
