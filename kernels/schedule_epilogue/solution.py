def fuse_epilogue(schedule):
    product, epilogue = schedule.get_sblock("C"), schedule.get_sblock("D")
    i, j, k = schedule.get_loops(product)
    i_0, i_1 = schedule.split(i, [None, 16])
    j_0, j_1 = schedule.split(j, [None, 16])
    schedule.reorder(i_0, j_0, k, i_1, j_1)
    # At j_0 a tile of C is finished, and no other tile has been begun. One loop further in, at k,
    # D would run after each step, on sums that are not finished.
    schedule.reverse_compute_at(epilogue, j_0)
    schedule.set_scope(product, 0, "local")
    schedule.parallel(i_0)
    schedule.vectorize(schedule.get_loops(epilogue)[-1])
