"""Questions that the ladder answers: which line waits for a load, and what more warps change.

Each answer is worked out from two stages, or from two things that one stage says, and a question is
only asked where both give the same.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from random import Random

from tutor.base.python_trees import parse_python
from tutor.course.model import AskedQuestion
from tutor.course.reading.formula import group_digits
from tutor.judge.questions.program_question import (
    Drawn,
    ProgramQuestion,
    StagePlace,
    is_used_between,
    lines_of_statement,
)
from tutor.xray.model.control_codes import find_waits
from tutor.xray.model.stages import Link, Stage

WAITS, WARPS = KINDS = ("waits", "warps")
_LOAD = re.compile(r"\bLDG(?P<way>[.\w]*)\s+R(?P<first>\d+)\b")
_REGISTER = re.compile(r"(?<![\w.])R(\d+)\b")
_GOES_ELSEWHERE = re.compile(r"^\s*\.L\w+:|\b(?:BRA|BRX|JMP|CALL|RET|EXIT|BSYNC|WARPSYNC)\b")
_TILE = re.compile(
    r"=\s*tt\.load\b.*:\s*tensor<(?P<shape>[\dx]+)x!tt\.ptr<(?P<type>\w+)>, #(?P<of>\w+)>"
)
_LAYOUT = re.compile(r"#(\w+) = #ttg\.blocked<\{(.*)\}>")
_PTX_LOAD = re.compile(r"\bld\.global(?P<way>[.\w:]*)\.(?:b|u|s|f)(?P<bits>\d+)\b")
_BITS = re.compile(r"\d+")


@dataclass(frozen=True)
class LoweredKernel:
    """The stages of one kernel by name, and for each line of a stage the lines of its Triton text."""

    name: str
    stages: dict[str, Stage]
    lines: dict[tuple[str, int], frozenset[int]]  # (name of a stage, line in it)

    def line_of(self, stage: str, line: int) -> int | None:
        """Return the line of the Triton text that a line of a stage comes from, if it is only one."""
        found = self.lines.get((stage, line), frozenset())
        return next(iter(found)) if len(found) == 1 else None

    @property
    def code(self) -> str:
        return self.stages["triton"].text.rstrip("\n")


@dataclass(frozen=True)
class Wait:
    """A line of Triton that waits for what line `load` loads. `sass` is the instruction that waits."""

    load: int
    line: int
    sass: int


@dataclass(frozen=True)
class Held:
    """What each thread holds of the tile that line `load` loads: so many `elements` of all of them."""

    load: int
    elements: int
    of: int


def find_kernels(stages: Iterable[Stage], links: Iterable[Link]) -> list[LoweredKernel]:
    """Return the kernels of an X-ray that are there down to SASS."""
    by_kernel: dict[str, dict[str, Stage]] = defaultdict(dict)
    for stage in stages:
        if stage.kernel:
            by_kernel[stage.kernel][stage.name] = stage
    came_from: dict[tuple[str, int], list[tuple[str, int]]] = defaultdict(list)
    for link in links:
        came_from[link.target, link.target_line].append((link.source, link.source_line))
    return [
        LoweredKernel(name, mine, _trace_lines(name, mine, came_from))
        for name, mine in by_kernel.items()
        if {"triton", "ttgir", "ptx", "sass"} <= set(mine)
    ]


def _trace_lines(
    kernel: str,
    stages: dict[str, Stage],
    came_from: dict[tuple[str, int], list[tuple[str, int]]],
) -> dict[tuple[str, int], frozenset[int]]:
    """Follow the links up from each line of PTX, TTGIR and SASS to the kernel's Triton text."""
    root = f"triton:{kernel}"
    found = {}
    for name in ("ttgir", "ptx", "sass"):
        for line in range(1, stages[name].text.count("\n") + 2):
            ahead, seen, lines = [(f"{name}:{kernel}", line)], set(), set()
            while ahead:
                here = ahead.pop()
                if here in seen:
                    continue
                seen.add(here)
                if here[0] == root:
                    lines.add(here[1])
                else:
                    ahead += came_from.get(here, [])
            found[name, line] = frozenset(lines)
    return found


