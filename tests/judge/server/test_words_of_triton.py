"""Errors that NumPy or Python's insides raise in the interpreter are told in Triton's words."""

import pytest
from judging import RIGHT, TRITON, first_code, judged

SAID = "    tl.store(out_ptr + offsets, x + y, mask=mask)\n"
WRONG = {
    "`tl.maximum(a, b)`": "    x = tl.max(x, tl.max(y, axis=0) * 0 + 7)\n",
    "A whole tile goes to a single address": "    tl.atomic_add(out_ptr, x + y, mask=mask)\n",
    "not a block pointer": (
        "    block = tl.make_block_ptr(out_ptr, (n,), (1,), (0,), (BLOCK,), (0,))\n"
        "    tl.atomic_add(block, x + y)\n"
    ),
}
if TRITON >= (3, 9):
    del WRONG["not a block pointer"]  # this Triton has none


@pytest.mark.slow
@pytest.mark.parametrize("words", WRONG)
def test_the_cause_is_named_in_words_of_the_language(judge, words: str) -> None:
    assert SAID in RIGHT
    verdict = judged(judge, RIGHT.replace(SAID, WRONG[words] + SAID))
    assert first_code(verdict) == "compile-error", verdict.diagnosis
    said = verdict.diagnosis[0].message
    assert words in said
    assert not any(word in said for word in ("AxisError", "remapped", "primitive_bitwidth"))
