"""The properties of schedules, on facts as the worker tells them."""

import pytest

from tutor.judge.cases.schedules import find_broken, read_schedules
from tutor.judge.spec import Bound, Cached, Nest, Once, SameAs, Within


def loop(number: int, name: str, extent: int, kind: str = "serial") -> dict:
    return {"id": number, "name": name, "extent": extent, "kind": kind}


FACTS = {
    "blocks": {
        "C": [loop(0, "i", 4, "blockIdx.x"), loop(1, "j", 8, "threadIdx.x"), loop(2, "k", 16)],
        "D": [loop(0, "i", 4, "blockIdx.x"), loop(3, "j", 8, "vectorized")],
        "A_shared": [
            loop(0, "i", 4, "blockIdx.x"),
            loop(1, "j", 8, "threadIdx.x"),
            loop(4, "ax0", 2),
            loop(5, "ax1", 8, "threadIdx.x"),
        ],
    },
    "axes": {"C": 512, "D": 16, "A_shared": 64},
    "buffers": [
        {"name": "A_shared", "scope": "shared", "bytes": 512},
        {"name": "B_local", "scope": "local", "bytes": 64},
    ],
    "same": False,
    "differs": ["for i in range(4):", "for i in range(8):"],
}

TABLE = (
    (Nest("C", (4, 8, 16)), ""),
    (Nest("C", (4, ..., 16), {-1: "serial", 0: "blockIdx.x"}), ""),
    (Nest("C", (..., 16, 8)), "run 4 (`i`), 8 (`j`), 16 (`k`) times"),
    (Nest("C", (4, 8, 16, ..., 2)), "Asked for: 4, 8, 16, …, 2."),
    (Nest("C", kinds={1: "parallel"}), "the 2. loop, `j`, is threadIdx.x. Asked for: parallel."),
    (Nest("C", kinds={-2: "unrolled"}), "the 2. loop from the innermost out, `j`, is threadIdx.x"),
    (Nest("C", kinds={5: "parallel"}), "the 6. loop is not there"),
    (Nest("E"), "There is no block `E`; there are `C`, `D`, `A_shared`."),
    (Bound("C", {"blockIdx.x": 4, "threadIdx.x": None}), ""),
    (Bound("C", {"blockIdx.x": 2, "threadIdx.x": None}), "`blockIdx.x` runs 4 times"),
    (Bound("C", {"blockIdx.y": None}), "No loop around `C` is bound to `blockIdx.y`."),
    (Bound("C", {"blockIdx.x": None}), "`j` is bound to `threadIdx.x`, which was not asked for"),
    (Bound("A_shared", {"blockIdx.x": None}), "both `j` and `ax1` are bound to `threadIdx.x`"),
    (Cached("A", "shared", 512), ""),
    (Cached("A", "shared", 511), "`A_shared` takes 512 bytes, and at most 511"),
    (Cached("A", "shared", 512, 512), ""),
    (Cached("A", "shared", 1024, 1024), "takes 512 bytes, and a copy of 1,024 was asked for"),
    (
        Cached("B", "shared", 64),
        "is not in shared memory, and no copy of it is. There is `B_local` in local memory.",
    ),
    (Within("D", "C", 1), ""),
    (Within("D", "C", 2), "`D` runs inside 1 of the loops of `C`. Asked for: 2."),
    (Within("D", "C", 1, turns=8), ""),
    (
        Within("D", "C", 1, turns=7),
        "runs 8 times in a turn of `i`, the innermost loop that it shares",
    ),
    (Within("A_shared", "C", 2, turns=2), ""),
    (Within("A_shared", "C", 2, turns=1), "by the loop 2 (`ax0`). Asked for: at most 1."),
    (Once("C"), ""),
    (Once("A_shared"), ""),
    (Once("D"), "`D` runs 32 times, and 16 would do: its loops are 4 (`i`), 8 (`j`)."),
    (SameAs(), "First `for i in range(4):` differs; wanted there: `for i in range(8):`."),
)


def test_a_loop_that_always_runs_once_is_not_parallel() -> None:
    def facts(extent: int) -> dict:
        return {"blocks": {"C": [loop(0, "i", extent, "parallel"), loop(1, "j", 8)]}, "buffers": []}

    wanted = (Nest("C", kinds={0: "parallel"}),)
    assert find_broken(wanted, read_schedules({"schedules": [facts(1), facts(4)]})) is None
    broken = find_broken(wanted, read_schedules({"schedules": [facts(1), facts(1)]}))
    assert broken
    assert "`i`, runs once, in every case, so nothing is parallel" in broken[1]


@pytest.mark.parametrize(("wanted", "words"), TABLE)
def test_a_property_is_kept_or_told(wanted, words) -> None:
    broken = find_broken((wanted,), read_schedules({"schedules": [FACTS]}))
    assert (broken is None) is (not words)
    if broken:
        assert broken[0] == 0
        assert words in broken[1]
