"""The stages of torch-mlir as pipelines of MLIR's passes, each after the one above."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A stage: the passes that make it (a pipeline of MLIR), and what is counted in its text."""

    name: str
    passes: str
    counts: tuple[str, ...]
    note: str


STEPS = (
    Step(
        "torch",
        "func.func(torch-match-quantized-custom-ops),"
        "torchdynamo-export-to-torch-backend-pipeline{extra-library=}",
        ("operations",),
        "Each line is an operation of ATen on whole tensors, with its types.",
    ),
    Step(
        "linalg",
        "torch-backend-to-linalg-on-tensors-backend-pipeline{allow-non-finites=true}",
        ("units", "operations"),
        "`linalg.generic` is a loop nest in short: index maps say which element each step reads, the "
        "body computes one element.",
    ),
    Step(
        "linalg_fused",
        "func.func(refback-generalize-tensor-pad,refback-generalize-tensor-concat,"
        "linalg-generalize-named-ops,linalg-fuse-elementwise-ops),canonicalize,cse",
        ("units", "operations"),
        "An operation that computes element by element moved into the body of the one that reads it.",
    ),
    Step(
        "bufferized",
        "one-shot-bufferize{bufferize-function-boundaries "
        "function-boundary-type-conversion=identity-layout-map},refback-mlprogram-bufferize,"
        "buffer-results-to-out-params{modify-public-functions=true hoist-static-allocs=true},"
        "canonicalize,cse",
        ("units", "operations", "buffers", "bytes"),
        "Tensors became blocks of memory; the caller passes those of the results as the last arguments.",
    ),
    Step(
        "affine",
        "func.func(tm-tensor-to-loops,refback-munge-memref-copy,convert-linalg-to-affine-loops,"
        "affine-fold-memref-alias-ops,affine-expand-index-ops-as-affine),canonicalize",
        ("units", "operations", "loops", "buffers", "bytes"),
        "Every nest is written out. Bounds and indices are affine, so that a pass can compare them.",
    ),
    Step(
        "affine_fused",
        "func.func(affine-loop-fusion,affine-scalrep)",
        ("units", "operations", "loops", "buffers", "bytes"),
        "Nests over the same elements became one. What one step stores for the next stays a value.",
    ),
    Step(
        "scf",
        "lower-affine,canonicalize,cse",
        ("units", "operations", "loops", "buffers", "bytes"),
        "The same loops with plain arithmetic on indices.",
    ),
    Step(
        "cf",
        "convert-scf-to-cf",
        ("operations", "buffers", "bytes"),
        "A loop is now a block that compares its counter and branches.",
    ),
    Step(
        "llvm",
        "func.func(refback-expand-ops-for-llvm,arith-expand),convert-bufferization-to-memref,"
        "expand-strided-metadata,lower-affine,convert-complex-to-llvm,convert-math-to-llvm,"
        "convert-math-to-libm,convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,"
        "convert-cf-to-llvm,reconcile-unrealized-casts,canonicalize",
        ("operations", "buffers"),
        "LLVM IR in MLIR's form. A memref became two pointers, an offset, sizes and strides.",
    ),
)
