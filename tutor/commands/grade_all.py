"""`tutor grade-all`: judge a folder of submissions, several at a time, and go on where it stopped."""

import itertools
import json
import os
import queue
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import click

from tutor.base import paths
from tutor.base.errors import CannotHere, JudgeLost, UsageError
from tutor.base.number_text import plural
from tutor.base.runner_table import Runner
from tutor.commands.support.console import say, say_fitted
from tutor.commands.support.learner_file import MAX_SOURCE
from tutor.commands.support.progress_line import ProgressLine
from tutor.commands.support.runner_option import runner_option
from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge, Submission
from tutor.judge.model.verdict import Repair, Verdict
from tutor.judge.repair.class_groups import ClassAnswer, ClassGroups, group_answers

RESULTS = "results*.jsonl"  # one file, or one for each share
NOT_JUDGED = "not-judged"
_TRIES = 3  # of one submission
_MOST_SLOTS = 64
_LOOK_SECONDS = 0.1
_LONGEST = 500  # characters of a message


@dataclass(frozen=True)
class ClassFile:
    """A submission. `digest` identifies its text."""

    learner: str
    exercise: str
    path: Path
    source: str
    digest: str


@dataclass(frozen=True)
class ClassVerdict:
    """A line of results.jsonl. `code` is the first cause of a wrong answer, or "not-judged".
    `explained`: the smallest change that makes it right was sought; `change` and `says` tell it."""

    learner: str
    exercise: str
    digest: str
    passed: bool
    code: str = ""
    message: str = ""
    device: str = ""
    explained: bool = False
    change: str = ""
    says: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.learner, self.exercise, self.digest


@dataclass(frozen=True)
class Share:
    """The files that one call judges: every `count`-th of the folder, from the `number`-th on."""

    number: int = 1
    count: int = 1

    @property
    def results(self) -> str:
        """The name of its own file, so that two machines never write to the same one."""
        share = "" if self.count == 1 else f"-{self.number}-of-{self.count}"
        return f"results{share}.jsonl"


def _share(context: click.Context, option: click.Parameter, value: str) -> Share:
    number, _, count = value.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise click.BadParameter(f"{value!r} is no share; 2/4 is the second of four")
    return Share(int(number), int(count))


@click.command("grade-all")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--slots", type=click.IntRange(1, _MOST_SLOTS), default=1, help="How many are judged at a time."
)
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto")
@click.option(
    "--share",
    callback=_share,
    default="1/1",
    metavar="K/N",
    help="Judge every N-th file, from the K-th on: a task of a job array.",
)
@click.option(
    "--groups",
    is_flag=True,
    help="Group the answers too: equal but for names, alike, and with the same slip.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@runner_option
def grade_all_command(
    folder: Path,
    slots: int,
    device: str,
    share: Share,
    groups: bool,
    as_json: bool,
    runner: Runner | None,
) -> int:
    """Judge every DIR/NAME/SLUG.py that the results there do not have yet, without times.

    With --groups the smallest change that makes it right is sought for each wrong answer, which takes
    seconds more. Short exercises have few right ways: equal answers are no proof that one was copied.

    Status 0: each file has a verdict; 3: some have none, and the next call tries them again.
    """
    known = {exercise.slug for exercise in open_course().overview().exercises}
    try:
        files, left_out = _find_submissions(folder, known)
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be read: {error.strerror}") from None
    if not files:
        raise UsageError(f"{folder} holds no NAME/SLUG.py, such as ada/vector_add.py")
    files = files[share.number - 1 :: share.count]
    rows = {row.key: row for row in _rows(folder)}
    here = [(file.learner, file.exercise, file.digest) for file in files]
    todo = [
        file
        for file, key in zip(files, here, strict=True)
        if key not in rows or (groups and not (rows[key].passed or rows[key].explained))
    ]
    trouble = ""
    if todo:
        grading = _Grading(folder / share.results, device, runner, len(todo), groups)
        trouble = grading.run(todo, slots)
        rows |= {row.key: row for row in grading.rows}
    judged = [rows[key] for key in here if key in rows]
    table = _table(judged, here)
    grouped = _group_classes(files, rows) if groups else {}
    if as_json:
        told: dict[str, Any] = {"exercises": table, "left_out": left_out}
        if groups:
            told["groups"] = {name: asdict(group) for name, group in grouped.items()}
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        say_fitted(_lines(table))
        for name, group in grouped.items():
            say("")
            for line in _group_lines(name, group):
                say(line)
        if left_out:
            say(f"{left_out} other files were left out: no exercise of the course has their name.")
    if missing := sum(
        counts["files"] - counts["right"] - counts["wrong"] for counts in table.values()
    ):
        raise CannotHere(f"{missing} have no verdict{f': {trouble}' if trouble else ''}")
    return 0


def _find_submissions(folder: Path, known: set[str]) -> tuple[list[ClassFile], int]:
    """Return the submissions, and how many other Python files there are. Links are not followed."""
    files, left_out = [], 0
    learners = sorted(
        entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)
    )
    for learner in learners:
        for entry in sorted(os.scandir(folder / learner), key=lambda entry: entry.name):
            if not entry.name.endswith(".py"):
                continue
            slug = entry.name[:-3]
            if slug not in known or not entry.is_file(follow_symlinks=False):
                left_out += 1
                continue
            path = folder / learner / entry.name
            with path.open("rb") as file:  # what is no Python is a wrong answer
                source = file.read(MAX_SOURCE).decode("utf-8", "replace")
            digest = blake2b(source.encode(), digest_size=8).hexdigest()
            files.append(ClassFile(learner, slug, path, source, digest))
    return files, left_out


