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
            for event in judge.run_cell(self.session, "pass", mode=self.mode, evaluate=questions):
                if isinstance(event, CellDone) and event.ok:
                    values = [event.values[question] for question in questions]
                    if specs := call_inputs.read_specs(call, values):
                        yield specs
                        return
