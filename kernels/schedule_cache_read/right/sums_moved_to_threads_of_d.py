def cache_tiles(schedule):
    sums, results = schedule.get_sblock("C"), schedule.get_sblock("D")
    tiles = [schedule.cache_read(sums, number, "shared") for number in (0, 1)]
    rows, columns = schedule.get_loops(results)
    down, row = schedule.split(rows, [None, 16])
    across, column = schedule.split(columns, [None, 16])
    schedule.reorder(down, across, row, column)
    schedule.bind(down, "blockIdx.y")
    schedule.bind(across, "blockIdx.x")
    schedule.bind(row, "threadIdx.y")
    schedule.bind(column, "threadIdx.x")
    schedule.compute_at(sums, column)
    schedule.set_scope(sums, 0, "local")
    steps, _ = schedule.split(schedule.get_loops(sums)[-1], [None, 16])
    for tile in tiles:
        schedule.compute_at(tile, steps)
        y, x = schedule.get_loops(tile)[-2:]
        schedule.bind(y, "threadIdx.y")
        schedule.bind(x, "threadIdx.x")
