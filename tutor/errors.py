"""The two ways a call can fail that are not the learner's answer.

Both carry one sentence for a person: what is wrong, where, and what to do. `tutor.cli` prints it on
stderr and leaves with the exit status that `docs/contract.md` fixes.
"""


class UsageError(Exception):
    """The call is wrong: an unknown slug, an unreadable file, a mistake in a course file. Exit 2."""

    exit_status = 2


class CannotHere(Exception):
    """This machine cannot do it: a package, a compiler or a GPU is missing. Exit 3."""

    exit_status = 3
