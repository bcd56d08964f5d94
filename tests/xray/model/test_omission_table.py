"""The table of a kernel without each of Triton's passes: the column of times."""

import pytest

from tutor.xray.model import omission_table as table
from tutor.xray.model.stages import LaunchTime, Omission

COUNTS = (("instructions", 42), ("load_bits", 128), ("store_bits", 128))
WHOLE = Omission("add", "", "", of=3, counts=COUNTS, time=LaunchTime(4.0, 3.9, 4.1))
SLOWER = Omission(
    "add", "ttgir", "coalesce", 1, 1, 3, ("ttgir",), COUNTS, time=LaunchTime(12.34, 12.1, 12.6)
)
SAME = Omission(
    "add", "ttgir", "prefetch", 1, 2, 3, ("ttgir",), COUNTS, time=LaunchTime(4.08, 4.0, 4.2)
)
LOST = Omission("add", "ttgir", "cse", 1, 3, 3, ("ttgir",), COUNTS, untimed="RuntimeError: [lost]")


def test_a_time_is_another_where_the_middle_halves_do_not_meet() -> None:
    heads, whole, _, *rows = list(table.format_rows([LOST, SAME, SLOWER, WHOLE]))
    assert heads.endswith("     µs")
    assert whole.endswith(" 4.00")
    assert [row.split()[-1] for row in rows] == ["12.3", "4.08", "-"]
    assert [table.cells_of(row, WHOLE)[-1][1] for row in (SLOWER, SAME, LOST)] == [
        True,
        False,
        False,
    ]
    assert table.legend_of(WHOLE)[-1] == table.TIME_LEGEND


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (SLOWER, "A launch takes 12.3 µs (with it 4.00)."),
        (SAME, "A launch takes as long, 4.08 µs (with it 4.00)."),
        (LOST, "No time: RuntimeError: [lost]."),
    ],
)
def test_the_time_is_told(row: Omission, said: str) -> None:
    assert said in table.describe_changes(row, WHOLE)


def test_without_a_time_of_the_whole_kernel_there_is_no_column() -> None:
    bare = Omission("add", "", "", of=1, counts=COUNTS)
    assert next(iter(table.format_rows([bare]))).endswith("spill")
    assert table.legend_of(bare) == table.LEGEND
    why = "no launch of it is known"
    untimed = Omission("add", "", "", of=1, counts=COUNTS, untimed=why)
    assert table.legend_of(untimed)[-1] == f"Not timed on this GPU: {why}"
    assert len(table.cells_of(SLOWER, bare)) == len(table.HEADS) - 1
