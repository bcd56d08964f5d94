"""Code of the warm processes and of the workers they fork, where the learner's code runs too.

Knows no reference and no verdict.
"""
