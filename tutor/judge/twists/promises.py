"""Judges whether a right program keeps the promises of a twist, by the words it is written with and by
what the interpreter saw of it. Each sentence says what was seen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tutor.course.model import Exercise, TwistPromise
from tutor.course.reading.twist_promises import KERNELS, OF, OPERATORS, OR, SHAPES, STATEMENTS
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.model.verdict import TwistFinding
from tutor.judge.processes.worker_messages.kernel_report import LaunchSketch
from tutor.judge.twists.program_words import ProgramWords, full_name

Facts = Sequence[CaseFacts]
Broken = tuple[str, int | None]  # half a sentence, and a line of the program

_BACKWARDS = {
    "lanes": "in each load and store a later lane works on a later element",
    "loads": "no program loads from the last block to the first one",
    "stores": "no program stores from the last block to the first one",
    "programs": "program 0 does not store behind the last program",
}


@dataclass(frozen=True)
class _Launch:
    """A launch that the interpreter saw in `case`."""

    case: CaseFacts
    sketch: LaunchSketch


def judge_twists(exercise: Exercise, source: str, facts: Facts) -> tuple[TwistFinding, ...]:
    """Return a finding for each judged twist, in their order. Call it for a right program.

    What nobody saw, because the interpreter could not run the program, counts as kept.
    """
    found: dict[int, TwistFinding] = {}
    try:
        words = ProgramWords(source)
    except (SyntaxError, ValueError, RecursionError):  # it ran, so another Python reads it
        words = None
    for promise in sorted(exercise.twist_promises, key=lambda promise: promise.twist):
        known = found.get(promise.twist)
        if known is None or known.kept:
            found[promise.twist] = _judge(exercise, promise, words, facts)
    return tuple(found.values())


def _judge(
    exercise: Exercise, promise: TwistPromise, words: ProgramWords | None, facts: Facts
) -> TwistFinding:
    broken = next(_find_broken(exercise, promise, words, facts), None)
    if broken is None:
        return TwistFinding(promise.twist, kept=True)
    what, line = broken
    return TwistFinding(
        promise.twist, kept=False, message=f"Right, but not by the twist: {what}.", line=line
    )


def _find_broken(
    exercise: Exercise, promise: TwistPromise, words: ProgramWords | None, facts: Facts
) -> Iterator[Broken]:
    if words and (promise.uses or promise.avoids):
        yield from _words(exercise, promise, words.within(promise.within))
    if promise.watches:
        launches = [_Launch(case, sketch) for case in facts for sketch in case.seen.sketches]
        if launches:
            yield from _grids(promise, facts, launches)
            yield from _accesses(promise, launches)


def _words(exercise: Exercise, promise: TwistPromise, words: Mapping[str, int]) -> Iterator[Broken]:
    for entry in promise.avoids:
        if line := words.get(full_name(entry)):
            yield f"line {line} has {_say(entry)}", line
    for entry in promise.uses:
        if not any(full_name(word) in words for word in entry.split(OR)):
            names = [_say(word) for word in entry.split(OR)]
            neither = f"neither {' nor '.join(names)}" if len(names) > 1 else names[0]
            place = f"`{promise.within}`"
            if promise.within in ("", KERNELS):
                place = f"your {'kernel' if promise.within else _place(exercise, entry)}"
            yield f"{neither} is {'not ' * (len(names) == 1)}in {place}", None


def _place(exercise: Exercise, entry: str) -> str:
    return "kernel" if exercise.kind == "kernel" and entry.startswith("tl.") else "program"


def _say(word: str) -> str:
    """Return an entry as a sentence has it: a name in backticks, a statement with its article."""
    if word in SHAPES:
        return SHAPES[word]
    if word in STATEMENTS or word in OPERATORS:
        article = "an" if word == "if" else "a"
        return f"{article} `{word}`"
    what, of, function = word.partition(OF)
    if of and what.endswith("="):
        return f"`{what}` of `{function}`"
    if of and what.startswith("argument "):
        return f"{what} of `{function}`"
    return f"`{word}`"


def _grids(promise: TwistPromise, facts: Facts, launches: list[_Launch]) -> Iterator[Broken]:
    """Yield what the grids and the number of launches do not keep."""
    if promise.axes is not None:
        most = max(launches, key=lambda launch: _axes(launch.sketch))
        if (axes := _axes(most.sketch)) != promise.axes:
            more = f" (case “{most.case.name}”)" if axes > 1 else ""
            yield f"the grid has {_count(axes, 'axis', 'axes')}{more}", most.sketch.line
    if promise.most_programs is not None:
        many = max(launches, key=lambda launch: launch.sketch.programs)
        if many.sketch.programs > promise.most_programs:
            yield _say_programs(many), many.sketch.line
    if promise.launches is not None:
        case = max(facts, key=lambda case: case.seen.launches)
        if case.seen.launches != promise.launches:
            count = _count(case.seen.launches, "kernel is launched", "kernels are launched")
            yield f"{count} in a call (case “{case.name}”)", None
    if promise.programs is not None:
        for case in facts:
            mine = [launch for launch in launches if launch.case is case]
            wanted = promise.programs
            if isinstance(wanted, str):
                wanted = case.sizes.get(wanted, 0)
            if wanted and mine and all(each.sketch.programs != wanted for each in mine):
                named = f", `{promise.programs}` is {wanted}" * isinstance(promise.programs, str)
                yield _say_programs(mine[0]) + named, mine[0].sketch.line
                return


def _say_programs(launch: _Launch) -> str:
    sketch = launch.sketch
    programs = _count(sketch.programs, "program", "programs")
    return f"`{sketch.kernel}` runs in {programs} (case “{launch.case.name}”)"


def _accesses(promise: TwistPromise, launches: list[_Launch]) -> Iterator[Broken]:
    """Yield what the loads and stores of the programs do not keep."""
    sketches = [launch.sketch for launch in launches]
    tiles = [tile for sketch in sketches for tile in sketch.tiles]
    if promise.tile and not any(_fits(tile.shape, promise.tile) for tile in tiles):
        yield f"no load or store has a tile of {_say_tile(promise.tile)}", None
    kept = [tile.shape for tile in tiles if tile.kind == "store"]
    if promise.stored and not any(_fits(shape, promise.stored) for shape in kept):
        yield f"no tile of {_say_tile(promise.stored)} is stored", None
    if promise.width is not None:
        flat = [tile for tile in tiles if tile.kind == "store" and len(tile.shape) == 2]
        other = [t for t in flat if t.shape[1] != promise.width * t.shape[0]]
        if flat and len(other) == len(flat):
            yield f"the tiles that are stored are {_say_tile(flat[0].shape)}", flat[0].line
    if promise.steps is not None and all(sketch.steps < promise.steps for sketch in sketches):
        most = max(sketch.steps for sketch in sketches)
        times = {0: "never", 1: "once"}.get(most, f"{most} times")
        yield f"a program loads from each tensor {times}", None
    several = [sketch for sketch in sketches if sketch.steps > 1]  # with one block each none can
    if promise.interleaved and several and not any(sketch.interleaved for sketch in several):
        yield "no program goes on behind where a later one begins", None
    if promise.turned and not any("load" in sketch.turned for sketch in sketches):
        yield "no tile is loaded with its rows along the columns in memory", None
    if promise.straight and any("store" in sketch.turned for sketch in sketches):
        yield "a tile is stored with its rows along the columns in memory", None
    way = promise.backwards
    if way and not any(way in sketch.backwards for sketch in sketches):
        yield _BACKWARDS[way], None


def _axes(sketch: LaunchSketch) -> int:
    """Return the number of the last axis along which a grid has several programs; 1 for none."""
    return max((axis for axis, size in enumerate(sketch.grid, 1) if size > 1), default=1)


def _fits(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Axes of one lane beside the wanted ones do not count."""
    if len(shape) > len(wanted):
        shape = tuple(size for size in shape if size != 1)
    same = len(shape) == len(wanted)
    return same and all(want in (0, size) for size, want in zip(shape, wanted, strict=True))


def _say_tile(sizes: tuple[int, ...]) -> str:
    if len(sizes) == 1:
        return f"{sizes[0]} lanes"
    return " × ".join(str(size) if size else "any number" for size in sizes)


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
