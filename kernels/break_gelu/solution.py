def cases(bias_gelu):
    # Contiguous, so that what is stored into x is seen; more than one block of 1,024, and not a whole
    # number of them, so a grid that is rounded down, or a bias counted by the lane, is too.
    bias_gelu(f32[5, 1025], f32[1025])
    # Three dimensions, gaps between the rows, and a bias of which every third number counts.
    bias_gelu(f32[2, 3, 5][40, 8, 1], f32[5][3])
