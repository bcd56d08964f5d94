def split_reorder(schedule):
    block = schedule.get_sblock("C")
    _, j, _ = schedule.get_loops(block)
    j_0, j_1 = schedule.split(j, [None, 16])
    i = schedule.get_loops(block)[0]
    schedule.reorder(j_0, i)
    _, i_1 = schedule.split(i, [None, 4])
    k_0, k_1 = schedule.split(schedule.get_loops(block)[-1], [None, 8])
    schedule.reorder(k_0, k_1, i_1, j_1)
    schedule.vectorize(j_1)
    schedule.parallel(j_0)
    schedule.unroll(i_1)
    schedule.decompose_reduction(block, k_0)
