"""Which pass is missing from this code? Questions drawn from rows, each with one right option."""

import random

from tutor.xray.model.pass_drill import draw_question
from tutor.xray.model.stages import Omission

WHOLE = "/*0000*/ LDG.E.128 R4, [R2] ;\n/*0010*/ STG.E.128 [R8], R4 ;"
NARROW = "/*0000*/ LDG.E R4, [R2] ;\n/*0010*/ LDG.E R5, [R2] ;\n/*0020*/ STG.E.128 [R8], R4 ;"
MORE = f"{WHOLE}\n/*0020*/ BAR.SYNC 0x0 ;\n/*0030*/ @!P0 LDS R5, [R9] ;"


def row(name: str, place: int, text: str) -> Omission:
    return Omission("k", "ttgir", name, 1, place, 5, ("ttgir", "sass"), texts=(("sass", text),))


COALESCE, LAYOUTS = row("coalesce", 1, NARROW), row("remove_layout_conversions", 2, MORE)
# The same instructions as without `remove_layout_conversions`, and as with all passes.
TWIN, SAME = row("twin", 3, MORE.replace("R5", "R6")), row("same", 4, WHOLE.replace("R4", "R7"))
FAILED = Omission("k", "llir", "to_llvmir", 1, 5, 5, failed="llir", sentence="no")
ROWS = [Omission("k", "", "", of=5), COALESCE, LAYOUTS, TWIN, SAME, FAILED]


def test_only_one_option_has_this_code_and_none_the_whole_kernels() -> None:
    asked = set()
    for seed in range(60):
        question = draw_question(ROWS, WHOLE, random.Random(seed))
        assert question is not None
        names = {option.name for option in question.options}
        assert question.row in question.options
        assert len(question.options) == 2
        assert "coalesce" in names
        assert len(names & {"twin", "remove_layout_conversions"}) == 1
        asked.add(question.row.name)
    assert asked == {"coalesce", "twin", "remove_layout_conversions"}


def test_the_instructions_that_differ_are_counted() -> None:
    question = draw_question([ROWS[0], COALESCE, LAYOUTS], WHOLE, random.Random(0), LAYOUTS)
    assert question is not None
    assert question.row is COALESCE, "another one than before"
    assert question.opcodes == (("LDG.E", 0, 2), ("LDG.E.128", 1, 0))


def test_a_kernel_that_passes_change_in_one_way_only_has_no_question() -> None:
    assert draw_question([ROWS[0], COALESCE, SAME, FAILED], WHOLE, random.Random(0)) is None
    assert draw_question([ROWS[0], LAYOUTS, TWIN], WHOLE, random.Random(0)) is None
