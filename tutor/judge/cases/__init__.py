"""Cases of an exercise: its reference, its inputs, and the results of a worker. No diagnosis."""
