def cache_tiles(schedule):
    c = schedule.get_sblock("C")
    parts = [schedule.split(loop, factors=[None, 16]) for loop in schedule.get_loops(c)]
    (rows, row), (columns, column), (steps, step) = parts
    schedule.reorder(rows, columns, row, column, steps, step)
    names = ("blockIdx.y", "blockIdx.x", "threadIdx.y", "threadIdx.x")
    for loop, name in zip((rows, columns, row, column), names, strict=True):
        schedule.bind(loop, name)
    write = schedule.cache_write(c, 0, "local")
    schedule.reverse_compute_at(write, column)
    schedule.reverse_compute_at(schedule.get_sblock("D"), column)
    for number in range(2):
        copy = schedule.cache_read(c, number, "shared")
        schedule.compute_at(copy, steps)
        cell = schedule.fuse(*schedule.get_loops(copy)[-2:])
        _, y, x = schedule.split(cell, factors=[None, 16, 16])
        schedule.bind(y, "threadIdx.y")
        schedule.bind(x, "threadIdx.x")
