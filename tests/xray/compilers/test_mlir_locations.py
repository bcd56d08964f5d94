"""Locations in texts as MLIR's printer writes them, with aliases before and after their use."""

import pytest

from tutor.xray.compilers.mlir_locations import Place, read_located_text, read_place

PRINTED = """\
#loc1 = loc("/home/me/f.py":3:0)
#map = affine_map<(d0) -> (d0)>
module {
  func.func @main(%arg0: f32 loc(callsite(#loc1 at #loc2)), %arg1: f32 loc("x")) -> f32 {
    %0 = "my.op"() <{text = "a loc(b"}> : () -> f32 loc(#loc3)
    affine.for %i = 0 to 8 {
      %1 = arith.addf %arg0, %0 : f32 loc(fused<"why">["12"(#loc1), #loc4])
      cf.br ^bb1(%1 : f32) loc(unknown)
    ^bb1(%2: f32 loc("y")):
    } loc(#loc4)
    return %0 : f32 loc(#loc)
  } loc(#loc3)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("/home/me/g (1).py":9:4 to 11:8)
#loc3 = loc(callsite(#loc1 at callsite(#loc2 at "/lib/h.py":5:1)))
#loc4 = loc("17")
"""
F, G, H = ("/home/me/f.py", 3), ("/home/me/g (1).py", 9), ("/lib/h.py", 5)


def test_places_stand_at_the_first_line_of_their_operation() -> None:
    located = read_located_text(PRINTED)
    assert located.places == {
        3: Place(stacks=((F, G, H),)),  # the function, whose location stands behind its last brace
        4: Place(stacks=((F, G, H),)),
        5: Place(names=("17",)),
        6: Place(names=("12", "17"), stacks=((F,),)),
    }


def test_the_text_has_no_locations_left() -> None:
    located = read_located_text(PRINTED)
    assert "#loc" not in located.text
    assert located.text.split("\n")[2:5] == [
        "  func.func @main(%arg0: f32, %arg1: f32) -> f32 {",
        '    %0 = "my.op"() <{text = "a loc(b"}> : () -> f32',
        "    affine.for %i = 0 to 8 {",
    ]


@pytest.mark.parametrize("text", ["loc(", 'loc("f":1)', "loc(fused[)", "loc(" * 300])
def test_other_text_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="location"):
        read_place(text)


def test_what_a_pass_notes_in_a_fused_place_is_left_out() -> None:
    noted = '#llvm.di<id = distinct[0]<>, of = <"a>b">, type = <() -> ()>>'
    assert read_place(f'loc(fused<{noted}>["f.py":3:0])') == Place(stacks=((("f.py", 3),),))


def test_a_location_as_python_prints_it() -> None:
    assert read_place('loc(callsite("a\\"b.py":1:2 at "c"))') == Place(("c",), ((('a"b.py', 1),),))
