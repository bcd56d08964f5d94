"""Answer questions about programs by brute force: one program runs alone in Triton's own interpreter.

Nothing of the judge's interpreter is used, and nothing of the records that the questions come from. What
a question asks is read from its prompt. Elements that a program stores are those that differ from a
pattern with which the tensor was filled, in one of two runs with two patterns. Lanes that load are those
of the mask with which Triton's compiled `load` is called.

Called as a script it reads lines of JSON ({"exercise", "path", "case", "launch", "prompt", "options"})
and writes the answer to each, or the reason why there is none as {"why": …}.

Of questions that the ladder answers, the line that waits is the first that uses the loaded name in the
source, and the elements that a thread loads are those of the tile over all threads, but at least one.
"""

import ast
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import torch
import triton.runtime.interpreter as interpreter

from tutor.course.catalog.course import open_course
from tutor.judge.cases.reference import load_reference, make_inputs
from tutor.judge.processes.learner_module import load_module

SEED = 1  # of the inputs on which questions are asked
PATTERNS = (0x5A, 0xA5)


class Alone(BaseException):
    """The program has run. No `except Exception` on the way is to stop it."""


class Watch:
    """Runs one program of one launch of a call; then the call is stopped."""

    def __init__(self, launch: int, program: tuple[int, int, int] | None, filename: str) -> None:
        self.launch, self.program, self.filename = launch, program, filename
        self.at = -1  # the launch that runs
        self.fill: tuple[str, int] | None = None  # a tensor and a byte
        self.tensors: dict[str, torch.Tensor] = {}
        self.grid: tuple[int, ...] = ()
        self.ran = False
        self.loads: list[tuple[int, int, int, int, str]] = []  # line, lanes, on, bytes, kind

    def line(self) -> int:
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        return frame.f_lineno if frame else 0

    @property
    def counts(self) -> bool:
        return self.at == self.launch and self.ran

    def note(self, kind: str, pointers: Any, mask: Any, itemsize: int) -> None:
        if self.counts:
            on = int(np.count_nonzero(np.broadcast_to(mask, np.shape(pointers))))
            self.loads.append((self.line(), int(np.size(pointers)), on, on * itemsize, kind))


def bytes_of(tensor: torch.Tensor) -> np.ndarray:
    """The bytes of the tensor's storage."""
    raw = torch.empty(0, dtype=torch.uint8)
    return raw.set_(tensor.untyped_storage()).numpy()


def elements_of(tensor: torch.Tensor, changed: np.ndarray) -> list[int]:
    """Row-major numbers of the elements with a byte that changed."""
    size = tensor.element_size()
    numbers = []
    for number, index in enumerate(np.ndindex(tuple(tensor.shape))):
        place = tensor.storage_offset() + sum(
            i * s for i, s in zip(index, tensor.stride(), strict=True)
        )
        if changed[place * size : (place + 1) * size].any():
            numbers.append(number)
    return numbers


WATCH: Watch | None = None


def hook() -> None:
    """Put hooks into Triton's interpreter; they act while there is a `WATCH`."""
    place, call = interpreter.InterpreterBuilder.set_grid_idx, interpreter.GridExecutor.__call__

    def set_grid_idx(self: Any, x: int, y: int, z: int) -> None:
        if WATCH and WATCH.at == WATCH.launch:
            if WATCH.program is None:
                WATCH.grid = tuple(int(n) for n in self.grid_dim)
                raise Alone
            if WATCH.ran:
                raise Alone
            WATCH.ran = True
            WATCH.grid = tuple(int(n) for n in self.grid_dim)
            if WATCH.fill:
                name, byte = WATCH.fill
                bytes_of(WATCH.tensors[name])[:] = byte
            x, y, z = WATCH.program
        place(self, x, y, z)

    def launch(self: Any, *args: Any, **kwargs: Any) -> Any:
        if WATCH:
            WATCH.at += 1
            given = dict(zip(self.arg_names, args, strict=False)) | kwargs
            bases = {n: getattr(v, "base", v) for n, v in given.items()}  # of a descriptor
            WATCH.tensors = {n: v for n, v in bases.items() if isinstance(v, torch.Tensor)}
        result = call(self, *args, **kwargs)
        if WATCH and WATCH.at == WATCH.launch:  # a grid of one program
            raise Alone
        return result

    interpreter.InterpreterBuilder.set_grid_idx = set_grid_idx
    interpreter.GridExecutor.__call__ = launch


