"""The record that connects an error message with an explanation. The tables are in `*_errors`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ErrorPattern:
    """Describe one kind of error; the first pattern of a table that matches is used.

    `type` is a regular expression for the full name of the exception's type. `text` is one that is
    searched in the message; `{0}` and `{1}` in `says` stand for its groups. The messages are those of
    Triton 3.6 and 3.7 and torch 2.11 and 2.13; `tests/judge/diagnosis/test_error_messages.py` provokes
    each.
    """

    type: str
    text: str
    code: str  # a diagnosis code of the contract
    says: str
