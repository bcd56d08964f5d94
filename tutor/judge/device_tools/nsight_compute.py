"""Counters of NVIDIA's Nsight Compute (`ncu`) beside what the access map says of the same call.

The interpreter sees which elements a program asks for; the counters say what the GPU moved for it. `ncu`
empties the caches before each kernel, so what is read from memory is not less because the inputs were
just made. Names of the metrics: Nsight Compute 2025.3, Kernel Profiling Guide, "Metrics Reference".
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tutor.base.errors import CannotHere
from tutor.base.python_trees import parse_python
from tutor.judge.device_tools.device_call import DeviceCall, ToolRun, find_tool, run_under
from tutor.judge.model.access_map import Launch
from tutor.judge.model.tensor_grid import elements
from tutor.judge.repair.trees import functions, is_kernel

_SECTOR = 32  # bytes
# Name of a counter, the metric that it is, and bytes in one of its units
_METRICS = (
    ("programs", "launch__grid_size", 1),
    ("load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", _SECTOR),
    ("store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", _SECTOR),
    ("l2_to_l1", "lts__t_sectors_srcunit_tex_op_read.sum", _SECTOR),
    ("memory_read", "dram__bytes_read.sum", 1),
    ("memory_written", "dram__bytes_write.sum", 1),
)
_METRIC_NAMES = ",".join(metric for _, metric, _ in _METRICS)
_OPTIONS = ("--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none")
_NO_PERMISSION = "ERR_NVGPUCTRPERM"
MOST_KERNELS = 64  # launches that are counted


@dataclass(frozen=True)
class Counters:
    """The counters of a launch: `programs`, and bytes. A load or store touches whole sectors of
    32 bytes. None: this GPU does not count it."""

    kernel: str
    programs: int | None
    load_sectors: int | None
    store_sectors: int | None
    l2_to_l1: int | None
    memory_read: int | None
    memory_written: int | None


@dataclass(frozen=True)
class Prediction:
    """The access map's numbers of a launch: `loaded` and `stored` bytes that its programs ask for, and
    `…_once` with each element counted once; None where the map does not hold them all."""

    kernel: str
    programs: int
    loaded: int
    stored: int
    loaded_once: int | None
    stored_once: int | None


def find_ncu() -> Path:
    """Return the tool's path. Raises `CannotHere`."""
    return find_tool(
        "ncu",
        ("/opt/nvidia/nsight-compute/*",),
        "it comes with the CUDA toolkit and with NVIDIA Nsight Compute",
    )


def count_kernels(
    where: Path, call: DeviceCall, environment: dict[str, str]
) -> tuple[str, tuple[Counters, ...]]:
    """Count what the learner's kernels do on the largest case. Return the case's name and a row for each
    launch. Raises `CannotHere` with the reason if nothing was counted."""
    names = "|".join(_kernel_names(call.source))
    only = ("--kernel-name", f"regex:^({names})$") if names else ()
    options = (*_OPTIONS, *only, "--launch-count", str(MOST_KERNELS), "--metrics", _METRIC_NAMES)
    run = run_under(where, options, "--log-file", call, environment)
    if trouble := _trouble_of(run):
        raise CannotHere(trouble)
    return run.case, tuple(read_counters(run.report))


def _trouble_of(run: ToolRun) -> str:
    if _NO_PERMISSION in run.report + run.last:
        return (
            "the driver lets only an administrator read counters (ERR_NVGPUCTRPERM): NVIDIA's page of "
            "that name says how to allow it, by NVreg_RestrictProfilingToAdminUsers=0"
        )
    if run.trouble or not run.case:
        return f"ncu: {run.trouble or f'the call did not get to its end: {run.last}'}"
    if not list(read_counters(run.report)):
        errors = [line for line in run.report.splitlines() if line.startswith("==ERROR==")]
        return f"ncu counted no kernel: {(errors or [run.last])[0][:300]}"
    return ""


def _kernel_names(source: str) -> list[str]:
    """Return the names of the file's own kernels; none if it is no Python."""
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [name for name, function in functions(tree).items() if is_kernel(function)]


def read_counters(report: str) -> Iterator[Counters]:
    """Yield the launches of a report of `ncu --csv --page raw`, in their order."""
    text = "\n".join(line for line in report.splitlines() if not line.startswith("=="))
    rows = csv.DictReader(io.StringIO(text))
    next(rows, None)  # the row of units
    for row in rows:
        values = {name: _whole(row.get(metric), size) for name, metric, size in _METRICS}
        yield Counters((row.get("Kernel Name") or "").split("(")[0], **values)


def _whole(text: str | None, size: int) -> int | None:
    try:
        return round(float((text or "").replace(",", "")) * size)
    except ValueError:
        return None


def predict(launch: Launch) -> Prediction:
    """Return what the access map says of a launch."""
    return Prediction(
        launch.kernel,
        launch.size,
        launch.loaded,
        launch.stored,
        _bytes_once(launch, "loaded"),
        _bytes_once(launch, "stored"),
    )


def _bytes_once(launch: Launch, what: str) -> int | None:
    if any(tensor.cut for tensor in launch.tensors):
        return None
    return sum(
        tensor.itemsize * sum(1 for _ in elements(getattr(tensor, what)))
        for tensor in launch.tensors
    )


def match_launches(
    counted: Sequence[Counters], launches: Sequence[Launch]
) -> list[tuple[Counters, Prediction | None]]:
    """Give each counted launch the launch of the access map that has its kernel and its turn."""
    left = list(launches)
    pairs: list[tuple[Counters, Prediction | None]] = []
    for row in counted:
        same = next((launch for launch in left if launch.kernel == row.kernel), None)
        if same is not None:
            left.remove(same)
        pairs.append((row, predict(same) if same is not None else None))
    return pairs
