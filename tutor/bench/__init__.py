"""Measurements of this program's speed on this machine, as a learner meets it.

Whole processes on a real pseudo-terminal, the real judge, the real application. Runs that are
compared take turns, so that a machine which slows down meets both sides. The learner's data is never
opened: everything happens in a temporary `TUTOR_HOME` (`tutor.bench.harness`).
"""
