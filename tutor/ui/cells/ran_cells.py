"""Cells that have run: what they called a function with."""

from collections.abc import Iterator
from dataclasses import dataclass

from tutor.judge.client import CellDone, Judge
from tutor.xray.model import call_inputs

Inputs = tuple[str, ...]


@dataclass(frozen=True)
class RanCells:
    """The code of cells that have run in a session of the judge, the nearest one first."""

    session: str
    mode: str
    codes: tuple[str, ...]

    def inputs(self, judge: Judge, name: str) -> Iterator[Inputs]:
        """Yield the inputs of the nearest call of `name` whose arguments still have values."""
        for call in call_inputs.find_calls(self.codes, name):
            questions = call_inputs.list_expressions(call)
            # All events before the inputs go on: a call that is left half-way ends its session.
            events = list(judge.run_cell(self.session, "pass", mode=self.mode, evaluate=questions))
            done = events[-1] if events else None
            if isinstance(done, CellDone) and done.ok:
                values = [done.values[question] for question in questions]
                if specs := call_inputs.read_specs(call, values):
                    yield specs
                    return
