"""Records that tell of one program which the learner's pass has rewritten. No torch."""

from typing import Annotated

from msgspec import Meta

from tutor.judge.processes.worker_messages.kernel_report import Integer, Text
from tutor.judge.processes.worker_messages.records import MessageRecord, OutputTensor

MOST_OPERATIONS = 2_000  # of a program that are told
MOST_ELEMENTS = 4_096  # of a result that is sent

Name = Annotated[str, Meta(max_length=200)]


class Operation(MessageRecord, frozen=True):
    """An operation of a program. `kind`: FX's own of its nodes; else "call", "constant" or "end".

    `times`: how often it runs in one call of the program; `users`: of an FX node, how many read it.
    """

    kind: Name
    name: Name
    times: Integer = 1
    users: Integer = 0


class RewriteFault(MessageRecord, frozen=True):
    """Says what is wrong with a rewritten program. `reason` is one word for all faults of a sort."""

    reason: Name
    code: Name
    sentence: Text


Operations = Annotated[tuple[Operation, ...], Meta(max_length=MOST_OPERATIONS)]


class RewriteReport(MessageRecord, frozen=True):
    """A program before and after the pass. `got` and `want`: a result that differs, as the files that
    come along have it. `again`: what a second run of the pass still changed, "" for nothing."""

    before: Operations = ()
    after: Operations = ()
    fault: RewriteFault | None = None
    got: OutputTensor | None = None
    want: OutputTensor | None = None
    again: Text = ""