# --- which line waits -------------------------------------------------------------------------------


def find_waits_by_barriers(kernel: LoweredKernel) -> dict[int, Wait]:
    """Return, by line of the load, the only line that waits first, as the control codes say."""
    stage = kernel.stages["sass"]
    waits = find_waits(stage.text, stage.controls)
    return _only_waits(
        kernel,
        {line: waits[line].for_result if line in waits else () for line, _ in _loads(stage.text)},
    )


def find_waits_by_registers(kernel: LoweredKernel) -> dict[int, Wait]:
    """Return the same from the registers: the first instruction that names one that the load fills."""
    lines = kernel.stages["sass"].text.split("\n")
    users = {
        line: _first_user(lines, line, registers)
        for line, registers in _loads(kernel.stages["sass"].text)
    }
    return _only_waits(kernel, users)


def _loads(text: str) -> Iterator[tuple[int, range]]:
    """Yield the lines that load from global memory, with the registers that each fills."""
    for number, line in enumerate(text.split("\n"), 1):
        if match := _LOAD.search(line):
            first = int(match["first"])
            width = 4 if ".128" in match["way"] else 2 if ".64" in match["way"] else 1
            yield number, range(first, first + width)


def _first_user(lines: list[str], load: int, registers: range) -> tuple[int, ...]:
    """Return the first line on the straight way from a load that names a register of it."""
    for number in range(load + 1, len(lines) + 1):
        text = lines[number - 1]
        if _GOES_ELSEWHERE.search(text):
            return ()
        if any(int(name) in registers for name in _REGISTER.findall(text)):
            return (number,)
    return ()


def _only_waits(kernel: LoweredKernel, users: dict[int, tuple[int, ...]]) -> dict[int, Wait]:
    """Return the loads whose instructions all lead to users of one line of Triton."""
    by_load: dict[int | None, list[tuple[int, ...]]] = defaultdict(list)
    for load, who in users.items():
        by_load[kernel.line_of("sass", load)].append(who)
    found = {}
    for line, groups in by_load.items():
        lines = {kernel.line_of("sass", user) for who in groups for user in who}
        if line is None or not all(groups) or len(lines) != 1:
            continue
        waiting = lines.pop()
        if waiting is not None:
            found[line] = Wait(line, waiting, min(user for who in groups for user in who))
    return found


# --- what more warps change -------------------------------------------------------------------------


def find_held_by_layout(kernel: LoweredKernel) -> dict[int, Held]:
    """Return, by line, what a thread holds of a loaded tile, as TTGIR's layout says."""
    text = kernel.stages["ttgir"].text
    layouts = {match[1]: match[2] for match in _LAYOUT.finditer(text)}
    found: dict[int, Held | None] = {}
    for number, row in enumerate(text.split("\n"), 1):
        match = _TILE.search(row)
        line = kernel.line_of("ttgir", number) if match else None
        if match is None or line is None:
            continue
        shape = [int(n) for n in match["shape"].split("x")]
        layout = layouts.get(match["of"])
        held = _count_held(shape, layout) if layout else None
        again = line in found
        found[line] = None if again or held is None else Held(line, held, prod(shape))
    return {line: held for line, held in found.items() if held}


