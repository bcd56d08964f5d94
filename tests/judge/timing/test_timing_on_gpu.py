"""Times on a CUDA GPU. `python -m tests.bench.timing_precision` prints how precise they are."""

import subprocess
import sys

import pytest
import torch
from judging import RIGHT, entry, first_code

from tutor.judge.client import Progress, Submission
from tutor.judge.model.verdict import Timing, Verdict
from tutor.judge.sampling import kernel_profile, l2_cache, median, samples

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")


def events(judge, source, exercise="vector_add", **options):
    return list(judge.submit(Submission(exercise, source, f"{exercise}.py", **options)))


def final(seen) -> Verdict:
    assert isinstance(seen[-1], Verdict)
    return seen[-1]


def test_a_kernel_is_timed_beside_both_yardsticks_and_an_empty_launch(judge):
    judge.prepare("vector_add")
    seen = events(judge, RIGHT, profile=True)
    verdict = final(seen)
    assert verdict.passed, verdict.diagnosis
    found = verdict.timing
    assert found is not None
    assert found.believed, found.note
    assert found.eager is not None
    assert found.compiled is not None, found.note
    assert found.launch is not None
    assert found.alone_ms is not None
    assert found.host_ms is not None
    assert 0 < found.launch.median_ms < 0.05
    assert 0 < found.alone_ms < found.learner.median_ms
    interim = [event for event in seen[:-1] if isinstance(event, Timing)]
    assert not interim[0].final
    assert interim[0].learner.samples <= 32
    assert interim[-1].final
    waiting = [e for e in seen if isinstance(e, Progress) and "torch.compile" in e.text]
    assert seen.index(interim[0]) < (seen.index(waiting[0]) if waiting else len(seen))


def test_cupti_and_events_agree_on_a_long_kernel(judge):
    verdict = final(events(judge, RIGHT, profile=True))
    assert verdict.timing is not None
    profile, alone = verdict.timing.profile, verdict.timing.alone_ms
    assert profile is not None
    assert alone is not None
    if not profile.kernels:
        pytest.skip(profile.note)
    (kernel,) = profile.kernels
    assert kernel.name == "add_kernel"
    assert kernel.count == 1
    if kernel.median_us > 50:
        assert alone * 1e3 == pytest.approx(kernel.median_us, rel=0.03)


def test_a_kernel_on_another_stream_is_named(judge):
    source = entry(
        "if not x.is_cuda:\n    return launched(x, y)\nstream = torch.cuda.Stream()\n"
        "with torch.cuda.stream(stream):\n    return launched(x, y)"
    )
    assert first_code(final(events(judge, source))) in ("wrong-stream", "wrong-values")


HOG = """
import torch
a = torch.ones(8192, 8192, device="cuda")
a @ a
torch.cuda.synchronize()
print("busy", flush=True)
while True:
    for _ in range(20):
        a @ a
    torch.cuda.synchronize()
"""


def test_beside_another_program_on_the_gpu_nobody_is_accused(judge):
    """It has the device in turns with the judge's worker, and never leaves it idle."""
    hogs = [
        subprocess.Popen([sys.executable, "-c", HOG], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        for hog in hogs:
            assert hog.stdout is not None
            assert hog.stdout.readline() == "busy\n"
        for _ in range(3):
            verdict = final(events(judge, RIGHT))
            assert verdict.passed, verdict.diagnosis
            assert verdict.timing is not None
            assert verdict.timing.believed or "another program" in verdict.timing.note
    finally:
        for hog in hogs:
            hog.kill()
            hog.communicate()


def test_persistence_in_the_cache_is_taken_back():
    torch.cuda.init()
    torch.ones(1, device="cuda")
    driver = l2_cache._driver()
    assert driver is not None
    driver.cuCtxSetLimit(6, 8 << 20)
    l2_cache.forget_persisting()
    assert l2_cache.persisting_bytes() == 0


def test_an_empty_launch_is_short_and_steady():
    x = torch.ones(1 << 20, device="cuda")
    launch = samples.empty_launch()
    launch()
    taken = median.summarize_samples(samples.round_of(launch, [(x,)], 100))
    assert 0 < taken.median_ms < 0.02
    assert median.half_width(taken) < 0.1


def test_what_takes_the_host_long_is_queued_before_it_runs():
    """Forty launches a call: the default sleep is too short for sixteen such calls."""
    x = torch.ones(1 << 10, device="cuda")

    def many(x):
        for _ in range(40):
            x = x + 1
        return x

    many(x)
    one = median.summarize_samples(samples.round_of(lambda x: x + 1, [(x,)], 64)).median_ms
    found = median.summarize_samples(samples.round_of(many, [(x,)], 64)).median_ms
    assert found < 40 * one * 1.1


def test_the_profiler_names_kernels_and_leaves_the_flush_out():
    x = torch.ones(1 << 22, device="cuda")
    seen = kernel_profile.kernels(lambda x: x + 1, [(x,)], 10)
    if not seen:
        pytest.skip("no CUPTI here")
    assert [kernel.count for kernel in seen] == [1.0]
    assert "bitwise_not" not in seen[0].name
    assert seen[0].median_us > 0
