"""Code of the warm processes and of the workers they fork, which also run the learner's code.

Knows no reference and no verdict.
"""