def _count_held(shape: list[int], layout: str) -> int | None:
    """Return how many elements of a tile each thread holds in a blocked layout."""
    sizes = []
    for name in ("sizePerThread", "threadsPerWarp", "warpsPerCTA"):
        match = re.search(rf"{name} = \[([\d, ]+)\]", layout)
        if match is None:
            return None
        sizes.append([int(n) for n in match[1].split(",")])
    if any(len(size) != len(shape) for size in sizes):
        return None
    each, threads, warps = sizes
    return prod(
        own * -(-n // (own * across * down))
        for n, own, across, down in zip(shape, each, threads, warps, strict=True)
    )


def find_held_by_loads(kernel: LoweredKernel, elements: dict[int, int]) -> dict[int, int]:
    """Return, by line, how many elements a thread loads in PTX, of `elements` of so many bits."""
    bits: dict[int, int] = defaultdict(int)
    for number, row in enumerate(kernel.stages["ptx"].text.split("\n"), 1):
        match = _PTX_LOAD.search(row)
        line = kernel.line_of("ptx", number) if match else None
        if match and line is not None:
            vector = re.search(r"\.v(\d)", match["way"])
            bits[line] += int(match["bits"]) * (int(vector[1]) if vector else 1)
    return {line: total // elements[line] for line, total in bits.items() if elements.get(line)}


def find_element_bits(kernel: LoweredKernel) -> dict[int, int]:
    """Return, by line, the bits of an element of the tile that is loaded there."""
    found = {}
    for number, row in enumerate(kernel.stages["ttgir"].text.split("\n"), 1):
        match = _TILE.search(row)
        line = kernel.line_of("ttgir", number) if match else None
        if match and line is not None and (size := _BITS.search(match["type"])):
            found[line] = max(8, int(size[0]))
    return found


def put_warps(source: str, kernel: str, warps: int) -> str | None:
    """Return the source with `num_warps=` in the launch of a kernel; None where no one launch of it is
    written in a form that can be changed."""
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Subscript)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == kernel
    ]
    if len(calls) != 1 or any(keyword.arg is None for keyword in calls[0].keywords):
        return None
    call = calls[0]
    given = next((word for word in call.keywords if word.arg == "num_warps"), None)
    lines = source.split("\n")
    if given is not None:
        value = given.value
        start, end = (value.lineno, value.col_offset), (value.end_lineno, value.end_col_offset)
        return _replace(lines, start, end, str(warps))
    last = max([*call.args, *(word.value for word in call.keywords)], key=_end_of, default=None)
    if last is None:
        return None
    return _replace(lines, _end_of(last), _end_of(last), f", num_warps={warps}")


