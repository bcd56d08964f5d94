"""This program's own speed on this machine, measured the way a learner meets it.

Whole processes on a real pseudo-terminal, the real judge, the real application. Runs that are
compared take turns, so that a machine which slows down meets both sides. The learner's data is never
opened: everything happens in a `TUTOR_HOME` of its own (`tutor.bench.harness`).
"""
