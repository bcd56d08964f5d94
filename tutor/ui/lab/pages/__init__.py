"""The pages of the lab: task, verdict, hints, attempts, roofline, scratch cells, solution; no screen."""
