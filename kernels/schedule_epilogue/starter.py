def fuse_epilogue(schedule):
    product, epilogue = schedule.get_sblock("C"), schedule.get_sblock("D")
    i, j, k = schedule.get_loops(product)
    i_0, i_1 = schedule.split(i, [None, 16])
    j_0, j_1 = schedule.split(j, [None, 16])
    # Order the loops, move the epilogue to a tile,
    # and say where C is kept and how loops run.
    schedule.vectorize(schedule.get_loops(epilogue)[-1])
