"""A launch in the terms of questions, whichever of the two records it is read from."""

import math
from dataclasses import dataclass

from tutor.judge.model.access_map import MAX_PROGRAMS, Launch, Place
from tutor.judge.model.tensor_grid import Block
from tutor.judge.model.witness import WitnessLaunch


@dataclass(frozen=True)
class SeenStep:
    """A load or store. `blocks` are the elements of `tensor` that it stores; with `cut` there are more.

    `tensor` is None where it is not known, or where all lanes are masked off."""

    line: int | None
    kind: str
    lanes: int
    on: int
    tensor: int | None
    blocks: tuple[Block, ...] = ()
    cut: bool = False


@dataclass(frozen=True)
class SeenLaunch:
    """`programs` are those whose accesses are all known; `complete`: they are all that accessed memory.
    `itemsizes` are bytes of an element of each tensor."""

    grid: Place
    programs: dict[Place, tuple[SeenStep, ...]]
    complete: bool
    itemsizes: tuple[int, ...]

    def count_programs(self) -> int:
        return math.prod(self.grid)

    def count_bytes(self, program: Place, kind: str) -> int | None:
        """Return the bytes that a program loads or stores; None where that is not known, or where atomic
        operations store too."""
        steps = self.programs.get(program)
        if steps is None or (kind == "store" and any(step.kind == "atomic" for step in steps)):
            return None
        mine = [step for step in steps if step.kind == kind and step.on]
        if not mine or any(step.tensor is None for step in mine):
            return None
        return sum(step.on * self.itemsizes[step.tensor or 0] for step in mine)

    def count_masked(self, program: Place, line: int, kind: str) -> int | None:
        """Return the lanes that are masked off at a line which the program reaches once."""
        steps = self._steps_at(program, line)
        return steps[0].lanes - steps[0].on if [step.kind for step in steps] == [kind] else None

    def count_turns(self, program: Place, line: int) -> int | None:
        """Return how often a program loads or stores at a line."""
        return len(self._steps_at(program, line)) or None

    def find_storing(self, tensor: int, element: int) -> Place | None:
        """Return the only program that stores an element; None if that is not known of all programs."""
        steps = [
            (program, step)
            for program, steps in self.programs.items()
            for step in steps
            if step.kind != "load" and step.on
        ]
        if not self.complete or any(step.tensor is None for _, step in steps):
            return None
        mine = [(program, step) for program, step in steps if step.tensor == tensor]
        if any(step.cut for _, step in mine):
            return None
        found = {p for p, step in mine if any(_holds(block, element) for block in step.blocks)}
        return found.pop() if len(found) == 1 else None

    def find_first(self, program: Place, tensor: int) -> int | None:
        """Return the lowest number of an element that a program stores; None if it stores none."""
        steps = self.programs.get(program, ())
        if any(step.kind == "atomic" or step.cut for step in steps if step.kind != "load"):
            return None
        mine = [
            step for step in steps if step.kind == "store" and step.tensor == tensor and step.on
        ]
        return min((block[0] for step in mine for block in step.blocks), default=None)

    def _steps_at(self, program: Place, line: int) -> list[SeenStep]:
        return [step for step in self.programs.get(program, ()) if step.line == line]


def see_by_addresses(launch: Launch) -> SeenLaunch:
    """Read a launch of the access map."""
    programs = {
        program.id: tuple(
            SeenStep(
                None if step.place else step.line,
                step.kind,
                step.lanes,
                step.on,
                step.tensor if step.on else None,
                step.blocks,
                step.cut or bool(step.beside),
            )
            for step in program.steps
        )
        for program in launch.programs
        if not program.left_out
    }
    whole = len(programs) == len(launch.programs) and launch.size <= MAX_PROGRAMS
    return SeenLaunch(launch.grid, programs, whole, tuple(t.itemsize for t in launch.tensors))


def see_in_memory(launch: WitnessLaunch, itemsizes: tuple[int, ...]) -> SeenLaunch:
    """Read a launch of the witness, whose tensors have elements of these sizes."""
    programs = {}
    for program in launch.programs:
        steps = []
        for step in program.steps:
            part = step.parts[0] if len(step.parts) == 1 else None
            known = part is not None and part.tensor < len(itemsizes)
            on = sum(each.on for each in step.parts)
            steps.append(
                SeenStep(
                    step.line,
                    step.kind,
                    step.lanes,
                    on,
                    part.tensor if part and known else None,
                    part.blocks if part else (),
                    part.cut if part else len(step.parts) > 1,
                )
            )
        programs[program.id] = tuple(steps)
    return SeenLaunch(launch.grid, programs, launch.complete, itemsizes)


def _holds(block: Block, element: int) -> bool:
    start, length, count, pitch = block
    distance = element - start
    if distance < 0 or count == 1:
        return 0 <= distance < length
    return distance // pitch < count and distance % pitch < length
