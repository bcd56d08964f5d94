"""Errors that end a call early. A wrong answer of the learner is none of them.

Each has one sentence for the user: the fault, its place, and the remedy. `tutor.__main__` prints it
on stderr and exits with the status that `docs/contract.md` fixes.
"""


class UsageError(Exception):
    """The call is wrong: an unknown slug, an unreadable file, a mistake in a course file. Exit 2."""

    exit_status = 2


class MissingInputs(UsageError):
    """A call of the learner's function lacks arguments that it must have. Exit 2."""


class StorageError(UsageError):
    """A learner's file cannot be read or written: the disk is full, the folder is read-only, the
    record is damaged. Exit 2.

    It is a `UsageError`, so code that shows those to the user shows it too. Code that handles faulty
    course files must not catch it.
    """


class CannotHere(Exception):
    """This machine cannot do it: a package, a compiler or a GPU is missing. Exit 3."""

    exit_status = 3


class JudgeLost(CannotHere):
    """The connection to the judge was lost or did not come about; another try may succeed."""


def make_refusal(reason: str, status: int, missing_inputs: bool = False) -> UsageError | CannotHere:
    """Return the error of another process, which sent its sentence and its exit status."""
    if missing_inputs:
        return MissingInputs(reason)
    return UsageError(reason) if status == UsageError.exit_status else CannotHere(reason)


class ProgramFault(Exception):
    """A fault of the program; its traceback is in `crash.log`. Exit 70 (`EX_SOFTWARE`)."""

    exit_status = 70


class PipeClosed(Exception):
    """The reader of the output has gone, as `head` does. Exit 141, as in shells: 128 + SIGPIPE."""

    exit_status = 141


class Stopped(Exception):
    """ctrl+c ended it. Exit 130, as in shells. `holds`: half a sentence on the current state."""

    exit_status = 130

    def __init__(self, holds: str = "") -> None:
        super().__init__(f"stopped; {holds}" if holds else "stopped")
