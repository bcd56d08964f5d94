"""What TVM refuses, in words: each row is provoked by a real schedule."""

import re

import pytest

from tutor.judge.diagnosis.error_messages import match_error
from tutor.judge.diagnosis.tvm_errors import REFUSED, TVM, shorten_refusal

pytest.importorskip("tvm")

from tvm import s_tir, te


def product():
    """C = A @ B, and D = max(C, 0)."""
    a, b = (te.placeholder((16, 16), name=name) for name in "AB")
    k = te.reduce_axis((0, 16), name="k")
    c = te.compute((16, 16), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    d = te.compute((16, 16), lambda i, j: te.max(c[i, j], 0.0), name="D")
    return te.create_prim_func([a, b, d])


PRODUCT = product()
REFUSALS = (
    (lambda s, b, i, j, k: s.parallel(k), "`parallel`: in the block `C` several turns"),
    (
        lambda s, b, i, j, k: (s.decompose_reduction(b, k), s.vectorize(j)),
        "inside loop `j` stands the block `C_update`",
    ),
    (lambda s, b, i, j, k: s.split(i, [3, 5]), "fewer than the turns of loop `i`"),
    (lambda s, b, i, j, k: s.split(i, [None, None]), "more than one factor is None"),
    (lambda s, b, i, j, k: s.fuse(i, k), "loop `k` does not stand directly inside loop `i`"),
    (lambda s, b, i, j, k: s.reorder(j, j), "loop `j` is named twice"),
    (
        lambda s, b, i, j, k: s.reorder(i, s.get_loops(s.get_sblock("D"))[0]),
        "not all around one block",
    ),
    (lambda s, b, i, j, k: s.compute_at(b, i), "loop `i` stands around the block `C` already"),
    (
        lambda s, b, i, j, k: s.compute_at(s.get_sblock("D"), i),
        "the block `D` makes the result",
    ),
    (lambda s, b, i, j, k: s.compute_inline(b), "`compute_inline`: the block `C` is a reduction"),
    (
        lambda s, b, i, j, k: s.bind(k, "blockIdx.x"),
        "`bind`: in the block `C` that loop takes part",
    ),
    (
        lambda s, b, i, j, k: s.decompose_reduction(b, (s.reorder(k, i, j), i)[1]),
        "loop `i` stands inside a loop of the sum of `C`",
    ),
    (
        lambda s, b, i, j, k: s.decompose_reduction(
            s.get_sblock("D"), s.get_loops(s.get_sblock("D"))[0]
        ),
        "the block `D` is no sum",
    ),
    (lambda s, b, i, j, k: s.get_sblock("X"), "There is no block `X`."),
    (lambda s, b, i, j, k: s.cache_read(b, 5, "local"), "has 2 buffers that it reads"),
    (lambda s, b, i, j, k: s.rfactor(i, 0), "loop `i` chooses a cell of the result"),
    (lambda s, b, i, j, k: s.cache_read(b, 0, "foo"), '"foo" is no kind of memory'),
    (lambda s, b, i, j, k: (s.split(i, [None, 4]), s.vectorize(i)), "This loop is gone"),
    (lambda s, b, i, j, k: s.vectorize("j"), "`vectorize` was given a `str`"),
    (
        lambda s, b, i, j, k: s.storage_align(b, 0, 5, 8, 2),
        "TVM refuses `storage_align`: The buffer",
    ),
)


def test_each_refusal_is_told_with_the_names_of_the_program():
    used = set()
    for step, words in REFUSALS:
        schedule = s_tir.Schedule(PRODUCT)
        block = schedule.get_sblock("C")
        with pytest.raises((s_tir.ScheduleError, ValueError, TypeError)) as caught:
            step(schedule, block, *schedule.get_loops(block))
        refused = isinstance(caught.value, s_tir.ScheduleError)
        kind = REFUSED if refused else type(caught.value).__name__
        said = shorten_refusal(str(caught.value)) if refused else str(caught.value)
        code, sentence = match_error(kind, said)
        assert code == "refused-step"
        assert words in sentence, sentence
        assert not re.search(r"#\d|SRef", sentence)
        used.add(
            next(
                row.says
                for row in TVM
                if re.fullmatch(row.type, kind) and re.search(row.text, said)
            )
        )
    assert used == {row.says for row in TVM}
