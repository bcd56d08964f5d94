"""The trusted process: it runs the phases of a submission and decides its verdict.

Never runs a learner's line.
"""
