"""A small course whose second day is a project of two milestones, one of them of the first day."""

import re
import shutil
from pathlib import Path
from typing import Any

from tutor.base import paths
from tutor.judge.model.verdict import (
    CaseResult,
    KernelTraffic,
    Roofline,
    Sample,
    Timing,
    Verdict,
    to_json,
)

OUTLINE = """\
[[phase]]
number = 1
name = "First"
[[week]]
number = 1
name = "Week one"
[[day]]
day = 1
title = "Before"
phase = 1
week = 1
kind = "lesson"
[[day]]
day = 2
title = "The project"
phase = 1
week = 1
kind = "project"
"""
BEFORE = """\
+++
day = 1
title = "Before"
minutes = 10
objectives = ["Begin"]
+++
Nothing.
"""
PROJECT = """\
+++
day = 2
title = "The project"
minutes = 30
objectives = ["Go on"]

[[milestone]]
exercise = "add_ten"
change = "one block"
shows = "It adds."
yardstick = "torch.add"

[[milestone]]
exercise = "tail"
change = "a mask"
shows = "Any number of elements."
yardstick = "torch.add"
+++
Read and write.

## Look back

```drill
id = "d02-why"
kind = "open"
prompt = "What did the mask change?"
model = "The last block."
points = ["the last block"]
explanation = "Lanes past the end."
```
"""


def write_project(root: Path, slugs: tuple[str, str] = ("add_ten", "tail")) -> Path:
    """Write the course; its exercises are real ones, moved to its days."""
    for folder in ("lessons", "quizzes", "kernels"):
        (root / folder).mkdir(parents=True)
    (root / "lessons" / "outline.toml").write_text(OUTLINE)
    (root / "lessons" / "day-01-before.md").write_text(BEFORE)
    project = PROJECT.replace("add_ten", slugs[0]).replace('"tail"', f'"{slugs[1]}"')
    (root / "lessons" / "day-02-project.md").write_text(project)
    for slug, day in zip(slugs, (1, 2), strict=True):
        copied = root / "kernels" / slug
        shutil.copytree(paths.course_root() / "kernels" / slug, copied)
        toml = copied / "exercise.toml"
        moved = re.sub(r"^day = \d+$", f"day = {day}", toml.read_text("utf-8"), flags=re.M)
        toml.write_text(moved, "utf-8")
    return root


def verdict(slug: str, ms: float | None = None, *, believed: bool = True) -> dict[str, Any]:
    """The JSON of a right verdict: judged on a GPU with a call of `ms`, or else in the interpreter."""
    timing = None
    if ms is not None:
        timing = Timing(
            Sample(ms, (0.98 * ms, 1.02 * ms), 100),
            eager=Sample(0.2, (0.19, 0.21), 100),
            roofline=Roofline(8_000_000, 4_000_000_000, 0.1, 0.1 / ms, "compute"),
            believed=believed,
        )
    return to_json(
        Verdict(
            slug,
            passed=True,
            device="cuda: NVIDIA H200" if ms else "cpu-interpreter",
            cases=(CaseResult("all", "f32[1]", passed=True),),
            timing=timing,
            resources={
                "target": "sm_90",
                "registers": 64,
                "spills": 0,
                "shared_bytes": 16384,
                "matrix": ["wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16"],
            },
            traffic=KernelTraffic("all", 1, 64, 1000, 500, 250, 500, 750, 500, 32_000),
            versions={"torch": "2.11.0", "triton": "3.6.0"},
        )
    )
