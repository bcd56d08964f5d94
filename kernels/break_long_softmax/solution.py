def cases(long_softmax):
    # More than one block of 4,096 lanes, and one column over; numbers below -100, of which a maximum
    # that begins at 0 knows nothing; rows whose numbers are two apart.
    long_softmax(negative(f32[2, 4097][1, 2]))
    # Numbers near the lowest that float32 has: below what a maximum may begin with that is finite.
    long_softmax(full(f32[2, 5], -3e38))
