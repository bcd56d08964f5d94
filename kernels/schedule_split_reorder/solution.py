def split_reorder(schedule):
    block = schedule.get_sblock("C")
    i, j, k = schedule.get_loops(block)
    i_0, i_1 = schedule.split(i, [None, 4])
    j_0, j_1 = schedule.split(j, [None, 16])
    k_0, k_1 = schedule.split(k, [None, 8])
    # The steps of k stand around the tile: each loads 4 numbers of A and 16 of B, for 64 products.
    schedule.reorder(i_0, j_0, k_0, k_1, i_1, j_1)
    schedule.parallel(i_0)
    schedule.unroll(i_1)
    schedule.vectorize(j_1)
    # Last: afterwards C_update is no whole sum any more, and TVM lets no loop around it be parallel.
    # k_0 is the outermost loop of the sum. Before it, and inside j_0, the zeros of one tile are written.
    schedule.decompose_reduction(block, k_0)
