"""Questions that the two records of a run answer: who stores an element, how many lanes are masked off,
how many bytes a program moves, where it begins, how often it comes by a line.

Each answer is worked out from the access map and from the witness, and a question is only asked where
both give the same.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tutor.course.model import AskedQuestion
from tutor.course.reading.formula import group_digits
from tutor.judge.model.access_map import AccessStep, Launch, Place, Program
from tutor.judge.model.tensor_grid import index_of, is_line
from tutor.judge.model.witness import ProgramRecord, WitnessLaunch
from tutor.judge.questions.loop_questions import find_loops, write_loop_question
from tutor.judge.questions.program_question import (
    AccessPlace,
    Drawn,
    ProgramQuestion,
    code_of_kernel,
    without_comments,
)
from tutor.judge.questions.seen_launch import SeenLaunch, see_by_addresses, see_in_memory
from tutor.judge.reports.access_map_text import step_words
from tutor.quiz.option_order import shuffle_options

_TRIES = 12  # of each kind, until both records agree on a telling one
_MOST_STEPS = 8  # in an explanation
_MOST_ARGUMENTS = 12  # in a prompt
_OPTIONS = 4
_ACCESS = re.compile(r"\b(?:load|store|atomic_\w+)\(")  # in a line of a kernel


@dataclass(frozen=True)
class _Asked:
    """A question before it is written: what both records must answer alike, and how to ask it."""

    find: Callable[[SeenLaunch], Any]
    write: Callable[[Any], dict[str, Any]]
    program: Place
    step: int | None = None
    telling: Callable[[Any], bool] = bool  # another one is looked for while the answer is not


def draw_record_questions(
    id_: str, source: str, day: int, record: ProgramRecord, seed: str
) -> Drawn:
    """Draw at most one question of each kind about a run of `source`. `id_` begins their ids."""
    number = _largest(record)
    if number is None:
        return Drawn(())
    return _Writer(id_, source, day, record, number, seed).draw()


def _largest(record: ProgramRecord) -> int | None:
    """Return the number of the launch with the most programs, of those that both records have."""
    pairs = list(zip(record.access.launches, record.witness.launches, strict=False))
    same = [n for n, (one, other) in enumerate(pairs) if one.kernel == other.kernel]
    return max(same, key=lambda n: len(pairs[n][0].programs), default=None)


class _Writer:
    def __init__(
        self, id_: str, source: str, day: int, record: ProgramRecord, number: int, seed: str
    ) -> None:
        self._id, self._day, self._seed = id_, day, seed
        self._access, self._number = record.access, number
        self._launch: Launch = record.access.launches[number]
        self._witness: WitnessLaunch = record.witness.launches[number]
        self._source = source
        self._code, self._first_line = code_of_kernel(source, self._launch.kernel)
        self._last_line = self._first_line + self._code.count("\n")
        self._by_addresses = see_by_addresses(self._launch)
        self._in_memory = see_in_memory(self._witness, self._by_addresses.itemsizes)

    def draw(self) -> Drawn:
        kinds: dict[str, Callable[[Random], Iterator[_Asked]]] = {
            "stores": self._stores,
            "masked": self._masked,
            "loaded": lambda draw: self._ask_moved(draw, "load"),
            "stored": lambda draw: self._ask_moved(draw, "store"),
            "first": self._first,
            "turns": self._turns,
            "loop": self._loops,
            "programs": self._programs,
        }
        questions, disagreed = [], 0
        for kind, make in kinds.items():
            fallback: ProgramQuestion | None = None
            candidates = make(Random(f"{self._seed} {kind}"))
            for _, asked in zip(range(_TRIES), candidates, strict=False):
                answer = asked.find(self._by_addresses)
                if answer is None:
                    continue
                if answer != asked.find(self._in_memory):
                    disagreed += 1
                    continue
                written = self._write(kind, asked, answer)
                fallback = fallback or written
                if asked.telling(answer):
                    fallback = written
                    break
            if fallback:
                questions.append(fallback)
        return Drawn(tuple(questions), disagreed)

    def _write(self, kind: str, asked: _Asked, answer: Any) -> ProgramQuestion:
        words = asked.write(answer)
        intro = self._introduce(with_grid=kind != "programs")
        question = AskedQuestion(
            f"{self._id}:{kind}",
            words.pop("as_kind", "number"),
            f"{intro}\n\n{words.pop('prompt')}",
            words.pop("explanation"),
            self._day,
            code=without_comments(self._code),
            **{"answer": answer, **words},
        )
        place = AccessPlace(self._access.case, self._number, asked.program, asked.step)
        return ProgramQuestion(kind, shuffle_options(question, len(self._seed)), place)

    def _introduce(self, *, with_grid: bool) -> str:
        launch, access = self._launch, self._access
        values = [f"`{name}` = {value}" for name, value in self._witness.arguments]
        left = len(values) - _MOST_ARGUMENTS
        more = [f"{left} more"] if left > 0 else []
        given = f", with {', '.join([*values[:_MOST_ARGUMENTS], *more])}" if values else ""
        grid = f" on a grid of {_grid_words(launch.grid)}" if with_grid else ""
        of_many = f", launch {self._number + 1} of the call," if len(access.launches) > 1 else ""
        return (
            f"On the case “{access.case}” (`{access.inputs}`) your `{launch.kernel}`{of_many} "
            f"runs{grid}{given}."
        )

    # --- the kinds --------------------------------------------------------------------------------

    def _stores(self, draw: Random) -> Iterator[_Asked]:
        """Which program stores an element."""
        if self._launch.size == 1:
            return
        programs = list(self._launch.programs)
        while True:
            program = draw.choice(programs)
            stored = [s for s in program.steps if s.kind == "store" and s.blocks and not s.cut]
            if not stored:
                yield _nothing(program)
                continue
            step = draw.choice(stored)
            start, length, count, pitch = draw.choice(step.blocks)
            element = start + draw.randrange(count) * pitch + draw.randrange(length)
            name = self._element(step.tensor, element)
            yield _Asked(
                lambda seen, t=step.tensor, e=element: seen.find_storing(t, e),  # type: ignore[misc]
                lambda answer, n=name: self._ask_who(answer, n, draw),  # type: ignore[misc]
                program.id,
                program.steps.index(step),
                telling=lambda answer: any(answer),
            )

    def _ask_who(self, answer: Place, name: str, draw: Random) -> dict[str, Any]:
        explanation = (
            f"{_capitalize(self._name(answer))} stores {name}: {self._tell(answer, 'store')}"
        )
        prompt = f"Which program stores {name}?"
        if self._launch.size == self._launch.grid[0]:
            return {"prompt": prompt, "answer": answer[0], "explanation": explanation}
        others = [answer, *self._others(answer, draw)]
        keys = dict(zip("abcd", others, strict=False))
        return {
            "as_kind": "choice",
            "prompt": prompt,
            "answer": "a",
            "options": {key: self._name(program) for key, program in keys.items()},
            "feedback": {
                key: f"It stores elsewhere: {self._tell(program, 'store')}"
                for key, program in keys.items()
                if key != "a" and self._program(program)
            },
            "explanation": explanation,
        }

    def _others(self, answer: Place, draw: Random) -> list[Place]:
        """Return programs near this one, or with its numbers in another order."""
        x, y, z = answer
        near = [(x + a, y + b, z + c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]
        near += [(y, x, z), (z, y, x), (x, z, y)]
        grid = self._launch.grid
        fit = [p for p in near if all(0 <= i < n for i, n in zip(p, grid, strict=True))]
        known = sorted(set(fit) - {answer})
        return draw.sample(known, min(len(known), _OPTIONS - 1))

    def _masked(self, draw: Random) -> Iterator[_Asked]:
        """How many lanes are masked off at a line."""
        steps = [(program, step) for program in self._launch.programs for step in program.steps]
        if not any(step.on < step.lanes for _, step in steps):
            return
        while True:
            program, step = draw.choice(steps)
            if not self._may_name(step.line):
                yield _nothing(program)
                continue
            line = step.line or 0
            yield _Asked(
                lambda seen, p=program.id, n=line, k=step.kind: seen.count_masked(p, n, k),  # type: ignore[misc]
                lambda answer, p=program, s=step: self._ask_masked(answer, p, s),  # type: ignore[misc]
                program.id,
                program.steps.index(step),
            )

    def _ask_masked(self, answer: int, program: Program, step: AccessStep) -> dict[str, Any]:
        does = self._does(step)
        slips = {str(step.on): "So many are on."} if step.on != answer else {}
        return {
            "prompt": f"How many lanes of {self._name(program.id)} are masked off where "
            f"{self._line(step)} {does}?",
            "explanation": f"The tile has {group_digits(step.lanes)} lanes, and "
            f"{group_digits(step.on)} of them are on: {step_words(self._launch, step)}.",
            "slips": slips,
        }

    def _ask_moved(self, draw: Random, kind: str) -> Iterator[_Asked]:
        """How many bytes a program loads, or stores."""
        programs = [p for p in self._launch.programs if any(s.kind == kind for s in p.steps)]
        while programs:
            program = draw.choice(programs)
            yield _Asked(
                lambda seen, p=program.id: seen.count_bytes(p, kind),  # type: ignore[misc]
                lambda answer, p=program: self._ask_bytes(answer, p, kind),  # type: ignore[misc]
                program.id,
            )

    def _ask_bytes(self, answer: int, program: Program, kind: str) -> dict[str, Any]:
        mine = [step for step in program.steps if step.kind == kind]
        sizes = self._by_addresses.itemsizes
        every = sum(step.lanes * sizes[step.tensor] for step in mine)
        lanes = sum(step.on for step in mine)
        slips = {}
        if every != answer:
            slips[str(every)] = "That counts the lanes that are masked off, too."
        if lanes != answer:
            slips[str(lanes)] = "That is the number of lanes that are on, not of bytes."
        atomic = any(step.kind == "atomic" for step in program.steps)
        but = " Atomic operations do not count." if atomic else ""
        return {
            "prompt": f"How many bytes does {self._name(program.id)} {kind}? Each lane that is on "
            f"counts, each time.{but}",
            "unit": "B",
            "explanation": _capitalize(self._tell(program.id, kind, sizes=True)),
            "slips": slips,
        }

    def _first(self, draw: Random) -> Iterator[_Asked]:
        """Which is the first element that a program stores."""
        if self._launch.size == 1:
            return
        programs = [p for p in self._launch.programs if any(s.kind == "store" for s in p.steps)]
        while programs:
            program = draw.choice(programs)
            stored = [step for step in program.steps if step.kind == "store" and step.on]
            if not stored:
                yield _nothing(program)
                continue
            tensor = draw.choice(stored).tensor
            yield _Asked(
                lambda seen, p=program.id, t=tensor: seen.find_first(p, t),  # type: ignore[misc]
                lambda answer, p=program, t=tensor: self._ask_first(answer, p, t),  # type: ignore[misc]
                program.id,
            )

    def _ask_first(self, answer: int, program: Program, tensor: int) -> dict[str, Any]:
        shape, name = self._launch.tensors[tensor].shape, self._launch.tensors[tensor].name
        counted = "" if is_line(shape) else f", whose shape is {_index(shape)},"
        rows = "" if is_line(shape) else " row by row"
        return {
            "prompt": f"The elements of `{name}`{counted} are numbered{rows} from 0. Which is the "
            f"lowest number that {self._name(program.id)} stores?",
            "explanation": f"Element {group_digits(answer)} is {self._element(tensor, answer)}: "
            f"{self._tell(program.id, 'store')}",
        }

    def _turns(self, draw: Random) -> Iterator[_Asked]:
        """How often a program comes by a line that loads or stores."""
        places = [
            (program, step)
            for program in self._launch.programs
            for step in program.steps
            if self._may_name(step.line) and self._comes_back(program, step)
        ]
        while places:
            program, step = draw.choice(places)
            yield _Asked(
                lambda seen, p=program.id, n=step.line: seen.count_turns(p, n),  # type: ignore[misc]
                lambda answer, p=program, s=step: self._ask_turns(answer, p, s),  # type: ignore[misc]
                program.id,
                program.steps.index(step),
            )

    def _comes_back(self, program: Program, step: AccessStep) -> bool:
        """Return True if the line has this one access, and the program did it more than once."""
        there = [other.kind for other in program.steps if other.line == step.line]
        accesses = _ACCESS.findall(self._text_of(step.line or 0))
        return len(there) > 1 and len({*there}) == len(accesses) == 1

    def _ask_turns(self, answer: int, program: Program, step: AccessStep) -> dict[str, Any]:
        return {
            "prompt": f"How often does {self._name(program.id)} come by {self._line(step)}, which "
            f"{self._does(step)}?",
            "explanation": f"{group_digits(answer)} times: "
            f"{self._tell(program.id, step.kind, step.line)}",
        }

    def _loops(self, draw: Random) -> Iterator[_Asked]:
        """What a loop's variable holds in its last turn: by the text, and by the interpreter."""
        arguments = {
            name: int(value) for name, value in self._witness.arguments if value.isdecimal()
        }
        held = {program.id: dict(program.numbers) for program in self._witness.programs}
        while self._launch.programs and self._code:
            program = draw.choice(self._launch.programs)
            loops = find_loops(
                self._source, self._launch.kernel, arguments, program.id, self._launch.grid
            )
            if not loops:
                yield _nothing(program)
                continue
            loop = draw.choice(loops)
            number = held.get(program.id, {}).get(loop.name)
            inside = [i for i, step in enumerate(program.steps) if step.line in loop.lines]
            yield _Asked(
                # The text is worked out here, and the interpreter has seen the rest.
                lambda seen, a=loop.turns[-1], b=number: (  # type: ignore[misc]
                    a if seen is self._by_addresses else b
                ),
                lambda answer, lo=loop, p=program.id: write_loop_question(lo, self._name(p)),  # type: ignore[misc]
                program.id,
                inside[-1] if inside else None,
            )

    def _programs(self, draw: Random) -> Iterator[_Asked]:
        """How many programs the launch has."""
        yield _Asked(
            lambda seen: seen.count_programs(),
            lambda answer: {
                "prompt": "How many programs does this launch have?",
                "explanation": f"The grid is {' × '.join(map(str, self._launch.grid))}.",
            },
            (0, 0, 0),
        )

    # --- words ------------------------------------------------------------------------------------

    def _may_name(self, line: int | None) -> bool:
        """Return True for a line of the kernel that the question shows."""
        return line is not None and self._first_line <= line <= self._last_line

    def _line(self, step: AccessStep) -> str:
        line = step.line or 0
        text = self._text_of(line).strip()
        return f"line {line} (`{text}`)" if "`" not in text else f"line {line}"

    def _text_of(self, line: int) -> str:
        return self._code.split("\n")[line - self._first_line]

    def _does(self, step: AccessStep) -> str:
        verb = {"load": "loads from", "store": "stores into", "atomic": "updates"}[step.kind]
        return f"{verb} `{self._launch.tensors[step.tensor].name}`"

    def _program(self, place: Place) -> Program | None:
        return next((one for one in self._launch.programs if one.id == place), None)

    def _name(self, program: Place) -> str:
        axes = max((n for n, size in enumerate(self._launch.grid) if size > 1), default=0)
        return f"program {program[0] if not axes else _index(program[: axes + 1])}"

    def _element(self, tensor: int, number: int) -> str:
        named = self._launch.tensors[tensor]
        index = index_of(number, named.shape)
        return f"`{named.name}[{', '.join(map(str, index))}]`" if index else f"`{named.name}`"

    def _tell(
        self, place: Place, kind: str, line: int | None = None, *, sizes: bool = False
    ) -> str:
        """Say what a program loads or stores, perhaps at one line only, perhaps in bytes."""
        program = self._program(place)
        steps = (
            [s for s in program.steps if s.kind == kind and line in (None, s.line)]
            if program
            else []
        )
        told = [step_words(self._launch, step) for step in steps[:_MOST_STEPS]]
        if sizes:
            widths = (self._launch.tensors[step.tensor].itemsize for step in steps)
            told = [f"{text} × {size} B" for text, size in zip(told, widths, strict=False)]
        left = len(steps) - len(told)
        return f"{'; '.join(told)}{f'; and {left} more such accesses' if left else ''}."


def _nothing(program: Program) -> _Asked:
    """Return a try that found nothing to ask."""
    return _Asked(lambda seen: None, lambda answer: {}, program.id)


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def _grid_words(grid: Place) -> str:
    used = [size for size in grid if size > 1]
    if not used:
        return "1 program"
    last = max(n for n, size in enumerate(grid) if size > 1)
    return f"{' × '.join(group_digits(size) for size in grid[: last + 1])} programs"


def _index(numbers: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, numbers))})"
