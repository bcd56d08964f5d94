def tile(schedule):
    block = schedule.get_sblock("C")
    i, j, k = schedule.get_loops(block)
    i_0, i_1 = schedule.split(i, [None, 8])
    j_0, j_1 = schedule.split(j, [None, 8])
    k_0, k_1 = schedule.split(k, [None, 8])
    # j_1 is innermost: neighbours in it are other cells, so that a vector of them may be added to.
    schedule.reorder(i_0, j_0, k_0, i_1, k_1, j_1)
    copy = schedule.cache_read(block, 1, "local")
    schedule.compute_at(copy, k_0)
    schedule.parallel(i_0)
    schedule.vectorize(j_1)