def _end_of(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _replace(
    lines: list[str], start: tuple[int, int], end: tuple[int | None, int | None], text: str
) -> str:
    """Return the lines with `text` between two places, whose columns count bytes."""
    first, last = lines[start[0] - 1].encode(), lines[(end[0] or 1) - 1].encode()
    joined = first[: start[1]].decode() + text + last[end[1] or 0 :].decode()
    return "\n".join([*lines[: start[0] - 1], joined, *lines[end[0] or 1 :]])


# --- the questions ----------------------------------------------------------------------------------


def draw_wait_question(
    id_: str, day: int, kernels: list[LoweredKernel], target: str, inputs: str, seed: str
) -> Drawn:
    """Draw a question on the line that waits for a load."""
    found, disagreed = [], 0
    for kernel in kernels:
        by_barriers, by_registers = find_waits_by_barriers(kernel), find_waits_by_registers(kernel)
        for line, wait in by_barriers.items():
            other = by_registers.get(line)
            if other is None or wait.line in lines_of_statement(kernel.code, line):
                continue
            if other.line != wait.line:
                disagreed += 1
                continue
            # A line that uses it before and becomes no instruction, such as a cast to its own type:
            # nobody who reads the text alone could know.
            if is_used_between(kernel.code, line, lines_of_statement(kernel.code, wait.line)[0]):
                continue
            found.append((kernel, wait))
    if not found:
        return Drawn((), disagreed)
    kernel, wait = Random(f"{seed} {WAITS}").choice(found)
    instruction = _instruction(kernel.stages["sass"], wait.sass)
    load, waiting = (lines_of_statement(kernel.code, each) for each in (wait.load, wait.line))
    at = f"line{'s' * (len(waiting) > 1)} {waiting[0]}"
    at += f" to {waiting[-1]}" if len(waiting) > 1 else ""
    numbers = kernel.stages["triton"].numbers
    if len(numbers) >= waiting[-1] and numbers[waiting[0] - 1] not in (0, waiting[0]):
        at += f" here, line {numbers[waiting[0] - 1]} of your file"
    question = AskedQuestion(
        f"{id_}:{WAITS}",
        "line",
        f"Your `{kernel.name}` is compiled for {target}, as called with `{inputs}`. Line {load[0]} "
        "asks memory for a tile, and the program goes on. Which line is the first that has to wait "
        "for it?",
        f"The first instruction that waits is line {wait.sass} of SASS, `{instruction}`. It comes from "
        f"{at}.",
        day,
        answer=waiting[0] if len(waiting) == 1 else tuple(waiting),
        code=kernel.code,
        tempting=dict.fromkeys(
            load, "A load only asks for memory. What uses the value has to wait."
        ),
    )
    place = StagePlace(f"sass:{kernel.name}", wait.sass)
    return Drawn((ProgramQuestion(WAITS, question, place),), disagreed)


def draw_warps_question(
    id_: str,
    day: int,
    now: LoweredKernel,
    other: LoweredKernel,
    target: str,
    inputs: str,
    seed: str,
) -> Drawn:
    """Draw a question on what a thread holds if the kernel, lowered as `now`, has as many warps as in
    `other`."""
    warps, more = (dict(each.stages["sass"].counts).get("num_warps") for each in (now, other))
    if not warps or not more:
        return Drawn(())
    before, after = find_held_by_layout(now), find_held_by_layout(other)
    loads = find_held_by_loads(other, find_element_bits(other))
    agreed = [
        held
        for line, held in after.items()
        if line in before
        and held.of == before[line].of
        and loads.get(line) == held.elements
        and all(_is_shared_out(*each) for each in ((before[line], warps), (held, more)))
    ]
    disagreed = sum(loads.get(line) not in (None, held.elements) for line, held in after.items())
    if not agreed:
        return Drawn((), disagreed)
    held = Random(f"{seed} {WARPS}").choice(agreed)
    had = before[held.load].elements
    slips = (
        {str(had): f"That is what a thread holds with {warps} warps."}
        if had != held.elements
        else {}
    )
    per_thread = group_digits(held.elements)
    question = AskedQuestion(
        f"{id_}:{WARPS}",
        "number",
        f"Your `{now.name}` is compiled for {target}, as called with `{inputs}`. A program has {warps} "
        f"warps of 32 threads, and each thread loads {group_digits(had)} of the "
        f"{group_digits(held.of)} elements of the tile at `{_text_of(now, held.load)}`. How many does "
        f"each thread load with `num_warps = {more}`?",
        f"{more} warps have {more * 32} threads. The layout in TTGIR gives each thread {per_thread} of "
        f"the {group_digits(held.of)} elements"
        + (
            ", and several threads hold the same ones."
            if held.elements * more * 32 > held.of
            else "."
        ),
        day,
        answer=held.elements,
        code=now.code,
        slips=slips,
    )
    return Drawn(
        (ProgramQuestion(WARPS, question, StagePlace(f"ttgir:{now.name}", None)),), disagreed
    )


def _is_shared_out(held: Held, warps: int | float) -> bool:
    """Return True where the threads share the tile, or hold one element each. Where a layout gives them
    more, for the sake of another operation, nobody could know it from the text."""
    return held.elements == max(1, held.of // (32 * int(warps)))


def _text_of(kernel: LoweredKernel, line: int) -> str:
    first = lines_of_statement(kernel.code, line)[0]
    return kernel.code.split("\n")[first - 1].strip().replace("`", "")


def _instruction(stage: Stage, line: int) -> str:
    text = stage.text.split("\n")[line - 1]
    return re.sub(r"/\*[0-9a-f]+\*/", "", text).strip().rstrip(";").strip()
