"""Reader of `other_repairs.toml`: wrong answers that changes in other lines make right too."""

from pathlib import Path

from tutor.course.model import OtherRepair
from tutor.course.reading.toml_table import read_table

FILE = "other_repairs.toml"


def read_other_repairs(folder: Path) -> tuple[OtherRepair, ...]:
    """Return the wrong answers listed for the exercise in `folder`; none without a list.

    Raises `CourseFault` with every mistake of the file.
    """
    path = folder / FILE
    if not path.is_file():
        return ()
    file = read_table(path)
    repairs = []
    for row in file.tables("repair", least=1):
        repairs.append(OtherRepair(row.text("answer"), row.text("why")))
        row.finish("a repair")
    file.finish("a file of repairs")
    file.raise_faults()
    return tuple(repairs)
