"""Lines that belong together: links between stages, and the index that a cursor asks."""

import itertools
import time

from hypothesis import given
from hypothesis import strategies as st

from tutor.xray.model.stages import Link
from tutor.xray.triton_kernels.line_links import MOST_PAIRS, Index, kernel_links
from tutor.xray.triton_kernels.source_positions import Place, clean

PLACES = st.lists(
    st.none() | st.builds(Place, st.integers(1, 4), st.integers(1, 2)), max_size=60
)  # fmt: skip


@given(PLACES, PLACES)
def test_a_cursor_lights_the_lines_of_its_own_position(
    above: list[Place | None], below: list[Place | None]
) -> None:
    index = Index(kernel_links("k", "ttir:k", above, "ttgir:k", below))
    for mine, theirs, here, there in (
        (above, below, "ttir:k", "ttgir:k"), (below, above, "ttgir:k", "ttir:k"),
    ):  # fmt: skip
        for line, place in enumerate(mine, 1):
            same = tuple(n for n, p in enumerate(theirs, 1) if p is not None and p == place)
            assert index.lit(here, line) == ({there: same} if same else {})


def test_without_columns_lines_decide() -> None:
    above = [Place(7, 3), Place(7, 9), Place(8, 1)]
    below = [Place(7), None, Place(8)]
    found = {(k.source_line, k.target_line) for k in kernel_links("", "ptx", above, "sass", below)}
    assert found == {(1, 1), (2, 1), (3, 3)}


def test_large_groups_stay_small_and_complete() -> None:
    many = [Place(1, 1)] * 2000
    links = list(kernel_links("k", "llir:k", many, "ptx:k", many))
    assert MOST_PAIRS < len(links) < 2 * len(many)
    index = Index(links)
    everything = tuple(range(1, 2001))
    assert index.lit("llir:k", 1234) == {"ptx:k": everything}
    assert index.lit("ptx:k", 1234) == {"llir:k": everything}


def test_the_whole_way_of_a_line() -> None:
    links = [Link("source", 2, "dynamo", 5), Link("dynamo", 5, "forward", 9),
             Link("source", 3, "dynamo", 6)]  # fmt: skip
    index = Index(links)
    assert index.way("forward", 9) == {"forward": (9,), "dynamo": (5,), "source": (2,)}
    assert index.way("wrapper", 1) == {"wrapper": (1,)}
    assert index.lit("nowhere", 1) == {}


def test_a_cursor_waits_less_than_30_ms_in_a_large_xray() -> None:
    places = [Place(line // 40 + 1, line % 5 + 1) for line in range(20_000)]
    stages = ["triton:k", "ttir:k", "ttgir:k", "llir:k", "ptx:k", "sass:k"]
    index = Index(
        link
        for above, below in itertools.pairwise(stages)
        for link in kernel_links("k", above, places, below, places)
    )
    worst = 0.0
    for line in range(1, 20_000, 997):
        started = time.perf_counter()
        assert len(index.lit("llir:k", line)) == 2
        worst = max(worst, time.perf_counter() - started)
    assert worst < 0.030


def test_positions_leave_the_text_and_keep_to_the_kernels_file() -> None:
    raw = (
        '#loc = loc("/k.py":6:0)\n#loc1 = loc(unknown)\nmodule {\n'
        '  tt.func @k(%x: !tt.ptr<f32> loc("x"(#loc))) {\n'
        "    %a = tt.load %x : !tt.ptr<f32> loc(#loc5)\n"
        "    %b = scf.if %c -> (f32) {\n      scf.yield %a : f32 loc(#loc1)\n"
        "    } else {\n      scf.yield %a : f32 loc(#loc1)\n    } loc(#loc2)\n"
        "    %s = tt.sum %a : f32 loc(#loc4)\n"
        "    tt.return loc(#loc1)\n  } loc(#loc)\n} loc(#loc)\n"
        '#loc2 = loc("/k.py":8:4)\n#loc3 = loc("/triton/standard.py":170:27)\n'
        '#loc4 = loc(callsite(#loc3 at #loc2))\n#loc5 = loc("a"(#loc6))\n'
        '#loc6 = loc("/k.py":7:9)\n'
    )
    found = clean("ttir", raw, "/k.py")
    lines = found.text.splitlines()
    assert "loc" not in found.text
    assert len(lines) == len(found.places)
    assert dict(zip((line.strip() for line in lines), found.places, strict=True)) == {
        "module {": Place(6),
        "tt.func @k(%x: !tt.ptr<f32>) {": Place(6),
        "%a = tt.load %x : !tt.ptr<f32>": Place(7, 9),
        "%b = scf.if %c -> (f32) {": Place(8, 4),
        "scf.yield %a : f32": None,
        "} else {": Place(8, 4),
        "}": Place(6),
        "%s = tt.sum %a : f32": Place(8, 4),
        "tt.return": None,
    }
