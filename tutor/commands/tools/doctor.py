"""`tutor doctor`: what works on this machine, what does not, and how to fix it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict

import click

from tutor.base import paths
from tutor.base.config import load_config
from tutor.base.errors import CannotHere
from tutor.base.runner_table import Runner
from tutor.base.terminal import is_terminal
from tutor.commands.support.console import clean_for_terminal, say
from tutor.commands.support.progress_line import ProgressLine
from tutor.commands.support.runner_option import complete_runner, find_runner
from tutor.course.catalog.course import open_course
from tutor.doctor import course_and_record, devices, environment, packages, speed, xray
from tutor.doctor.check_row import FAIL, OK, CheckRow
from tutor.doctor.probe_process import Found, ProbeProcess, run_probe
from tutor.doctor.runner import examine_runner
from tutor.hardware import measured_peaks

_COLOURS = {"OK": "green", "WARN": "yellow", "FAIL": "red"}


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@click.option(
    "--measure",
    is_flag=True,
    help="Measure how fast memory and arithmetic are here, and keep that for verdicts.",
)
@click.option(
    "--runner",
    metavar="NAME",
    callback=find_runner,
    shell_complete=complete_runner,
    help="Look at this runner of config.toml instead.",
)
@click.option("--keys", is_flag=True, help="Press keys, and see what this terminal sends for them.")
def doctor_command(as_json: bool, measure: bool, runner: Runner | None, keys: bool) -> None:
    """Try everything the program needs. Status 3: reading, quizzes or exercises do not work."""
    if keys:
        _show_keys()
        return
    if measure:
        _measure(as_json)
        return
    rows = []
    with ProgressLine("looking", log=True) as progress:
        checks = examine_runner(runner, open_course()) if runner else examine_machine(progress.say)
        for row in checks:
            rows.append(row)
            if not as_json:
                with progress.pause():
                    _show(row)
    failed = [row for row in rows if row.status == FAIL]
    if as_json:
        report = {"rows": [row.to_json() for row in rows], "ok": not failed}
        click.echo(json.dumps(report, ensure_ascii=False))
    if failed:
        lacking = ", ".join(row.name for row in failed)
        where = f"runner {runner.name}" if runner else "this machine"
        raise CannotHere(f"{where} lacks something essential ({lacking}): {failed[0].remedy}")
    if not as_json:
        what = (
            f"Runner {runner.name} judges."
            if runner
            else "Reading, quizzes and exercises work here."
        )
        click.echo(f"\n{what}")


def _measure(as_json: bool) -> None:
    """Time copies and matrix products for some seconds, and keep the result in the data folder."""
    paths.ensure(measured_peaks.peaks_file().parent)  # refuse before it measures
    doing = "measuring; another program that works meanwhile makes the figures too low"
    with ProgressLine("starting", holds="nothing was kept", log=True) as progress:
        progress.say(doing)
        measured = speed.peaks_of_finding(run_probe("ceilings"))
    measured_peaks.keep_peaks(measured)
    if as_json:
        click.echo(json.dumps({"ceilings": asdict(measured)}, ensure_ascii=False))
        return
    click.echo(f"\n{measured.device} (torch {measured.torch}, {measured.day})")
    for line in speed.speed_lines(measured):
        say(f"  {line}")
    click.echo(f"\nKept in {measured_peaks.peaks_file()}.")


def _show_keys() -> None:
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        raise CannotHere("--keys works only in a terminal")
    # In a separate process: it needs Textual's parser, and commands do not import Textual.
    subprocess.run([sys.executable, "-m", "tutor.ui.tools.key_probe"], check=False)


def examine_machine(say: Callable[[str], None]) -> Iterator[CheckRow]:
    """Yield every row as soon as it is known. `say` announces checks that take seconds."""
    yield packages.check_python()
    yield packages.check_system()
    yield environment.check_terminal(os.environ)
    yield environment.check_folder("data folder", paths.data_dir(), needed=True)
    yield environment.check_folder("cache folder", paths.cache_dir(), needed=False)
    yield environment.check_disk(paths.data_dir())
    yield environment.check_settings(load_config())
    yield course_and_record.check_record(paths.record_file())
    row, course = course_and_record.check_course()
    yield row

    say("importing torch, triton and numpy")
    with ProbeProcess() as process:
        torch = process.find("torch")

        def find(name: str) -> Found:
            return torch if "error" in torch else process.find(name)

        yield packages.check_torch(torch)
        yield packages.check_triton(process.find("triton"), torch)
        yield packages.check_numpy(process.find("numpy"))
        say("running a kernel in the interpreter")
        interpreter = devices.check_interpreter(
            torch if "error" in torch else run_probe("interpreter")
        )
        yield interpreter
        say("compiling a kernel for sm_90")
        yield devices.check_compiler(process.find("offline"))
        yield xray.check_tools(process.find("tools"))
        yield devices.check_cplusplus()
        if devices.looks_like_nvidia():
            say("opening the GPU")
            yield devices.check_gpu(find("gpu"), torch)
        else:
            yield devices.report_no_gpu()
        yield speed.speed_row(measured_peaks.read_peaks())
        if course is not None and interpreter.status == OK:
            say("starting the judge")
            yield course_and_record.check_judge(course)
        say("lowering a training step for a GPU that is not there")
        yield xray.check_xray(find("xray"))
    yield from packages.check_compilers()


def _show(row: CheckRow) -> None:
    line = clean_for_terminal(f"{row.status:4}  {row.name}: {row.found}")
    click.echo(f"{click.style(line[:4], fg=_COLOURS[row.status])}{line[4:]}")
    if row.remedy:
        say(f"      to fix it: {row.remedy}")
