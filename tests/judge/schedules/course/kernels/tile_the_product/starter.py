def tile(schedule):
    # Split, reorder, copy, mark.
    schedule.get_sblock("C")
