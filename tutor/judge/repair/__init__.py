"""The cause of a wrong program, by repair: the smallest change to it that makes every case right.

Right answers are rewritten in the learner's names and compared with the program, statement by
statement and below (`differences`); slips that need no right answer stand beside them (`slips`).
`search` tries the changes, likely ones first, and `place` says where the one that does it stands.
Nothing here runs a program: whoever searches says how one is tried.
"""
