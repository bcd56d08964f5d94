def $slug(schedule):
    # Split the loop, and mark the two.
    schedule.get_loops(schedule.get_sblock("B"))
