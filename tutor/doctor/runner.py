"""The rows about a runner: its connection, the versions on both ends, and its judge."""

import statistics
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from tutor.base.errors import CannotHere
from tutor.base.runner_table import Runner
from tutor.course.catalog.course import Course
from tutor.doctor import course_and_record
from tutor.doctor.check_row import FAIL, OK, WARN, CheckRow
from tutor.judge.model.runner_messages import Greeted
from tutor.judge.processes.wire import Closed
from tutor.judge.runners.remote_link import RemoteLink, round_trip

_TRIPS = 5


def examine_runner(runner: Runner, course: Course) -> Iterator[CheckRow]:
    """Yield every row as soon as it is known."""
    begun = time.perf_counter()
    link = None
    try:
        link = RemoteLink(runner)
        for _ in link.waiting():
            pass
        greeted = link.greeted
        assert greeted is not None
        took = (time.perf_counter() - begun) * 1e3
        yield CheckRow(
            "connection",
            OK,
            f"{greeted.host} answered after {took:.0f} ms: tutor {greeted.version}, "
            f"protocol {greeted.protocol}",
        )
        yield _packages(runner, greeted)
        try:
            round_trip(link)  # the first one waits until torch is imported
            trips = [round_trip(link) for _ in range(_TRIPS)]
        except Closed:
            raise CannotHere(link.describe_loss()) from None
    except CannotHere as error:
        there = runner.there(*runner.tutor, "--version")
        said = str(error).partition("; `tutor doctor")[0]
        yield CheckRow("connection", FAIL, said, f"run this until it prints a version: {there}")
        return
    finally:
        if link:
            link.close()
    yield CheckRow("round trip", OK, f"{statistics.median(trips):.1f} ms, median of {_TRIPS}")
    yield _gpu(greeted)
    yield course_and_record.check_judge(course, runner)


def _packages(runner: Runner, greeted: Greeted) -> CheckRow:
    """Compare the packages that a verdict depends on. Other versions there are no fault."""
    there = ", ".join(
        f"{name} {version or 'missing'}" for name, version in greeted.packages.items()
    )
    lacking = [name for name, version in greeted.packages.items() if not version]
    if lacking:
        remedy = runner.there(greeted.python, "-m", "pip", "install", *lacking)
        return CheckRow("versions", FAIL, f"{there}: nothing can be judged", remedy)
    here = []
    for name, version in greeted.packages.items():
        try:
            if (installed := metadata.version(name)) != version:
                here.append(f"{name} {installed}")
        except metadata.PackageNotFoundError:
            here.append(f"no {name}")
    same = f"; here {', '.join(here)}" if here else ", as here"
    return CheckRow("versions", OK, f"{there}{same} ({Path(greeted.python)})")


def _gpu(greeted: Greeted) -> CheckRow:
    if greeted.nvidia:
        return CheckRow("GPU", OK, "NVIDIA's driver is there; the judge's row names the device")
    return CheckRow(
        "GPU",
        WARN,
        "none there: kernels run in Triton's interpreter and are not timed",
        "if the machine has one, ask for it: --gres=gpu:1 with srun, --gpus all with docker",
    )
