"""The keys of questions about programs, held against a program that runs alone (`run_alone.py`).

All of them, a quarter of an hour on two cores:

    python tests/judge/questions/test_keys_of_questions.py 500

draws as many questions about solutions and right answers of the kernel exercises and counts wrong keys.
"""

import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.course.model import Exercise
from tutor.judge.client import Judge
from tutor.judge.computed_questions import draw_all
from tutor.judge.questions.program_question import ProgramQuestion
from tutor.judge.questions.record_questions import draw_record_questions

SCRIPT = Path(__file__).with_name("run_alone.py")
TARGET = "sm_90"
SAMPLE = ("vector_add", "transpose", "online_max")


def given_key(asked: ProgramQuestion) -> Any:
    """The key as the brute force gives it."""
    question = asked.question
    if isinstance(question.answer, tuple):  # lines of one statement
        return question.answer[0]
    return question.options[question.answer] if question.options else question.answer


class BruteForce:
    """The script, which answers line by line."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def answer(self, exercise: Exercise, path: Path, asked: ProgramQuestion) -> Any:
        process, question = self._process, asked.question
        assert process.stdin
        assert process.stdout
        told = {
            "exercise": exercise.slug,
            "path": str(path),
            "case": getattr(asked.place, "case", ""),
            "launch": getattr(asked.place, "launch", 0),
            "code": question.code,
            "prompt": question.prompt,
            "options": question.options,
        }
        process.stdin.write(json.dumps(told) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(timeout=60)


@pytest.fixture(scope="module")
def brute_force() -> Iterator[BruteForce]:
    started = BruteForce()
    yield started
    started.close()


@pytest.mark.slow
@pytest.mark.parametrize("slug", SAMPLE)
def test_a_program_that_runs_alone_gives_the_same_answers(
    judge: Judge, brute_force: BruteForce, slug: str
) -> None:
    exercise = open_course().exercise(slug)
    path = exercise.solution
    source = path.read_text()
    record = judge.record_program(slug, source, str(path))
    drawn = draw_record_questions(f"says:{slug}:1", source, exercise.day, record, "7")
    assert len({each.kind for each in drawn.questions}) >= 4
    for asked in drawn.questions:
        found = brute_force.answer(exercise, path, asked)
        assert found == given_key(asked), asked.question.prompt


def main(wanted: int) -> int:
    """Draw so many questions, print what came of them, and return how many keys are wrong."""
    course = open_course()
    kernels = [each for each in course.exercises().values() if each.kind == "kernel"]
    answers = [(each, each.solution) for each in kernels]
    answers += [(each, path) for each in kernels for path in each.right[:2]]
    counts: Counter[str] = Counter()
    kinds: dict[str, set[str]] = defaultdict(set)
    by_exercise: dict[str, set[str]] = defaultdict(set)
    brute = BruteForce()
    with Judge(paths.course_root()) as judge:
        for exercise, path in answers:
            if counts["asked"] >= wanted:
                break
            slug, source = exercise.slug, path.read_text()
            try:
                drawn = draw_all(
                    judge, exercise, source, str(path), f"says:{slug}:1", path.stem, TARGET
                )
            except Exception as error:
                counts["not recorded"] += 1
                print(slug, path.name, type(error).__name__, error, flush=True)
                continue
            counts["disagreed"] += drawn.disagreed
            for asked in drawn.questions:
                found = brute.answer(exercise, path, asked)
                kinds[asked.kind].add(slug)
                by_exercise[slug].add(asked.kind)
                if isinstance(found, dict):
                    counts["not run alone"] += 1
                    print(slug, path.name, asked.kind, found["why"][:200], flush=True)
                    continue
                counts["asked"] += 1
                counts[asked.kind] += 1
                if found != given_key(asked):
                    counts["wrong"] += 1
                    print("WRONG", slug, path, asked.kind, asked.question.prompt, flush=True)
                    print("      key", given_key(asked), "alone", found, flush=True)
    brute.close()
    print(dict(counts))
    for kind, slugs in kinds.items():
        print(f"{kind}: {len(slugs)} exercises")
    fewest = min(by_exercise, key=lambda slug: len(by_exercise[slug]))
    print(f"{len(by_exercise)} exercises, the fewest kinds: {fewest} {sorted(by_exercise[fewest])}")
    return counts["wrong"]


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])) > 0)
