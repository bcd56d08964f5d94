def split_reorder(schedule):
    block = schedule.get_sblock("C")
    for loop, factor in zip(schedule.get_loops(block), (4, 16, 8), strict=True):
        schedule.split(loop, [None, factor])
    # i_0 i_1 j_0 j_1 k_0 k_1; neighbours change places until the order is 0 2 4 5 1 3.
    places = [0, 4, 1, 5, 2, 3]
    for _ in places:
        for at in range(5):
            if places[at] > places[at + 1]:
                loops = schedule.get_loops(block)
                schedule.reorder(loops[at + 1], loops[at])
                places[at : at + 2] = places[at + 1], places[at]
    loops = schedule.get_loops(block)
    schedule.parallel(loops[0])
    schedule.unroll(loops[4])
    schedule.vectorize(loops[5])
    schedule.decompose_reduction(block, loops[2])
