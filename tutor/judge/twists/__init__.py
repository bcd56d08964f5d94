"""Twists: whether a right program was written in the way that a review asked for.

`program_words` lists what a program is written with, `promises` holds it and what the interpreter saw
against the rows of `exercise.toml`, and `asked` makes the verdict of a review. Nothing here runs a
program.
"""
