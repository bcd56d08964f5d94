"""A function whose launcher is in another file."""

from allocates import allocates


def calls_it(x):
    return allocates(x) + 1
