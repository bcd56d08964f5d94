"""The ways a call can end early that are not the learner's answer.

Each carries one sentence for a person: what is wrong, where, and what to do. `tutor.__main__` prints
it on stderr and leaves with the exit status that `docs/contract.md` fixes.
"""


class UsageError(Exception):
    """The call is wrong: an unknown slug, an unreadable file, a mistake in a course file. Exit 2."""

    exit_status = 2


class StorageError(UsageError):
    """A file of the learner's cannot be read or written: the disk is full, the folder is read-only,
    the record is damaged. Exit 2.

    It is a `UsageError`, so whoever shows those to a person shows it too. Who handles faulty course
    files must let it pass.
    """


class CannotHere(Exception):
    """This machine cannot do it: a package, a compiler or a GPU is missing. Exit 3."""

    exit_status = 3


class Stopped(Exception):
    """ctrl+c ended it. Exit 130, as shells have it. `holds`: half a sentence on what is so now."""

    exit_status = 130

    def __init__(self, holds: str = "") -> None:
        super().__init__(f"stopped; {holds}" if holds else "stopped")
