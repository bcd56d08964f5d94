"""Kernels that the learner's file imports: found beside it, compiled, and named with their own file."""

from pathlib import Path

import pytest
from judging import KERNEL, first_code

from tutor.base import paths
from tutor.judge.client import Judge, Submission
from tutor.judge.model.verdict import Verdict
from tutor.judge.reports.access_map_text import code_of, format_access_map

IMPORTS = """import torch
import triton
from {module} import add_kernel

BLOCK = 1024

"""
LAUNCHED = KERNEL[KERNEL.index("def launched") :]
KERNELS = KERNEL[: KERNEL.index("def launched")]
RETURNS = KERNELS.replace(
    "    mask = offsets < n\n",
    "    for start in range(2):\n        if start > n:\n            return\n    mask = offsets < n\n",
)
RAISES = KERNELS.replace("x + y", "nothing + y")


def look(judge: Judge, path: Path, module: str) -> Verdict:
    entry = "def add(x, y):\n    return launched(x, y)\n"
    path.write_text(IMPORTS.format(module=module) + LAUNCHED + entry)
    submission = Submission("vector_add", path.read_text(), str(path), timing=False, target="sm_90")
    *_, verdict = judge.submit(submission)
    assert isinstance(verdict, Verdict)
    return verdict


@pytest.mark.slow
def test_a_kernel_beside_the_file_is_judged_and_compiled(judge, tmp_path: Path) -> None:
    (tmp_path / "kernels_beside.py").write_text(KERNELS)
    verdict = look(judge, tmp_path / "answer.py", "kernels_beside")
    assert verdict.passed, verdict.diagnosis
    assert verdict.resources is not None
    assert verdict.resources["kernel"] == "add_kernel"


@pytest.mark.slow
def test_a_relative_path_is_the_callers(judge, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "kernels_beside.py").write_text(KERNELS)
    monkeypatch.chdir(tmp_path)
    verdict = look(judge, Path("answer.py"), "kernels_beside")
    assert verdict.passed, verdict.diagnosis


@pytest.mark.slow
def test_what_triton_refuses_there_is_named_with_its_file_and_line(judge, tmp_path: Path) -> None:
    (tmp_path / "kernels_refused.py").write_text(RETURNS)
    verdict = look(judge, tmp_path / "answer.py", "kernels_refused")
    assert first_code(verdict) == "compile-error", verdict
    line = RETURNS.split("\n").index("        if start > n:") + 1
    assert f"(kernels_refused.py, line {line})" in verdict.diagnosis[0].message
    launch = (tmp_path / "answer.py").read_text().split("\n")[verdict.diagnosis[0].line - 1]
    assert launch.strip().startswith("add_kernel[")


@pytest.mark.slow
def test_what_raises_there_is_named_with_its_file_and_line(judge, tmp_path: Path) -> None:
    (tmp_path / "kernels_that_raise.py").write_text(RAISES)
    verdict = look(judge, tmp_path / "answer.py", "kernels_that_raise")
    line = next(n for n, text in enumerate(RAISES.split("\n"), 1) if "nothing + y" in text)
    assert f"(kernels_that_raise.py, line {line})" in verdict.diagnosis[0].message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "access", "says"),
    [
        (("mask=mask", "mask=offsets < n + 8"), "tl.load(", "Line {} of {} loads "),
        (("* BLOCK", "* (BLOCK - 1)"), "tl.store(", "(line {} of {}), which program "),
        (("out_ptr + offsets", "out_ptr + offsets // 2"), "tl.store(", "(line {} of {}, case "),
        (("* BLOCK", "* 0"), "tl.store(", "(line {} of {}), and nothing writes the rest"),
    ],
    ids=["out-of-bounds", "race", "lanes", "one-place"],
)
def test_an_access_there_is_named_with_its_file_and_line(
    judge, tmp_path, edit: tuple[str, str], access: str, says: str, request
) -> None:
    wrong = KERNELS.replace(*edit)
    name = "accesses_" + request.node.callspec.id.replace("-", "_")
    (tmp_path / f"{name}.py").write_text(wrong)
    verdict = look(judge, tmp_path / "answer.py", name)
    line = next(n for n, text in enumerate(wrong.split("\n"), 1) if access in text)
    assert says.format(line, f"{name}.py") in verdict.diagnosis[0].message
    launch = (tmp_path / "answer.py").read_text().split("\n")[verdict.diagnosis[0].line - 1]
    assert launch.strip().startswith("add_kernel[")


@pytest.mark.slow
def test_masked_lanes_there_are_named_with_their_file_and_line(judge, tmp_path: Path) -> None:
    solution = (paths.course_root() / "kernels" / "row_sum" / "solution.py").read_text()
    (tmp_path / "sums.py").write_text(solution.replace(", other=0.0", ""))
    answer = "import sums\n\n\ndef row_sum(x):\n    return sums.row_sum(x)\n"
    submission = Submission("row_sum", answer, str(tmp_path / "answer.py"), timing=False)
    *_, verdict = judge.submit(submission)
    line = next(n for n, t in enumerate(solution.split("\n"), 1) if "partial += tl.load(" in t)
    assert f"the load in line {line} of sums.py masks " in verdict.diagnosis[0].message


@pytest.mark.slow
def test_an_access_map_names_the_lines_of_the_kernels_own_file(judge, tmp_path: Path) -> None:
    unmasked = KERNELS.replace(", mask=mask", "")
    (tmp_path / "mapped_kernels.py").write_text(unmasked)
    source = IMPORTS.format(module="mapped_kernels") + LAUNCHED
    source += "def add(x, y):\n    return launched(x, y)\n"
    path = str(tmp_path / "answer.py")
    found = judge.access("vector_add", source, path, "one past the block")
    step = found.launches[0].programs[0].steps[0]
    lines = unmasked.split("\n")
    at = next(n for n, text in enumerate(lines, 1) if "tl.load(" in text)
    assert code_of(step, source) == (f"line {at} of mapped_kernels.py", lines[at - 1].strip())
    assert source.split("\n")[step.line - 1].strip().startswith("add_kernel[")
    said = format_access_map(found, (1, 0, 0))
    assert f"Stopped at mapped_kernels.py, line {at}, before a load outside x_ptr." in said
    assert any(text.startswith(f"  line {at} of mapped_kernels.py loads x_ptr") for text in said)


@pytest.mark.slow
def test_a_package_is_found_by_its_root(judge, tmp_path: Path) -> None:
    folder = tmp_path / "collected" / "ops"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").write_text("")
    (folder.parent / "kernels.py").write_text(KERNELS)
    verdict = look(judge, folder / "answer.py", "..kernels")
    assert verdict.passed, verdict.diagnosis
    assert verdict.resources is not None
    assert verdict.resources["kernel"] == "add_kernel"
