"""Learners' mistakes, each a change of a solution, and the words in which the verdict names it."""

import pytest
from judging import judged

from tutor.base.paths import course_root

pytestmark = pytest.mark.slow

SUM, RSQRT = "e / tl.sum(e, axis=0)", "tl.rsqrt(variance + eps)"
GELU, GRID = "0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476))", "(triton.cdiv(n, BLOCK),)"
OFFSETS = "tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)"
AFFINE = "centred * tl.rsqrt(variance + eps) * weight + bias"
MISTAKES = (
    ("row_softmax", SUM, "e", "not divided by their sum"),
    ("row_softmax", SUM, "x - tl.max(x, axis=0) - tl.log(tl.sum(e, axis=0))", "the logarithm"),
    ("row_softmax", "tl.exp(x", "tl.exp2(x", "2 is raised to the power"),
    ("row_softmax", "tl.max(x", "tl.min(x", "computes NaN and stores it"),
    ("row_softmax", "column < columns", "column < columns - 1", "every element of column"),
    ("layer_norm", "centred, axis=0) / columns", "centred, axis=0) / (columns - 1)", "n - 1"),
    ("layer_norm", RSQRT, "1 / (variance + eps)", "the root of the variance is left out"),
    ("layer_norm", RSQRT, "1 / (tl.sqrt(variance) + eps)", "`eps` is added after the root"),
    ("layer_norm", "x - mean, 0.0", "x, 0.0", "the mean is not subtracted"),
    (
        "layer_norm",
        AFFINE,
        f"({AFFINE.removesuffix(' * weight + bias')} + bias) * weight",
        "the bias is added before the weight multiplies",
    ),
    ("row_sum", "partial += tl.load", "partial = tl.load", "keeps only its last step"),
    ("row_sum", "(0, columns, BLOCK)", "(0, columns // BLOCK * BLOCK, BLOCK)", "partial block"),
    ("flash_attention", "v, acc * old[:, None], ", "v, ", "Right while `q.shape[1]` is at most 32"),
    ("flash_attention", "acc * old[:, None]", "acc", "not brought to a new maximum"),
    ("flash_attention", "total * old +", "total +", "not brought to a new maximum"),
    ("flash_attention", "CAUSAL=causal", "CAUSAL=True", "always causal"),
    ("flash_attention", "dim**-0.5, *q", "1 / dim, *q", "by `head_dim` and not by its root"),
    ("flash_attention", "dim**-0.5, *q", "1.0, *q", "the scores are not scaled"),
    ("flash_attention", "acc / total[:, None]", "acc", "divides by the sum of the weights"),
    ("bias_gelu", "v * 0.7071067811865476", "v", "v itself, not v / √2"),
    ("bias_gelu", GELU, "tl.maximum(v, 0.0)", "it is ReLU"),
    ("tiled_matmul", "acc = tl.dot(x, y, acc, ", "acc = tl.dot(x, y, ", "keeps only its last step"),
    ("dependence_vectors", "(write - read)", "(read - write)", "Each flow is called anti"),
    ("fuse_by_hand", "column = i %", "column = tl.arange(0, BLOCK) %", "begins at column 0 again"),
    (
        "capture_proof",
        "torch.clamp(out.max(), min=1.0)",
        "out.max()",
        "even where that is not above 1",
    ),
    ("capture_proof", "x - x.mean(0)", "x - x.mean()", "one mean of the whole matrix"),
    ("online_max", "tl.exp(largest - new)", "tl.exp(new - largest)", "computes NaN and stores it"),
    (
        "long_softmax",
        "tl.exp(largest - new)",
        "tl.exp(new - largest)",
        "computes NaN and stores it",
    ),
    ("vector_add", "x + y, mask", "(x - x) / (y - y), mask", "computes NaN and stores it"),
    (
        "vector_add",
        "mask=mask)\n\n",
        "mask=mask & (offsets != 1024))\n\n",
        "Element 1024 of the output",
    ),
    ("vector_add", GRID, "(16,)", "Elements 16384 to 40008"),
    (
        "vector_add",
        GRID,
        "(min(triton.cdiv(n, BLOCK), 1024),)",
        "The grid has at most 1024 programs",
    ),
    ("vector_add", OFFSETS, f"({OFFSETS}).to(tl.int16)", "element -"),
    ("vector_add", "@triton.jit\n", "", "put `@triton.jit` above it"),
)


@pytest.mark.parametrize(
    ("slug", "old", "new", "words"), MISTAKES, ids=[f"{m[0]}-{m[2].strip()[:30]}" for m in MISTAKES]
)
def test_a_mistake_is_named(judge, slug, old, new, words):
    source = (course_root() / "kernels" / slug / "solution.py").read_text("utf-8")
    assert old in source
    verdict = judged(judge, source.replace(old, new, 1), slug, device="cpu")
    assert not verdict.passed
    assert words in verdict.diagnosis[0].message
    assert len(verdict.diagnosis[0].message) <= 320


VIEW = (
    (
        "transpose",
        {
            "torch.empty((columns, rows)": "torch.empty((rows, columns)",
            "out_ptr + columns[None, :] * R + rows[:, None]": (
                "out_ptr + rows[:, None] * C + columns[None, :]"
            ),
            "return out": "return out.t()",
        },
    ),
)


@pytest.mark.parametrize(("slug", "changes"), VIEW)
def test_a_view_is_no_new_contiguous_tensor(judge, slug, changes):
    source = (course_root() / "kernels" / slug / "solution.py").read_text("utf-8")
    for old, new in changes.items():
        assert old in source
        source = source.replace(old, new)
    finding = judged(judge, source, slug, device="cpu").diagnosis[0]
    assert finding.code == "wrong-stride"
    assert "the tensor is not contiguous" in finding.message


TUNED = """\
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({{"BLOCK": size}}) for size in (1024, 256)], key=["{key}"]
)
@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x_ptr + at, mask=at < n) + tl.load(y_ptr + at, mask=at < n)
    tl.{store}(out_ptr + at, v, mask=at < n)


def add(x, y):
    out, n = torch.zeros_like(x), x.numel()
    add_kernel[lambda meta: (triton.cdiv(n, {block}),)](x, y, out, n)
    return out
"""


@pytest.mark.parametrize(
    ("key", "store", "block", "words"),
    [
        ("n", "store", "meta['BLOCK']", ""),
        ("n", "store", "1024", "wrong with another (BLOCK=256"),
        ("N", "store", "meta['BLOCK']", "`N`, which is no argument of the kernel"),
        ("n", "atomic_add", "meta['BLOCK']", "`reset_to_zero`"),
    ],
)
def test_each_configuration_of_an_autotuner_is_judged(judge, key, store, block, words):
    source = TUNED.format(key=key, store=store, block=block)
    verdict = judged(judge, source, device="cpu")
    assert verdict.passed == (not words)
    assert [words in found.message for found in verdict.diagnosis[:1]] == ([True] if words else [])
