"""Sums in another dtype than float32, read off TTIR as Triton 3.7 writes it."""

import pytest

from tutor.xray.model.accumulators import OtherSum, find_other_sums

LOOP = """\
    %v:2 = scf.for %i = %c0 to %n step %c256 iter_args(%total = %zero, %next = %v0) -> (T, T)  : i32 {
      %loaded = tt.load %at : tensor<256x!tt.ptr<f16>>
      OPERATION
      scf.yield %sum, %loaded : tensor<256xf16>, tensor<256xf16>
    }
"""
WHILE = """\
    %w:2 = scf.while (%total = %zero, %i = %c0) : (tensor<256xf32>, i32) -> (tensor<256xf32>, i32) {
      %go = arith.cmpi slt, %i, %n : i32
      scf.condition(%go) %total, %i : tensor<256xf32>, i32
    } do {
    ^bb0(%total: tensor<256xf32>, %i: i32):
      %more = arith.addf %total, %loaded : tensor<256xf32>
      %half = arith.truncf %more : tensor<256xf32> to tensor<256xf16>
      %whole = arith.extf %half : tensor<256xf16> to tensor<256xf32>
      scf.yield %whole, %i : tensor<256xf32>, i32
    }
"""
REDUCTION = """\
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f16, %b: f16):
      %c = arith.OPERATION %a, %b : f16
      tt.reduce.return %c : f16
    }) : (tensor<256xf16>) -> f16
"""


def loop(operation: str) -> str:
    return LOOP.replace("OPERATION", operation)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (loop("%sum = arith.addf %total, %next : tensor<256xf16>"), (2, "float16", "accumulator")),
        (loop("%sum = arith.maxnumf %total, %next : tensor<256xf16>"), None),
        (loop("%sum = arith.addf %next, %next : tensor<256xf16>"), None),  # of this step alone
        (WHILE, (6, "float16", "accumulator")),
        (WHILE.replace("f16", "bf16"), (6, "bfloat16", "accumulator")),
        (WHILE.replace("%half = arith.truncf %more", "%half = arith.truncf %loaded"), None),
        (REDUCTION.replace("OPERATION", "addf"), (0, "float16", "reduction")),
        (REDUCTION.replace("OPERATION", "maxnumf"), None),
        (
            LOOP.replace("f16", "f64").replace(
                "OPERATION", "%sum = arith.addf %total, %next : tensor<256xf64>"
            ),
            (2, "float64", "accumulator"),
        ),
        (WHILE.replace("xf16", "xf64"), (6, "float64", "accumulator")),
        (
            REDUCTION.replace("f16", "f64").replace("OPERATION", "addf"),
            (0, "float64", "reduction"),
        ),
        (
            "%d = tt.dot %a, %b, %c : tensor<8x16xf16> * tensor<16x8xf16> -> tensor<8x8xf16>",
            (0, "float16", "product"),
        ),
        ("%d = tt.dot %a, %b, %c : tensor<8x16xf16> * tensor<16x8xf16> -> tensor<8x8xf32>", None),
        (
            "%o = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m : (!tt.ptr<f16>, f16, i1) -> f16",
            (0, "float16", "atomic addition"),
        ),
    ],
)
def test_a_sum_in_another_dtype(text: str, found: tuple[int, str, str] | None) -> None:
    wanted = (OtherSum(found[0] + 1, *found[1:]),) if found else ()
    assert find_other_sums(f"module {{\n{text}}}\n") == wanted


def test_an_operation_on_float64_is_found_where_nothing_is_summed() -> None:
    text = "%p = arith.mulf %a, %b : tensor<8xf64>\n%q = arith.addf %p, %c : tensor<8xf64>\n"
    assert find_other_sums(text)[0] == OtherSum(0, "float64", "operation")
    assert find_other_sums(text.replace("f64", "f32")) == ()


def test_an_accumulator_of_nested_loops_is_found_once() -> None:
    text = """\
    %o = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<8xf16>)  : i32 {
      %p = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (tensor<8xf16>)  : i32 {
        %q = arith.addf %b, %x : tensor<8xf16>
        scf.yield %q : tensor<8xf16>
      }
      scf.yield %p : tensor<8xf16>
    }
"""
    assert find_other_sums(text) == (OtherSum(2, "float16", "accumulator"),)
