"""Who holds which element of a tile, against Triton's own `to_linear_layout` of the same layouts."""

import random
from typing import Any

import pytest

from tutor.xray.model.tile_layouts import (
    Holder,
    Tile,
    TileLayout,
    TileView,
    Undecoded,
    find_tiles,
    lay_out,
    list_views,
    read_definitions,
)

gluon_ir = pytest.importorskip("triton._C.libtriton").gluon_ir

BLOCKED = (
    "#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], "
    "warpsPerCTA = [4, 1], order = [1, 0]}>\n"
)
TEXT = (
    BLOCKED
    + """\
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
module {
    %9 = ttg.convert_layout %8 : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #blocked>
    %7 = tt.load %6 : tensor<64x32x!tt.ptr<f16>, #blocked>
    %5 = tt.make_range {end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %4 = tt.dot %3, %2 : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %1 = foo : tensor<f32>, tensor<8xf32>, !ttg.memdesc<64x32xf16, #shared, #smem>
}
"""
)


def triton_says(layout: Any, shape: list[int]) -> dict[str, tuple[tuple[int, ...], ...]]:
    from triton._C.libtriton import ir, nvidia

    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    linear = builder.to_linear_layout(layout._to_ir(builder), shape)
    parts = {"register": linear.reg_bases, "lane": linear.lane_bases, "warp": linear.warp_bases}
    return {unit: tuple(map(tuple, bases)) for unit, bases in parts.items()}


def as_text(layout: Any) -> str:
    """Return the attribute as TTGIR prints it."""
    from triton.experimental.gluon.language import _layouts as gluon

    match layout:
        case gluon.BlockedLayout():
            return (
                f"#ttg.blocked<{{sizePerThread = {layout.size_per_thread}, threadsPerWarp = "
                f"{layout.threads_per_warp}, warpsPerCTA = {layout.warps_per_cta}, "
                f"order = {layout.order}}}>"
            )
        case gluon.NVMMADistributedLayout():
            major, minor = layout.version
            return (
                f"#ttg.nvidia_mma<{{versionMajor = {major}, versionMinor = {minor}, warpsPerCTA = "
                f"{layout.warps_per_cta}, instrShape = {layout.instr_shape}}}>"
            )
        case gluon.SliceLayout():
            return f"#ttg.slice<{{dim = {layout.dim}, parent = {as_text(layout.parent)}}}>"
        case gluon.DotOperandLayout():
            width = f", kWidth = {layout.k_width}" if layout.k_width else ""
            parent = as_text(layout.parent)
            return f"#ttg.dot_op<{{opIdx = {layout.operand_index}, parent = {parent}{width}}}>"
        case gluon.DistributedLinearLayout():
            return (
                f"#ttg.linear<{{register = {layout.reg_bases}, lane = {layout.lane_bases}, warp = "
                f"{layout.warp_bases}, block = []}}>"
            )
    raise AssertionError(layout)


def split(random_: random.Random, total: int, rank: int) -> list[int]:
    """Return powers of two with that product."""
    sizes = [1] * rank
    while total > 1:
        sizes[random_.randrange(rank)] *= 2
        total //= 2
    return sizes


def draw_blocked(random_: random.Random, rank: int) -> Any:
    from triton.experimental.gluon.language import _layouts as gluon

    order = random_.sample(range(rank), rank)
    each = split(random_, random_.choice([1, 2, 4, 8]), rank)
    warps = split(random_, random_.choice([1, 4, 8]), rank)
    return gluon.BlockedLayout(each, split(random_, 32, rank), warps, order)


def draw_mma(random_: random.Random) -> Any:
    from triton.experimental.gluon.language import _layouts as gluon

    if random_.random() < 0.5:
        return gluon.NVMMADistributedLayout([2, 0], split(random_, 4, 2), [16, 8])
    warps = random_.choice([[4, 1], [8, 1], [4, 2]])
    return gluon.NVMMADistributedLayout([3, 0], warps, [16, random_.choice([16, 64, 128]), 16])


