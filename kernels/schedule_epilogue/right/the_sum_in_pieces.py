def fuse_epilogue(schedule):
    block = schedule.get_sblock("C")
    for loop in schedule.get_loops(block)[:2]:
        schedule.split(loop, factors=[None, 16])
    rows, row, columns, column, steps = schedule.get_loops(block)
    schedule.reorder(columns, rows, steps, row, column)
    schedule.parallel(columns)
    schedule.vectorize(column)
    schedule.set_scope(block, 0, "local")
    last = schedule.get_sblock("D")
    schedule.reverse_compute_at(last, rows)
    *_, down, across = schedule.get_loops(last)
    schedule.unroll(down)
    schedule.vectorize(across)