def hook_operations() -> None:
    """Note with which masks the interpreter's operations on memory are called."""
    real = interpreter._interpreter

    class Operations:
        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        def load(self, pointers: Any, mask: Any, other: Any, dtype: Any) -> Any:
            if WATCH:
                WATCH.note("load", pointers, mask, np.dtype(dtype).itemsize)
            return real.load(pointers, mask, other, dtype)

        def store(self, pointers: Any, value: Any, mask: Any) -> Any:
            if WATCH:
                WATCH.note("store", pointers, mask, value.dtype.itemsize)
            return real.store(pointers, value, mask)

        def atomic_rmw(self, op: Any, pointers: Any, value: Any, mask: Any, *rest: Any) -> Any:
            if WATCH:
                WATCH.note("atomic", pointers, mask, value.dtype.itemsize)
            return real.atomic_rmw(op, pointers, value, mask, *rest)

    interpreter._interpreter = Operations()


class Exercise:
    """A right answer of an exercise, loaded, with the inputs of its cases."""

    def __init__(self, slug: str, path: str) -> None:
        exercise = open_course().exercise(slug)
        self.path = path
        self.reference = load_reference(exercise.reference)
        self.held: list[int] = []  # by the loop that a question is about
        module = load_module(Path(path).read_text(), path)
        self.slug, self.name = slug, exercise.entry_name
        self.entry = getattr(module, exercise.entry_name)

    def note_loop(self, text: str) -> None:
        """Load the file again with a line after each loop that begins with `text`, which notes what the
        loop's variable holds."""
        lines = Path(self.path).read_text().split("\n")
        loops = [
            node
            for node in ast.walk(ast.parse("\n".join(lines)))
            if isinstance(node, ast.For) and lines[node.lineno - 1].strip() == text
        ]
        for node in sorted(loops, key=lambda node: -node.lineno):
            indent = " " * node.col_offset
            end = node.end_lineno or 0
            lines.insert(end, f"{indent}HELD.append({ast.unparse(node.target)})")
        module = load_module("HELD = []\n" + "\n".join(lines), self.path)
        self.held = module.HELD
        self.entry = getattr(module, self.name)

    def run(self, case: str, watch: Watch) -> Watch:
        global WATCH
        names = [each.name for each in self.reference.cases]
        index = names.index(case)
        args = make_inputs(self.reference.cases[index], SEED + index)
        args = tuple(
            a.clone() if isinstance(a, torch.Tensor) and a.is_contiguous() else a for a in args
        )
        WATCH = watch
        try:
            self.entry(*args)
        except Alone:
            pass
        finally:
            WATCH = None
        return watch


def program_in(text: str) -> tuple[int, int, int]:
    found = re.search(r"program (\d+|\([\d, ]+\))", text)
    assert found, text
    numbers = [int(n) for n in re.findall(r"\d+", found[1])]
    x, y, z = (*numbers, 0, 0)[:3]
    return x, y, z


