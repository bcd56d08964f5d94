"""`tutor check --counters`: what NVIDIA's ncu counts of a kernel, beside what the access map says."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import click

from tutor.base import paths
from tutor.base.number_text import amount
from tutor.commands.support.console import say
from tutor.commands.support.gpu_call import make_gpu_call
from tutor.commands.support.progress_line import ProgressLine
from tutor.course.model import Exercise
from tutor.judge.client import Judge, environment
from tutor.judge.device_tools import nsight_compute
from tutor.judge.device_tools.nsight_compute import Counters, Prediction

_WIDTH = 44  # of a counter's name


def run_counters(
    exercise: Exercise, source: str, path: Path, seed: int | None, as_json: bool
) -> int:
    """Count the kernels of a file on the largest case and print the counters. Status 0.

    Raises `CannotHere` without a GPU, without `ncu` or without the right to read counters, `UsageError`
    for an exercise without a kernel.
    """
    otherwise = f"`tutor access {exercise.slug}` shows what a kernel loads and stores"
    call = make_gpu_call(exercise, source, path, seed, "ncu", otherwise)
    where = nsight_compute.find_ncu()
    with ProgressLine("counting", holds="nothing was recorded", log=not as_json) as progress:
        case, counted = nsight_compute.count_kernels(where, call, environment())
        progress.say("running it in the interpreter, to see what it loads and stores")
        with Judge(paths.course_root()) as judge:
            access_map = judge.access(exercise.slug, source, str(path), case)
    pairs = nsight_compute.match_launches(counted, access_map.launches)
    if as_json:
        kernels = [
            {"counted": asdict(row), "access_map": asdict(said) if said else None}
            for row, said in pairs
        ]
        report = {"exercise": exercise.slug, "ncu": str(where), "case": case, "kernels": kernels}
        click.echo(json.dumps(report, ensure_ascii=False))
    else:
        say(f"{exercise.slug}, case “{case}”, each kernel with empty caches:")
        for row, said in pairs:
            say("", *format_counters(row, said))
    return 0


def format_counters(row: Counters, said: Prediction | None) -> Iterator[str]:
    """Yield the lines of a launch: a counter, and what the access map says of it."""
    yield f"  {row.kernel:<{_WIDTH}}{'counted':>12}{'access map':>16}"
    yield _line("programs", row.programs, said.programs if said else None, str)
    lines: tuple[tuple[str, int | None, int | None], ...] = (
        ("sectors of 32 bytes that loads touch", row.load_sectors, said.loaded if said else None),
        ("sectors of 32 bytes that stores touch", row.store_sectors, said.stored if said else None),
        ("fetched by L1 from L2", row.l2_to_l1, None),
        (
            "read from memory; each element once",
            row.memory_read,
            said.loaded_once if said else None,
        ),
        (
            "written to memory; each element once",
            row.memory_written,
            said.stored_once if said else None,
        ),
    )
    for name, value, predicted in lines:
        yield _line(name, value, predicted, amount)


def _line(name: str, value: int | None, predicted: int | None, form: Callable[[int], str]) -> str:
    told = [form(number) if number is not None else "–" for number in (value, predicted)]
    return f"    {name:<{_WIDTH - 2}}{told[0]:>12}{told[1]:>16}"
