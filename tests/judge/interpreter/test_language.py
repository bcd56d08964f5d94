"""Functions of Triton's language that the course's kernels use little: a right kernel in
`tests/judge/language` passes, a wrong one is named, and what the interpreter cannot run says so."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from judging import TRITON, first_code, judged

from tutor.base import paths
from tutor.judge.client import Judge

KERNELS = Path(__file__).parents[1] / "language"
TASK = """\
title = "{name}"
day = 22
order = {order}
kind = "kernel"
entry = "{entry}"
minutes = 5
task = "Compute it."
hints = ["a", "b", "c", "d"]
"""
REFERENCE = """\
import torch
from tutor.judge.spec import Case, Work


def reference({arguments}):
    return {result}


eager = reference


def work({arguments}):
    return Work(bytes=8 * x.numel(), flops=x.numel())


def scale({arguments}):
    return reference({arguments}).double().abs()


CASES = tuple(Case("%d columns" % n, lambda g, n=n: ({inputs},)) for n in {sizes})
TIMING = CASES[-1]
"""
ROWS = "torch.randn(3, n, generator=g) - 3"


@dataclass(frozen=True)
class Feature:
    """An exercise for one function of the language, and changes of its right kernel that are wrong."""

    entry: str
    result: str
    wrong: tuple[tuple[str, str, str, str], ...]  # text, another, code, a part of the message
    inputs: str = ROWS
    sizes: tuple[int, ...] = (5, 37, 64)


FEATURES = {
    "descriptor": Feature(
        "double(x)",
        "2 * x",
        (
            ("source.load([row, column])", "source.load([column, row])", "wrong-values", "rows 16"),
            ("source.load([row", "source.load([row + 1", "wrong-values", ""),
        ),
        inputs="torch.randn(40, n, generator=g)",
        sizes=(8, 16, 36),
    ),
    "block_pointer": Feature(
        "total(x)",
        "x.sum(1)",
        (
            ('boundary_check=(0,), padding_option="zero"', "", "missing-mask", "`boundary_check="),
            ("here = tl.advance(here, (B,))", "pass", "wrong-values", ""),
        ),
    ),
    "gather": Feature(
        "pick(x, index)",
        "x.gather(1, index.long())",
        (
            ("tl.gather(x, index, axis=0)", "tl.gather(x, index + 1, axis=0)", "wrong-values", ""),
            (
                "tl.gather(x, index, axis=0)",
                "tl.gather(index, x, axis=0)",
                "compile-error",
                "whole numbers",
            ),
        ),
        inputs=f"{ROWS}, torch.randint(0, n, (3, n), generator=g, dtype=torch.int32)",
    ),
    "scan": Feature(
        "highest(x)",
        "x.cummax(1).values",
        (("0, larger", "0, larger, reverse=True", "wrong-values", ""),),
    ),
    "sort": Feature(
        "ordered(x)",
        "x.sort(1).values",
        (
            ("tl.sort(x)", "tl.sort(x, descending=True)", "wrong-values", "right numbers"),
            ('other=float("inf")', "other=-100.0", "missing-mask", "neutral"),
        ),
    ),
    "histogram": Feature(
        "count(x)",
        "torch.bincount(x, minlength=8).to(torch.int32)",
        (
            ("BINS, mask=lanes < n", "BINS", "missing-mask", "masks"),
            ("tl.atomic_add", "tl.store", "race", "out_ptr"),
        ),
        inputs="torch.randint(0, 8, (n,), generator=g, dtype=torch.int32)",
        sizes=(5, 32, 100),
    ),
    "return_indices": Feature(
        "top(x)",
        "torch.stack((x.amax(1), x.argmax(1).to(x.dtype)), 1)",
        (
            ('other=float("-inf")', "other=0.0", "missing-mask", "-inf"),
            ("value, index = tl", "index, value = tl", "wrong-values", ""),
        ),
    ),
    "fp8": Feature(
        "rounded(x)",
        "x.to(torch.float8_e4m3fn).to(x.dtype)",
        (
            ("x.to(tl.float8e4nv)", "x.to(tl.float8e5)", "wrong-values", ""),
            (
                "x.to(tl.float8e4nv).to",
                "(x.to(tl.float8e4nv) + x.to(tl.float8e4nv)).to",
                "compile-error",
                "does not compute",
            ),
            (
                ".to(tl.float8e4nv)",
                ".to(tl.float8e4nv).to(tl.float8e5)",
                "compile-error",
                "directly",
            ),
        ),
        inputs="9 * torch.randn(n, generator=g)",
        sizes=(40, 64, 100),
    ),
    "dot_scaled": Feature(
        "product(x, y, scale)",
        "2 * (x.view(torch.float8_e4m3fn).double() @ y.view(torch.float8_e4m3fn).double()).float()",
        (),
        inputs="*(torch.randint(100, s, generator=g, dtype=torch.uint8) for s in ((16, n), (n, 16))), "
        "torch.full((16, n // 32), 128, dtype=torch.uint8)",
        sizes=(64,),
    ),
}


def source_of(name: str, text: str = "", other: str = "") -> str:
    source = (KERNELS / f"{name}.py").read_text("utf-8")
    assert text in source
    return source.replace(text, other) if text else source


@pytest.fixture(scope="module")
def course(home, tmp_path_factory):
    """A course whose exercises ask for one function of the language each."""
    root = tmp_path_factory.mktemp("language")
    for folder in ("kernels", "lessons", "quizzes"):
        (root / folder).mkdir()
    shutil.copy(paths.course_root() / "lessons" / "outline.toml", root / "lessons")
    for order, (name, each) in enumerate(FEATURES.items(), 1):
        folder = root / "kernels" / name
        folder.mkdir()
        task = TASK.format(name=name, order=order, entry=each.entry)
        (folder / "exercise.toml").write_text(task)
        (folder / "reference.py").write_text(
            REFERENCE.format(
                arguments=each.entry.partition("(")[2].rstrip(")"),
                result=each.result,
                inputs=each.inputs,
                sizes=each.sizes,
            )
        )
        for file in ("solution.py", "starter.py"):
            (folder / file).write_text(source_of(name))
    return root


if TRITON >= (3, 9):
    del FEATURES["block_pointer"]  # this Triton has none


@pytest.fixture(scope="module")
def features(course):
    """A judge of that course which interprets, on a machine with a GPU too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDA_VISIBLE_DEVICES", "")
        with Judge(course) as shared:
            yield shared