def first_use(code: str, line: int) -> int:
    """The first line after the statement at `line` that uses the name which it sets."""
    kernel = ast.parse(code).body[0]
    statements = [
        node for node in ast.walk(kernel) if isinstance(node, ast.stmt) and node is not kernel
    ]
    statements.sort(key=lambda node: node.lineno)
    load = next(node for node in statements if node.lineno == line)
    assert isinstance(load, ast.Assign), ast.unparse(load)
    (target,) = load.targets
    assert isinstance(target, ast.Name)
    for node in statements:
        parts = ast.iter_child_nodes(node) if hasattr(node, "body") else [node]
        inside = [
            each for part in parts if not isinstance(part, ast.stmt) for each in ast.walk(part)
        ]
        if not hasattr(node, "body"):
            inside = list(ast.walk(node))
        uses = [each for each in inside if isinstance(each, ast.Name) and each.id == target.id]
        if node.lineno > load.lineno and any(isinstance(each.ctx, ast.Load) for each in uses):
            return node.lineno
    raise AssertionError("it is used nowhere")


def ladder_answer(asked: dict[str, Any], prompt: str) -> Any:
    """The answer to a question about the compiled kernel; None for another."""
    if match := re.search(r"Line (\d+) asks memory", prompt):
        return first_use(asked["code"], int(match[1]))
    if match := re.search(r"of the ([\d ]+) elements of the tile", prompt):
        warps = re.search(r"`num_warps = (\d+)`", prompt)
        assert warps
        return max(1, int(match[1].replace("\u202f", "").replace(" ", "")) // (32 * int(warps[1])))
    return None


def answer(asked: dict[str, Any], exercise: Exercise) -> Any:
    """Return the answer; of a choice, the text of the option."""
    if (found := ladder_answer(asked, asked["prompt"])) is not None:
        return found
    prompt = asked["prompt"].split("\n\n", 1)[1]

    def run(program: Any, fill: Any = None) -> Watch:
        watch = Watch(asked["launch"], program, exercise.path)
        watch.fill = fill
        return exercise.run(asked["case"], watch)

    def stored(program: tuple[int, int, int], name: str) -> list[int]:
        found: set[int] = set()
        for byte in PATTERNS:
            watch = run(program, (name, byte))
            tensor = watch.tensors[name]
            found |= set(elements_of(tensor, bytes_of(tensor) != byte))
        return sorted(found)

    if prompt.startswith("How many programs"):
        return int(np.prod(run(None).grid))
    if match := re.match(r"Which program stores `(\w+)\[?([\d, ]*)\]?`", prompt):
        name, index = match[1], [int(n) for n in re.findall(r"\d+", match[2])]
        grid = run(None).grid
        shape = run((0, 0, 0)).tensors[name].shape
        number = int(np.ravel_multi_index(index, tuple(shape))) if index else 0
        who = [p for p in np.ndindex(*grid) if number in stored(p, name)]
        assert len(who) == 1, (name, index, who)
        if asked["options"]:
            axes = max(n for n, size in enumerate(grid) if size > 1)
            return f"program ({', '.join(map(str, who[0][: axes + 1]))})"
        return who[0][0]
    program = program_in(prompt)
    if match := re.search(r"in the last turn of `(.*)` in program", prompt):
        exercise.note_loop(match[1])
        run(program)
        return exercise.held[-1]
    if prompt.startswith("The elements of"):
        match = re.search(r"elements of `(\w+)`", prompt)
        assert match
        return stored(program, match[1])[0]
    loads = run(program).loads
    if match := re.match(r"How many bytes does .* (load|store)\?", prompt):
        return sum(size for _, _, _, size, kind in loads if kind == match[1])
    match = re.search(r"line (\d+)", prompt)
    assert match, prompt
    mine = [each for each in loads if each[0] == int(match[1])]
    if prompt.startswith("How often"):
        return len(mine)
    assert prompt.startswith("How many lanes"), prompt
    assert len(mine) == 1, (prompt, mine)
    return mine[0][1] - mine[0][2]


def main() -> None:
    hook()
    hook_operations()
    exercises: dict[tuple[str, str], Exercise] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        key = asked["exercise"], asked["path"]
        try:
            if key not in exercises:
                exercises[key] = Exercise(*key)
            found: Any = answer(asked, exercises[key])
        except Exception as error:
            found = {"why": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
