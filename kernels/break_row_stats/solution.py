def cases(row_stats):
    # A transposed view of float16, far from 0: a dtype that the output must not take over, a stride,
    # lanes without a column, and a mean so large that squares minus its square lose every digit.
    row_stats(negative(f16[3, 901][1, 3]))
    # Longer than one block, with lanes that have counted one column more than others.
    row_stats(f32[2, 4097])
