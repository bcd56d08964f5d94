"""The trusted process: it runs the phases of a submission and decides its verdict.

It never runs a learner's line.
"""
