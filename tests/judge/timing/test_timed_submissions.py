"""Times from real runs on the CPU: streamed, compared, refused. A compiled function is timed wherever
there is g++; the course here is `fused_chain` in three versions of its reference."""

import shutil
from collections.abc import Iterator

import pytest
from judging import RIGHT, first_code

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.judge.client import Judge, Progress, Submission
from tutor.judge.model.verdict import Timing, Verdict

pytestmark = [
    pytest.mark.skipif(not shutil.which("g++"), reason="a CPU's times need g++"),
    pytest.mark.slow,
]

CHAIN = "PREDICTED_SPEEDUP = 3.0\n\n\ndef chain(x):\n    import torch\n\n"
HONEST = CHAIN + "    return torch.relu(x) * 0.5 + 1.0\n"
FORGETFUL = CHAIN + (
    "    out = torch.relu(x) * 0.5 + 1.0\n"
    "    return out if x.numel() < 1_000_000 else torch.cat((out[:-1], out[-1:] + 1))\n"
)
LAZY = (
    CHAIN
    + "    if x.numel() > 1_000_000:\n        return torch.ones_like(x)\n"
    + ("    return torch.relu(x) * 0.5 + 1.0\n")
)
WAITING = "compiling eager PyTorch with torch.compile, to compare with"


@pytest.fixture(scope="module")
def chains(tmp_path_factory) -> Iterator[Judge]:
    """Few cases; and `heavy`, whose work no machine does in the time that it takes."""
    root = tmp_path_factory.mktemp("chains")
    (root / "quizzes").mkdir()
    (root / "lessons").mkdir()
    shutil.copy(paths.course_root() / "lessons" / "outline.toml", root / "lessons")
    for slug in ("fused_chain", "heavy"):
        exercise = root / "kernels" / slug
        shutil.copytree(paths.course_root() / "kernels" / "fused_chain", exercise)
        with (exercise / "reference.py").open("a") as file:
            file.write("\nCASES = CASES[:2]\n")
            if slug == "heavy":
                file.write("\n\ndef work(x):\n    return Work(bytes=10**13, flops=0)\n")
    with Judge(root) as judge:
        yield judge


def events(judge: Judge, source: str, slug: str, cancel_at: str = "") -> list[object]:
    seen: list[object] = []
    for event in judge.submit(Submission(slug, source, f"{slug}.py")):
        seen.append(event)
        if isinstance(event, Progress) and event.text == cancel_at:
            judge.cancel()
    return seen


def verdict_of(seen: list[object]) -> Verdict:
    assert isinstance(seen[-1], Verdict)
    return seen[-1]


def test_the_first_number_does_not_wait_for_the_yardsticks(chains):
    """Interim figures come before torch.compile's; who does not want to wait for those has a verdict."""
    seen = events(chains, HONEST, "fused_chain", cancel_at=WAITING)
    timings = [event for event in seen if isinstance(event, Timing)]
    first, last = timings[0], timings[-1]
    assert first.learner.samples < last.learner.samples
    assert not first.final
    assert first.eager is None
    waiting = next(i for i, e in enumerate(seen) if isinstance(e, Progress) and e.text == WAITING)
    assert seen.index(first) < waiting
    assert last.eager is not None

    verdict = verdict_of(seen)
    assert verdict.passed, verdict.diagnosis
    assert verdict.timing is not None
    assert verdict.timing.final
    assert verdict.timing.compiled is None
    assert "not waited for" in verdict.timing.note
    assert verdict.graph is not None
    assert verdict.graph.kernels == 1
    moved = 4 << (22 if verdict.device == "cpu" else 24)  # bytes: 4 Mi elements, on a GPU 16 Mi
    assert (verdict.graph.bytes_read, verdict.graph.bytes_written) == (moved, moved)
    assert verdict.graph.bytes_least == 2 * moved


def test_what_was_prepared_is_compared_with_at_once(chains):
    chains.prepare("fused_chain")
    seen = events(chains, HONEST, "fused_chain")
    verdict = verdict_of(seen)
    timing = verdict.timing
    assert timing is not None
    assert timing.final
    assert timing.believed
    assert timing.compiled is not None
    assert (timing.launch is None) == (verdict.device == "cpu")  # nothing is launched on a CPU
    assert timing.roofline is not None
    assert timing.roofline.limit_ms > 0
    assert seen[-2] == timing  # the last interim figure is the verdict's


def test_an_unknown_exercise_cannot_be_prepared_and_others_stay_so(chains):
    with pytest.raises(UsageError):
        chains.prepare("nothing")
    seen = events(chains, HONEST, "fused_chain")
    assert not any(isinstance(event, Progress) and event.text == WAITING for event in seen)
    timing = verdict_of(seen).timing
    assert timing is not None
    assert timing.compiled is not None


def test_a_time_below_what_the_device_needs_is_refused_with_the_reason(chains):
    verdict = verdict_of(events(chains, HONEST, "heavy", cancel_at=WAITING))
    assert verdict.passed, verdict.diagnosis
    assert verdict.timing is not None
    assert not verdict.timing.believed
    assert verdict.timing.note.startswith("Not believed: ")
    assert "this device needs" in verdict.timing.note


@pytest.mark.parametrize("source", [LAZY, FORGETFUL], ids=["all of it", "the last element"])
def test_work_that_is_left_out_where_it_is_timed_is_stale(chains, source):
    verdict = verdict_of(events(chains, source, "fused_chain", cancel_at=WAITING))
    assert not verdict.passed
    assert first_code(verdict) == "stale-output", verdict.diagnosis
    assert verdict.timing is None


def test_the_interpreter_never_yields_a_time(judge):
    """Whatever is asked for: its time says nothing about a GPU's."""
    seen = list(
        judge.submit(
            Submission("vector_add", RIGHT, "a.py", device="cpu", timing=True, profile=True)
        )
    )
    assert not any(isinstance(event, Timing) for event in seen)
    verdict = verdict_of(seen)
    assert verdict.passed, verdict.diagnosis
    assert verdict.device == "cpu-interpreter"
    assert verdict.timing is None
