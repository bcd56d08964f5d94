def split_reorder(schedule):
    sums, results = schedule.get_sblock("C"), schedule.get_sblock("D")
    rows, columns = schedule.get_loops(results)
    down, four = schedule.split(rows, [None, 4])
    across, sixteen = schedule.split(columns, [None, 16])
    schedule.reorder(down, across, four, sixteen)
    schedule.compute_at(sums, across)
    row, column, step = schedule.get_loops(sums)[2:]
    slow, fast = schedule.split(step, [None, 8])
    schedule.reorder(slow, fast, row, column)
    schedule.unroll(row)
    schedule.vectorize(column)
    schedule.parallel(down)
    schedule.decompose_reduction(sums, slow)
