def cases(batched_dot):
    # Three different sizes, none a multiple of a block: whatever takes one for another is wrong.
    batched_dot(bf16[3, 5, 7], bf16[3, 7, 9])
    # A longer sum of large products: what is rounded to half precision on the way overflows or loses
    # digits. K = 40 is no power of two.
    batched_dot(large(bf16[3, 40, 63]), large(bf16[3, 63, 33]))