def _rows(folder: Path) -> Iterator[ClassVerdict]:
    """Yield the verdicts of earlier calls, of all shares. A line that was cut off is none."""
    files = sorted(folder.glob(RESULTS))
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in files)
    for line in itertools.chain.from_iterable(text.splitlines() for text in texts):
        try:
            row = ClassVerdict(**json.loads(line))
        except (ValueError, TypeError):
            continue
        if row.code != NOT_JUDGED:
            yield row


class _Grading:
    """Judges submissions in threads, each with its own connection, and writes a row for each."""

    def __init__(
        self, results: Path, device: str, runner: Runner | None, count: int, explain: bool
    ) -> None:
        self.rows: list[ClassVerdict] = []
        self._explain = explain
        self._results, self._device, self._runner, self._count = results, device, runner, count
        self._todo: queue.SimpleQueue[tuple[ClassFile, int]] = queue.SimpleQueue()
        self._writing = threading.Lock()
        self._open = count  # submissions without a row
        self._troubles: list[str] = []
        self._judges: list[Judge] = []

    def run(self, todo: list[ClassFile], slots: int) -> str:
        """Judge all. Returns why some have no row, or ""."""
        for file in todo:
            self._todo.put((file, 1))
        slots = min(slots, len(todo))
        self._judges = [Judge(paths.course_root(), runner=self._runner) for _ in range(slots)]
        threads = [
            threading.Thread(target=self._slot, args=(judge,), daemon=True)
            for judge in self._judges
        ]
        holds = f"finished verdicts are in {self._results}, and the next call continues"
        self._mend_end()
        with ProgressLine("connecting", holds=holds) as progress:
            for thread in threads:
                thread.start()
            try:
                while any(thread.is_alive() for thread in threads):
                    time.sleep(_LOOK_SECONDS)
                    progress.refine(f"{len(self.rows)} of {self._count} judged, {slots} at a time")
            finally:
                self._open = 0  # stopped slots must not connect anew
                for judge in self._judges:
                    judge.close()
        return self._troubles[-1] if self._troubles else ""

    def _slot(self, judge: Judge) -> None:
        """Judge until nothing is left, or until no connection comes about."""
        failures = 0  # one after the other
        while self._open > 0:
            try:
                judge.wait_warm(self._device)
            except CannotHere as error:
                failures += 1
                if failures == _TRIES or not isinstance(error, JudgeLost):
                    self._troubles.append(str(error))
                    return
            else:
                failures = 0
                self._judge_until_lost(judge)

    def _judge_until_lost(self, judge: Judge) -> None:
        while self._open > 0:
            try:
                work, tries = self._todo.get(timeout=0.2)
            except queue.Empty:  # another slot may give one back
                continue
            try:
                self._keep(self._judge_file(judge, work))
            except JudgeLost as error:
                if tries < _TRIES:
                    self._todo.put((work, tries + 1))
                else:
                    self._keep(_row(work, False, NOT_JUDGED, str(error)))
                return
            except (CannotHere, UsageError) as error:
                self._keep(_row(work, False, NOT_JUDGED, str(error)))

    def _judge_file(self, judge: Judge, work: ClassFile) -> ClassVerdict:
        given = Submission(
            work.exercise,
            work.source,
            str(work.path),
            self._device,
            timing=False,
            explain=self._explain,
        )
        last: Verdict | None = None
        for event in judge.submit(given):
            if isinstance(event, Verdict):  # the one with a repair comes after the one without
                last = event
        if last is not None:
            return self._row_of(work, last)
        raise JudgeLost("the judge was closed")

    def _row_of(self, work: ClassFile, verdict: Verdict) -> ClassVerdict:
        cause = verdict.diagnosis[0] if verdict.diagnosis else None
        code, message = (cause.code, cause.message) if cause else ("", "")
        row = _row(work, verdict.passed, code, message, verdict.device)
        repair = verdict.repair or Repair(())
        return replace(
            row,
            explained=self._explain,
            change=repair.change[:_LONGEST],
            says=repair.says[:_LONGEST],
        )

    def _keep(self, row: ClassVerdict) -> None:
        line = json.dumps(asdict(row), ensure_ascii=False) + "\n"
        with self._writing:
            with self._results.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            self.rows.append(row)
            self._open -= 1

    def _mend_end(self) -> None:
        """Begin a new line if the last one was cut off. Raises `UsageError` if it cannot be written."""
        try:
            with self._results.open("ab+") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":
                        file.write(b"\n")
        except OSError as error:
            raise UsageError(f"{self._results} cannot be written: {error.strerror}") from None


