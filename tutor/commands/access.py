"""`tutor access`: which elements each program of a kernel loads and stores."""

import json
import shutil
from pathlib import Path

import click
from msgspec import to_builtins

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.base.runner_table import Runner
from tutor.commands.judge import read_source
from tutor.commands.support.cold_start import cold_option
from tutor.commands.support.console import say_fitted
from tutor.commands.support.progress_line import ProgressLine
from tutor.commands.support.runner_option import runner_option
from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge
from tutor.judge.reports.access_map_text import format_access_map


@click.command("access")
@click.argument("slug")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--case", default="", help="Which case; default: the most telling one.")
@click.option("--program", metavar="I,J,K", default="0", help="Which program; default: the first.")
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@runner_option
@cold_option
def access_command(
    slug: str,
    file: Path | None,
    case: str,
    program: str,
    as_json: bool,
    runner: Runner | None,
    cold: bool,
) -> None:
    """Which elements each program of FILE (default: your own file) loads and stores."""
    which = _program(program)
    exercise = open_course().exercise(slug)
    path = file or paths.work_dir() / f"{slug}.py"
    source = read_source(path, exercise)
    doing = "running it in the interpreter, to see what it loads and stores"
    with (
        Judge(paths.course_root(), cold=cold, runner=runner) as judge,
        ProgressLine(doing),
    ):
        access_map = judge.access(slug, source, str(path), case)
    if as_json:
        click.echo(json.dumps(to_builtins(access_map), ensure_ascii=False))
        return
    say_fitted(format_access_map(access_map, which, shutil.get_terminal_size().columns))


def _program(text: str) -> tuple[int, int, int]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 3 or not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise UsageError(
            f"--program takes up to three numbers, such as 1,0,0; {text[:40]!r} is none"
        )
    x, y, z = (int(part) for part in (*parts, "0", "0")[:3])
    return x, y, z
