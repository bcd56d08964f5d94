def $slug(schedule):
    (loop,) = schedule.get_loops(schedule.get_sblock("B"))
    # The outer loop's extent is what the inner one leaves over.
    outer, inner = schedule.split(loop, [None, 32])
    schedule.parallel(outer)
    schedule.vectorize(inner)
