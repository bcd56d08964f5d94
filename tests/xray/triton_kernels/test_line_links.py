"""Links between the lines of neighbouring stages, and the positions they are made from."""

from tutor.xray.triton_kernels.line_links import link_kernel
from tutor.xray.triton_kernels.source_positions import SourcePlace, clean


def test_without_columns_lines_decide() -> None:
    above = [SourcePlace(7, 3), SourcePlace(7, 9), SourcePlace(8, 1)]
    below = [SourcePlace(7), None, SourcePlace(8)]
    found = {(k.source_line, k.target_line) for k in link_kernel("", "ptx", above, "sass", below)}
    assert found == {(1, 1), (2, 1), (3, 3)}


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
        "module {": SourcePlace(6),
        "tt.func @k(%x: !tt.ptr<f32>) {": SourcePlace(6),
        "%a = tt.load %x : !tt.ptr<f32>": SourcePlace(7, 9),
        "%b = scf.if %c -> (f32) {": SourcePlace(8, 4),
        "scf.yield %a : f32": None,
        "} else {": SourcePlace(8, 4),
        "}": SourcePlace(6),
        "%s = tt.sum %a : f32": SourcePlace(8, 4),
        "tt.return": None,
    }