@pytest.fixture(scope="module")
def on_gpu(course):
    """A judge of that course which uses the GPU."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        with Judge(course) as shared:
            yield shared


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FEATURES if name != "dot_scaled"])
def test_a_right_kernel_passes(features, name):
    verdict = judged(features, source_of(name), name)
    assert verdict.diagnosis == ()
    assert verdict.passed


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
@pytest.mark.parametrize("name", FEATURES)
def test_a_right_kernel_passes_on_a_gpu(on_gpu, name):
    verdict = judged(on_gpu, source_of(name), name)
    assert verdict.device.startswith("cuda: ")
    assert verdict.diagnosis == ()
    assert verdict.passed


@pytest.mark.parametrize(
    ("name", "wrong"), [(name, wrong) for name, each in FEATURES.items() for wrong in each.wrong]
)
def test_a_wrong_kernel_is_named(features, name, wrong):
    text, other, code, says = wrong
    verdict = judged(features, source_of(name, text, other), name)
    assert (first_code(verdict), verdict.passed) == (code, False), verdict.diagnosis
    assert says in verdict.diagnosis[0].message


def test_what_the_interpreter_cannot_run_says_so(features):
    finding = judged(features, source_of("dot_scaled"), "dot_scaled").diagnosis[0]
    assert finding.code == "not-interpretable"
    assert "cannot run `tl.dot_scaled`, so without a GPU this cannot be checked" in finding.message
