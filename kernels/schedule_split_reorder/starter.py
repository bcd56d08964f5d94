def split_reorder(schedule):
    block = schedule.get_sblock("C")
    i, j, k = schedule.get_loops(block)
    i_0, i_1 = schedule.split(i, [None, 4])
    j_0, j_1 = schedule.split(j, [None, 16])
    schedule.parallel(i_0)
    # Split the sum, order the six loops, say how the
    # others run, and take the zeros out.
