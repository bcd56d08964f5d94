"""Counts of MLIR, read from texts as MLIR's printer writes them."""

from tutor.xray.model.counts.mlir import count_mlir, read_operations

LINALG = """\
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x8xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4x8xf32>) -> tensor<4x8xf32>
    %2:2 = linalg.generic {indexing_maps = [#map]} ins(%1 : tensor<4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = linalg.index 0 : index
      %4 = "arith.maxf"(%in, %out) : (f32, f32) -> f32
      linalg.yield %4 : f32
    } -> tensor<4x8xf32>
    return %2#0 : tensor<4x8xf32>
  }
}

{-#
  dialect_resources: {
  }
#-}
"""
LOOPS = """\
module {
  func.func @main(%arg0: memref<4x8xf32>, %arg1: memref<?xf32>) {
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<4x8xbf16>
    %alloc_0 = memref.alloc(%c) : memref<?x8xf32>
    %alloc_1 = memref.alloc() : memref<i1>
    %alloc_2 = memref.alloca() : memref<3xcomplex<f32>, strided<[2]>>
    affine.for %i = 0 to 4 {
      affine.for %j = 0 to 8 {
        %0 = affine.load %arg0[%i, %j] : memref<4x8xf32>
      }
      scf.if %c {
        affine.store %x, %alloc[%i, %i] : memref<4x8xbf16>
      } else {
        scf.for %k = %a to %b step %s {
        }
      }
    }
    scf.forall (%a, %b) in (4, 8) {
      linalg.fill ins(%cst : f32) outs(%arg0 : memref<4x8xf32>)
    }
    return
  }
}
"""


def test_counts_of_linalg_on_tensors() -> None:
    assert count_mlir(LINALG) == {
        "units": 2,  # the fill and the generic operation, which become a nest each
        "operations": 8,
        "loops": 0,
        "buffers": 0,
        "bytes": 0,
    }


def test_counts_of_loops_and_buffers() -> None:
    assert count_mlir(LOOPS) == {
        "units": 2,  # the second nest holds an operation of linalg, which is no nest of its own
        "operations": 13,
        "loops": 5,  # `forall` of two variables is two
        "buffers": 4,
        "bytes": 4 * 8 * 2 + 1 + 3 * 8,  # the size of one is not known
    }


def test_an_operation_ends_at_the_brace_that_closes_it() -> None:
    operations = {op.name: op for op in read_operations(LOOPS)}
    assert (operations["scf.if"].line, operations["scf.if"].end) == (11, 16)
    inner = operations["affine.store"]
    assert [other.name for other in inner.around] == ["module", "func.func", "affine.for", "scf.if"]


ONCE = """\
module {
  affine.for %i = 0 to 1 {
    affine.for %j = 3 to 4 {
      affine.for %k = 0 to 8 {
      }
      affine.for %k = 0 to 8 step 8 {
        %0 = affine.load %arg0[%k] : memref<8xf32>
      }
    }
  }
}
"""


def test_a_loop_of_one_step_joins_no_nests() -> None:
    """A batch of one stands around everything, and MLIR's `scf` stage takes it out."""
    assert count_mlir(ONCE)["units"] == 2, "the loop of 8 steps, and the innermost that has one"
    assert count_mlir(ONCE)["loops"] == 4