def _row(work: ClassFile, passed: bool, code: str, message: str, device: str = "") -> ClassVerdict:
    return ClassVerdict(
        work.learner, work.exercise, work.digest, passed, code, message[:_LONGEST], device
    )


def _table(rows: list[ClassVerdict], here: list[tuple[str, str, str]]) -> dict[str, dict[str, int]]:
    """Count files and verdicts by exercise."""
    files = Counter(exercise for _, exercise, _ in here)
    right = Counter(row.exercise for row in rows if row.passed)
    wrong = Counter(row.exercise for row in rows if not row.passed and row.code != NOT_JUDGED)
    return {
        name: {"files": files[name], "right": right[name], "wrong": wrong[name]}
        for name in sorted(files)
    }


def _group_classes(
    files: list[ClassFile], rows: dict[tuple[str, str, str], ClassVerdict]
) -> dict[str, ClassGroups]:
    """Group the answers of each exercise that have a verdict."""
    answers: dict[str, list[ClassAnswer]] = {}
    for file in files:
        row = rows.get((file.learner, file.exercise, file.digest))
        if row is not None and row.code != NOT_JUDGED:
            answer = ClassAnswer(file.learner, file.source, row.passed, row.change, row.says)
            answers.setdefault(file.exercise, []).append(answer)
    return {name: group_answers(each) for name, each in sorted(answers.items())}


def _group_lines(name: str, groups: ClassGroups) -> Iterator[str]:
    equal = sum(map(len, groups.equal))
    parts = [
        plural(groups.answers, "answer"),
        plural(len(groups.approaches), "approach", "approaches"),
        *([f"{equal} equal but for names"] if equal else []),
        *([f"{len(groups.unread)} not read"] if groups.unread else []),
    ]
    yield f"{name}: {', '.join(parts)}"
    for slip in groups.slips:
        yield f"  {len(slip.learners)} share a slip: {', '.join(slip.learners)}"
        yield from (f"    {line}" for line in slip.says.splitlines())
    for same in groups.equal:
        yield f"  equal: {', '.join(same)}"
    for alike in groups.approaches:
        yield f"  alike: {', '.join(alike)}"


def _lines(table: dict[str, dict[str, int]]) -> Iterator[str]:
    width = max(len("exercise"), *map(len, table))
    yield f"{'exercise':<{width}}  files  right  wrong"
    for name, counts in table.items():
        yield f"{name:<{width}}  {counts['files']:>5}  {counts['right']:>5}  {counts['wrong']:>5}"
