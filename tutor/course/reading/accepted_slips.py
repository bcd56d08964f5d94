"""Reader of `slips.toml`: slips in an exercise's right answers that the judge rightly accepts."""

from pathlib import Path

from tutor.course.model import AcceptedSlip
from tutor.course.reading.toml_table import read_table

FILE = "slips.toml"


def read_accepted_slips(folder: Path) -> tuple[AcceptedSlip, ...]:
    """The slips listed for the exercise in `folder`; none without a list.

    Raises `CourseFault` with every mistake of the file.
    """
    path = folder / FILE
    if not path.is_file():
        return ()
    file = read_table(path)
    slips = []
    for row in file.tables("slip", least=1):
        slips.append(AcceptedSlip(row.text("answer"), row.text("line"), row.text("why")))
        row.finish("a slip")
    file.finish("a file of slips")
    file.raise_faults()
    return tuple(slips)