def draw(random_: random.Random, kind: str) -> tuple[Any, list[int]]:
    from triton.experimental.gluon.language import _layouts as gluon

    def side() -> int:
        return random_.choice([16, 32, 64, 128])

    if kind == "blocked":
        rank = random_.choice([1, 2, 3])
        return draw_blocked(random_, rank), [random_.choice([1, 4, 32, 64]) for _ in range(rank)]
    if kind == "mma":
        return draw_mma(random_), [side(), side()]
    if kind == "slice":
        parent = random_.choice([draw_blocked(random_, 2), draw_mma(random_)])
        return gluon.SliceLayout(random_.randrange(2), parent), [side()]
    if kind == "dot":
        parent = draw_mma(random_)
        index = random_.randrange(2) if parent.version[0] == 2 else 0
        return gluon.DotOperandLayout(index, parent, random_.choice([1, 2, 4])), [side(), side()]
    if kind == "fma":
        return gluon.DotOperandLayout(random_.randrange(2), draw_blocked(random_, 2), 0), [32, 32]
    blocked, shape = draw_blocked(random_, 2), [side(), side()]
    bases = triton_says(blocked, shape)
    lists = {unit: [list(basis) for basis in some] for unit, some in bases.items()}
    for some in lists.values():
        random_.shuffle(some)
    linear = gluon.DistributedLinearLayout(
        lists["register"], lists["lane"], lists["warp"], [], shape
    )
    return linear, shape


@pytest.mark.parametrize("kind", ["blocked", "mma", "slice", "dot", "fma", "linear"])
def test_bases_are_tritons_own(kind: str) -> None:
    random_ = random.Random(kind)
    for _ in range(60):
        layout, shape = draw(random_, kind)
        text = as_text(layout)
        mine = lay_out(Tile(tuple(shape), "f16", text), {}).bases
        assert mine == triton_says(layout, shape), (text, shape)


def test_tiles_and_definitions_are_read_from_a_text() -> None:
    definitions = read_definitions(TEXT)
    assert list(definitions) == ["#blocked", "#mma"]
    assert [str(tile) for tile in find_tiles(TEXT.splitlines()[3])] == [
        "64×64 f16 #mma",
        "64×64 f16 #blocked",
    ]
    views = list_views(TEXT)
    tiles = [view.tiles[0] for view in views if not view.is_conversion]
    assert [(tile.shape, tile.dtype) for tile in tiles] == [
        ((64, 64), "f16"),
        ((64, 64), "f16"),
        ((64, 32), "!tt.ptr<f16>"),
        ((64,), "i32"),
        ((64, 32), "f16"),
    ]
    assert [(view.line, view.is_conversion) for view in views][:2] == [(4, True), (4, False)]
    assert views[0] == TileView((tiles[0], tiles[1]), 4)
    for tile in tiles:
        layout = lay_out(tile, definitions)
        assert len(layout.holders) == len(set(layout.holders))
        assert sum(map(len, layout.holders.values())) == 128 * layout.size("register")


def test_holders_and_places_are_inverse_to_each_other() -> None:
    layout = lay_out(list_views(TEXT)[1].tiles[0], read_definitions(TEXT))
    # mma.sync, PTX ISA 8.8, figure of the accumulators of m16n8: row 0 has c0 and c1 of lanes 0 to 3,
    # row 8 their c2 and c3.
    assert layout.holders[0, 0] == (Holder(0, 0, 0),)
    assert layout.holders[0, 3] == (Holder(0, 1, 1),)
    assert layout.holders[8, 0] == (Holder(0, 0, 2),)
    assert layout.holders[1, 0] == (Holder(0, 4, 0),)
    for place, holders in layout.holders.items():
        assert all(layout.place_of(holder) == place for holder in holders)


def test_an_element_that_several_threads_hold_names_each() -> None:
    blocked = (
        "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
    )
    layout = lay_out(Tile((16,), "f32", blocked), {})
    assert len(layout.holders[3,]) == 8
    assert {holder.lane for holder in layout.holders[3,]} == {3, 19}
    assert isinstance(layout, TileLayout)


@pytest.mark.parametrize(
    ("layout", "shape", "says"),
    [
        ("#ttg.amd_mfma<{version = 3}>", (16, 16), "not told of the layout amd mfma"),
        ("#ttg.unknown<{}>", (16,), "not told of the layout unknown"),
        ("#nameless", (16,), "not told of the layout nameless"),
        ("#ttg.blocked<{sizePerThread = [1]}>", (16,), "written in a way that is not known"),
        ("#ttg.blocked<{}>", (12,), "no power of two"),
        ("#ttg.blocked<{}>", (4096, 4096), "more than 1048576 elements"),
        ("#ttg.nvidia_mma<{versionMajor = 5, warpsPerCTA = [4, 1]}>", (16, 16), "of version 5"),
    ],
)
def test_what_cannot_be_decoded_says_so(layout: str, shape: tuple[int, ...], says: str) -> None:
    with pytest.raises(Undecoded, match=says):
        lay_out(Tile(shape, "f16", layout), {})
