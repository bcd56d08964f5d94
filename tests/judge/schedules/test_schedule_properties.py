"""The properties of schedules, on facts as the worker tells them."""

import pytest

from tutor.judge.cases.schedules import find_broken, read_schedules
from tutor.judge.spec import Bound, Cached, Nest, SameAs, Within


def loop(number: int, name: str, extent: int, kind: str = "serial") -> dict:
    return {"id": number, "name": name, "extent": extent, "kind": kind}


FACTS = {
    "blocks": {
        "C": [loop(0, "i", 4, "blockIdx.x"), loop(1, "j", 8, "threadIdx.x"), loop(2, "k", 16)],
        "D": [loop(0, "i", 4, "blockIdx.x"), loop(3, "j", 8, "vectorized")],
    },
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
    (Nest("C", kinds={5: "parallel"}), "the 6. loop is not there"),
    (Nest("E"), "There is no block `E` any more; there are `C`, `D`."),
    (Bound("C", {"blockIdx.x": 4, "threadIdx.x": None}), ""),
    (Bound("C", {"blockIdx.x": 2, "threadIdx.x": None}), "`blockIdx.x` runs 4 times"),
    (Bound("C", {"blockIdx.y": None}), "No loop around `C` is bound to `blockIdx.y`."),
    (Bound("C", {"blockIdx.x": None}), "`j` is bound to `threadIdx.x`, which was not asked for"),
    (Cached("A", "shared", 512), ""),
    (Cached("A", "shared", 511), "`A_shared` takes 512 bytes, and at most 511"),
    (Cached("B", "shared", 64), "no copy in shared memory. There is `B_local` in local memory."),
    (Within("D", "C", 1), ""),
    (Within("D", "C", 2), "`D` runs inside 1 of the loops of `C`. Asked for: 2."),
    (SameAs(), "First `for i in range(4):` differs; wanted there: `for i in range(8):`."),
)


@pytest.mark.parametrize(("wanted", "words"), TABLE)
def test_a_property_is_kept_or_told(wanted, words) -> None:
    broken = find_broken((wanted,), read_schedules({"schedules": [FACTS]}))
    assert (broken is None) is (not words)
    if broken:
        assert broken[0] == 0
        assert words in broken[1]
