def cache_tiles(schedule):
    block, epilogue = schedule.get_sblock("C"), schedule.get_sblock("D")
    i, j, k = schedule.get_loops(block)
    i_0, i_1 = schedule.split(i, [None, 16])
    j_0, j_1 = schedule.split(j, [None, 16])
    k_0, k_1 = schedule.split(k, [None, 16])
    schedule.reorder(i_0, j_0, i_1, j_1, k_0, k_1)
    schedule.bind(i_0, "blockIdx.y")
    schedule.bind(j_0, "blockIdx.x")
    schedule.bind(i_1, "threadIdx.y")
    schedule.bind(j_1, "threadIdx.x")
    schedule.reverse_compute_at(epilogue, j_1)
    schedule.set_scope(block, 0, "local")
    # Copy the tiles of A and of B, and share the
    # copying out among the threads.
