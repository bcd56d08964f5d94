"""`tutor xray`: every stage of a function or kernel, from Python to machine code."""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from tutor.commands.reading import read_text
from tutor.errors import CannotHere, UsageError
from tutor.xray.model import KERNEL_STAGES, Event, Failure, Link, Request, Stage

_LINE = "─" * 78


@click.command("xray")
@click.argument("what", metavar="FILE::NAME")
@click.option("--input", "inputs", multiple=True, metavar="SPEC",
              help="One argument: f32[1024,1024], or a Python literal; once for each. A name may "
              "stand before it: BLOCK=1024, and for a kernel num_warps=8.")  # fmt: skip
@click.option("--target", help="sm_80, sm_90, sm_100, gfx942, or a product: H200; without it the "
              "one in the settings.")  # fmt: skip
@click.option("--stage", help="Stop after this stage; in plain output, print only it.")
@click.option("--backward", is_flag=True, help="A training step: the backward pass as well.")
@click.option("--log", "names", multiple=True, metavar="NAME",
              help="What torch says of it, as with TORCH_LOGS=NAME: graph_breaks, guards, recompiles, "
              "graph_code, aot_graphs, fusion, schedule, output_code, or all.")  # fmt: skip
@click.option("--again", multiple=True, metavar="SPEC,SPEC",
              help="The inputs of one more call, with commas between; once for each call. What each "
              "call had compiled, and why, is the stage log:recompiles.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
def xray_command(
    what: str, inputs: tuple[str, ...], target: str | None, stage: str | None, backward: bool,
    names: tuple[str, ...], again: tuple[str, ...], as_json: bool,
) -> int:  # fmt: skip
    """Show every stage of NAME in FILE on its way to the GPU, which need not be there.

    NAME is a function, a torch.nn.Module or a @triton.jit kernel. Status 0: every stage was had;
    1: the code failed; 2: the call is wrong; 3: this machine lacks something.
    """
    from tutor.commands.configured import config
    from tutor.judge.client import environment
    from tutor.judge.xray import XrayDone, collected, once

    request = _request(what, inputs, target or config().target, stage, backward, names, again)
    events: list[Event] = []
    progress = Progress()

    def show(event: Event) -> None:
        events.append(event)
        if isinstance(event, Link):
            return
        with progress.paused(event):
            if not as_json and isinstance(event, Stage):
                _print(event, stage)

    done: XrayDone | None = None
    refused: UsageError | CannotHere | None = None
    try:
        done = once(request, environment(), show)
    except (UsageError, CannotHere) as error:
        refused = error
    finally:
        progress.end()
    if as_json and (done or events):
        if refused:
            events.append(Failure("", str(refused)))
        found = collected(request.target, done, events)
        click.echo(json.dumps(found.to_json(), ensure_ascii=False))
    if refused:
        raise refused
    for failure in (event for event in events if isinstance(event, Failure)):
        where = f"{failure.stage}: " if failure.stage else ""
        click.echo(f"tutor: {where}{failure.sentence}", err=True)
    assert done is not None
    return done.status


def _request(
    what: str, inputs: tuple[str, ...], target: str, stage: str | None, backward: bool,
    names: tuple[str, ...], again: tuple[str, ...],
) -> Request:  # fmt: skip
    """The call as a request. Raises `UsageError` for what can be told without running anything."""
    from tutor.xray.logs import chosen
    from tutor.xray.specs import parse_inputs, split_inputs
    from tutor.xray.targets import target as target_named

    file, separator, name = what.rpartition("::")
    if not separator or not file or not name:
        raise UsageError(f"{what} names no function: write FILE::NAME, such as kernels.py::add")
    parse_inputs(inputs)
    target_named(target)
    path = Path(file)
    calls = tuple(split_inputs(call) for call in again)
    for call in calls:
        parse_inputs(call)
    return Request(
        os.path.abspath(path), name, inputs, target, stage, backward, read_text(path),
        logs=chosen(names), again=calls,
    )  # fmt: skip


def _print(stage: Stage, only: str | None) -> None:
    if only and stage.name not in (only, "log"):
        return
    if only and not stage.kernel:
        click.echo(stage.text.rstrip("\n"))
        return
    click.echo(f"{_LINE}\n{stage.key}  {stage.title}  ({stage.ms:.0f} ms)")
    for note in stage.notes:
        click.echo(f"  {note}")
    click.echo(f"\n{stage.text.rstrip()}\n")


class Progress:
    """A line on a terminal's stderr, renewed every half second, that says how far it is.

    Nothing where stderr is no terminal.
    """

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._began = time.monotonic()
        self._stages = 0
        self._kernels: set[str] = set()
        self._last = ""
        self._shown = False
        if self._terminal:
            threading.Thread(target=self._tick, daemon=True).start()

    @contextmanager
    def paused(self, event: Event) -> Iterator[None]:
        """No line while the event is printed; then one that counts it."""
        with self._lock:
            self._clear()
            yield
            if isinstance(event, Stage):
                self._stages += 1
                self._last = f", {event.key}"
                if event.name in KERNEL_STAGES:
                    self._kernels.add(event.kernel)
            self._write()

    def end(self) -> None:
        self._over.set()
        with self._lock:
            self._clear()

    def _tick(self) -> None:
        while not self._over.wait(0.5):
            with self._lock:
                if not self._over.is_set():
                    self._write()

    def _write(self) -> None:
        if not self._terminal:
            return
        self._clear()
        kernels = f" of {len(self._kernels)} kernels" if len(self._kernels) > 1 else ""
        found = f"{self._stages} stages{kernels}{self._last}" if self._stages else "starting"
        sys.stderr.write(f"{time.monotonic() - self._began:.0f} s: {found} …"[:78])
        sys.stderr.flush()
        self._shown = True

    def _clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False
