def cases(softmax):
    # A power of two and one: lanes without a column. It is contiguous, so what is stored into x shows.
    softmax(f32[4, 1025])
    # A transposed view, of numbers below -100: a padding of 0 wins their maximum, and `exp` of them
    # without a maximum is 0 throughout, so that the quotient is NaN.
    softmax(negative(f32[5, 9][1, 5]))
