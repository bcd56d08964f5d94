"""`tutor xray`: every stage of a function or kernel, from Python to machine code."""

import json
import os
from dataclasses import replace
from pathlib import Path

import click

from tutor.base import atomic_files, paths
from tutor.base.config import Config, load_config
from tutor.base.errors import CannotHere, MissingInputs, UsageError
from tutor.base.runner_table import Runner
from tutor.commands.support.cold_start import cold_option
from tutor.commands.support.config_faults import tell_faults
from tutor.commands.support.learner_file import check_new_file, read_learner_text
from tutor.commands.support.progress_line import ProgressLine
from tutor.commands.support.runner_option import runner_option
from tutor.hardware.gpus import target as target_named
from tutor.xray.model.by_hand import by_hand
from tutor.xray.model.comparison import Comparison, compare_compilers
from tutor.xray.model.comparison_table import format_comparison
from tutor.xray.model.compiler import (
    COMPILERS,
    INDUCTOR,
    Compiler,
    choose_compilers,
    find_compilers,
)
from tutor.xray.model.control_codes import put_controls
from tutor.xray.model.stages import Event, Failure, Link, Omission, Request, Stage, XrayDone

_LINE = "─" * 78


@click.command("xray")
@click.argument("what", metavar="FILE::NAME")
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="SPEC",
    help="One argument: f32[1024,1024], f32[s0,32] or f32[s0=10,32] (a symbol), f32[8,4][1,8] "
    "(strides), f16[64,128]@[32,64] (a descriptor, for a kernel), torch.float16 or tl.float32 (a "
    "dtype), or a Python literal; once for each. A name may stand before it: BLOCK=1024, and "
    "for a kernel num_warps=8.",
)
@click.option(
    "--target",
    help="sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120, gfx942, a "
    "product: H200, or cpu; without it the "
    "one in the settings.",
)
@click.option(
    "--compiler",
    metavar="NAME,NAME",
    default="inductor",
    help="inductor, tvm, mlir, xla, iree, onnx, or all: what lowers the function. Of several, one table "
    "at the end compares what they made. All but inductor lower for the CPU unless --target names a "
    "GPU; beside others, inductor does both (inductor-cpu is the one for the CPU).",
)
@click.option("--stage", help="Stop after this stage; in plain output, print only it.")
@click.option("--backward", is_flag=True, help="A training step: the backward pass as well.")
@click.option(
    "--log",
    "names",
    multiple=True,
    metavar="NAME",
    help="What torch says of it, as with TORCH_LOGS=NAME: graph_breaks, guards, recompiles, "
    "graph_code, aot_graphs, fusion, schedule, output_code, or all.",
)
@click.option(
    "--again",
    multiple=True,
    metavar="SPEC,SPEC",
    help="The inputs of one more call, with commas between; once for each call. What each "
    "call had compiled, and why, is the stage log:recompiles.",
)
@click.option(
    "--passes", is_flag=True, help="Of each kernel, TTGIR pass by pass, as the stage passes."
)
@click.option(
    "--without",
    multiple=True,
    metavar="PASS",
    help="Of each kernel, what it is without this pass of Triton's: counts side by side, then the "
    "difference of the first stage that is another (or of --stage). all: every pass in turn.",
)
@click.option(
    "--lanes",
    is_flag=True,
    help="Of each kernel, which warp and lane hold which element of each tile, and what a conversion of "
    "layouts moves.",
)
@click.option(
    "--stalls",
    is_flag=True,
    help="Before each instruction of SASS, its control code: cycles until the next may issue, → the "
    "barrier of its result, · that of its operands, ← those it waits for.",
)
@click.option(
    "--repro",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT",
    help="Write a Python file that repeats the compilation without tutor.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@runner_option
@cold_option
def xray_command(
    what: str,
    inputs: tuple[str, ...],
    target: str | None,
    compiler: str,
    stage: str | None,
    backward: bool,
    names: tuple[str, ...],
    again: tuple[str, ...],
    passes: bool,
    without: tuple[str, ...],
    lanes: bool,
    stalls: bool,
    repro: Path | None,
    as_json: bool,
    runner: Runner | None,
    cold: bool,
) -> int:
    """Show every stage of NAME in FILE on its way to the GPU, which need not be there.

    NAME is a function, a torch.nn.Module or a @triton.jit kernel. Status 0: every stage is there;
    1: the code failed; 2: the call is wrong; 3: this machine lacks something.
    """
    gpu = target if target and target != "cpu" else _config().target
    if without and (passes or again or names):
        raise UsageError("--without stands alone: leave --passes, --again and --log out")
    if lanes and (without or (stage and stage != "ttgir")):
        raise UsageError("--lanes tells of the stage ttgir: leave --without and --stage out")
    last = "ttgir" if lanes else None if without else stage
    request = _request(what, inputs, gpu, last, backward, names, again)
    check_new_file(repro)
    compilers = _compilers(compiler, target, stage)
    request = replace(
        request,
        passes=passes,
        without=without,
        repro=repro is not None,
        compilers=tuple(one.name for one in compilers),
        others_for=target_named(gpu).arch if target == gpu else "cpu",
    )
    quiet = as_json or len(compilers) > 1 or bool(without) or lanes
    shown = _Shown(repro, None if quiet else stage or "", stalls)
    done, refused = shown.run(request, runner, cold)
    if as_json and (done or shown.events):
        _print_json(request, done, refused, shown.events, lanes)
    if isinstance(refused, MissingInputs) and not inputs:
        raise UsageError(f"{refused}. Give --input once for each, such as --input 'f32[64,64]'")
    if refused:
        raise refused
    if len(compilers) > 1 and not as_json:
        for line in format_comparison(_compare(request, shown.events), request.name):
            click.echo(line)
        click.echo("\nThe stages of one: --compiler NAME. All of them: --json.")
    lowered = any(isinstance(event, Stage) and event.name == "ttgir" for event in shown.events)
    if (lanes or without) and not lowered and done is not None and not done.status:
        click.echo(f"tutor: {request.name} becomes no Triton kernel", err=True)
    if lanes and not as_json:
        _print_lanes(request, shown.events)
    if without and not as_json:
        _print_omissions(request, shown.events, stage)
    places: dict[str, list[str]] = {}  # sentence -> stages; `tvm/` is all of TVM
    for failure in (event for event in shown.events if isinstance(event, Failure)):
        places.setdefault(failure.sentence, []).append(failure.stage.rstrip("/"))
    for sentence, stages in places.items():
        where = ", ".join(filter(None, stages))
        click.echo(f"tutor: {where}{': ' * bool(where)}{sentence}", err=True)
    assert done is not None
    return done.status


class _Shown:
    """The events of one request. Stages are printed as they come: all of them where `only` is "",
    one where it names it, none where it is None. A reproduction is written to `repro`. `stalls` puts
    the control codes of SASS before its instructions."""

    def __init__(self, repro: Path | None, only: str | None, stalls: bool) -> None:
        self.events: list[Event] = []
        self._repro, self._only, self._stalls = repro, only, stalls
        self._progress = ProgressLine("starting")

    def run(
        self, request: Request, runner: Runner | None, cold: bool
    ) -> tuple[XrayDone | None, UsageError | CannotHere | None]:
        """Return the end of the X-ray, and the error that ended it early."""
        from tutor.judge.client import Judge

        done: XrayDone | None = None
        try:
            root = paths.course_root()
            with (
                self._progress,
                Judge(root, cold=cold, preload=not cold, runner=runner) as judge,
            ):
                for event in judge.xray(request):
                    if isinstance(event, XrayDone):
                        done = event
                    else:
                        self._take(event)
        except (UsageError, CannotHere) as error:
            return done, error
        return done, None

    def _take(self, event: Event) -> None:
        if self._repro and isinstance(event, Stage) and event.name == "repro":
            atomic_files.write(self._repro, event.text)
            click.echo(f"The reproduction is in {self._repro}.", err=True)
            return
        self.events.append(event)
        if isinstance(event, Link):
            return
        self._progress.refine(_describe_progress(self.events))
        if self._only is not None and isinstance(event, Stage):
            with self._progress.pause():
                _print(event, self._only, self._stalls)


def _print_json(
    request: Request,
    done: XrayDone | None,
    refused: UsageError | CannotHere | None,
    events: list[Event],
    lanes: bool = False,
) -> None:
    from tutor.judge.xray_relay import collect_xray
    from tutor.xray.model.lane_words import views_to_json

    if refused:
        events = [*events, Failure("", str(refused))]
    if "all" in request.without:  # the texts would be megabytes
        events = [replace(e, texts=()) if isinstance(e, Omission) else e for e in events]
    value = collect_xray(request.target, done, events).to_json()
    if lanes:
        texts = {e.kernel: e.text for e in events if isinstance(e, Stage) and e.name == "ttgir"}
        value["lanes"] = {kernel: views_to_json(text) for kernel, text in texts.items()}
    if len(request.compilers) > 1:
        value["comparison"] = _compare(request, events).to_json()
    click.echo(json.dumps(value, ensure_ascii=False))


def _compilers(names: str, target: str | None, stage: str | None) -> tuple[Compiler, ...]:
    """Return the compilers meant. Raises `UsageError`; a stage belongs to one compiler."""
    chosen = (
        tuple(COMPILERS) if names == "all" else tuple(part.strip() for part in names.split(","))
    )
    compilers = find_compilers(choose_compilers(chosen, target))
    if stage and len(compilers) > 1:
        raise UsageError("--stage belongs to one compiler: name one, or leave --stage out")
    return compilers


def _compare(request: Request, events: list[Event]) -> Comparison:
    compilers = find_compilers(request.compilers)
    return compare_compilers(compilers, events, (request.target, request.others_for))


def _config() -> Config:
    """Load the settings; print each fault as one line on stderr; the default applies."""
    loaded = load_config()
    tell_faults(loaded.faults)
    return loaded.config


def _request(
    what: str,
    inputs: tuple[str, ...],
    target: str,
    stage: str | None,
    backward: bool,
    names: tuple[str, ...],
    again: tuple[str, ...],
) -> Request:
    """Return the call as a request. Raises `UsageError` for faults that show without running it."""
    from tutor.xray.model.input_specs import parse_inputs, split_inputs
    from tutor.xray.model.log_channels import chosen

    file, separator, name = what.rpartition("::")
    if not separator or not file or not name:
        if (where := file if separator else what) and not os.path.exists(where):
            raise UsageError(f"{where} does not exist; write FILE::NAME, such as kernels.py::add")
        raise UsageError(f"{what} names no function: write FILE::NAME, such as kernels.py::add")
    given = parse_inputs(inputs)
    target_named(target)
    path = Path(file)
    calls = tuple(parse_inputs(split_inputs(call)) for call in again)
    return Request(
        os.path.abspath(path),
        name,
        given,
        target,
        stage,
        backward,
        read_learner_text(path),
        logs=chosen(names),
        again=calls,
    )


def _print(stage: Stage, only: str, stalls: bool) -> None:
    if only and stage.name not in (only, "log"):
        return
    if stalls and stage.controls:
        text = "\n".join(put_controls(stage.text.split("\n"), stage.controls))
        stage = replace(stage, text=text)
    if only and not stage.kernel:
        click.echo(stage.text.rstrip("\n"))
        return
    click.echo(f"{_LINE}\n{stage.key}  {stage.title}  ({stage.ms:.0f} ms)")
    for note in stage.notes:
        click.echo(f"  {note}")
    if command := by_hand(stage):
        lines = command.split("\n")
        split = "\n      " if len(lines) > 1 else " "
        click.echo(f"  Without tutor:{split}" + "\n      ".join(lines))
    click.echo(f"\n{stage.text.rstrip()}\n")


def _print_lanes(request: Request, events: list[Event]) -> None:
    from tutor.xray.model.lane_words import format_lanes

    for event in events:
        if isinstance(event, Stage) and event.name == "ttgir":
            click.echo(f"{event.kernel} for {request.target}: which warp:lane holds which element")
            for line in format_lanes(event.text):
                click.echo(line)


def _print_omissions(request: Request, events: list[Event], stage: str | None) -> None:
    """Print the table of each kernel, and where few passes were left out what differs without them."""
    from tutor.xray.model import omission_table as table

    rows = [event for event in events if isinstance(event, Omission)]
    stages = {(e.kernel, e.name): e for e in events if isinstance(e, Stage)}
    for kernel in dict.fromkeys(row.kernel for row in rows):
        own = sorted((row for row in rows if row.kernel == kernel), key=lambda row: row.place)
        click.echo(f"{kernel} for {request.target}: what it is without one of Triton's passes\n")
        for line in table.format_rows(own):
            click.echo(line)
        if idle := table.describe_idle(own):
            click.echo(f"\nThe same without each of these. {idle}")
        click.echo("\n" + "\n".join(table.legend_of(own[0])))
        if "all" in request.without:
            continue
        for row in own[1:]:
            click.echo(
                f"\n{row.stage} {table.title_of(row)}. {table.describe_changes(row, own[0])}"
            )
            _print_difference(row, stages, stage)


def _print_difference(
    row: Omission, stages: dict[tuple[str, str], Stage], stage: str | None
) -> None:
    """Print how the stage that is wanted differs without the pass, else the first that does."""
    from tutor.xray.model.stage_diff import diff

    texts = dict(row.texts)
    name = stage if stage in texts else next(iter(texts), "")
    if not name or (row.kernel, name) not in stages:
        return
    if stage and stage not in texts:
        click.echo(f"The stage {stage} is not another; {name} is.")
    whole = stages[row.kernel, name]
    difference = diff(texts[name], whole.text, whole.language)
    signs = {"added": "+", "removed": "-"}
    click.echo(f"\n{name}: - without {row.name}, + with it\n")
    for place, line in enumerate(difference.lines or ("Nothing but names differs.",)):
        click.echo(f"{signs.get(difference.marks.get(place, ''), ' ')} {line}".rstrip())


def _describe_progress(events: list[Event]) -> str:
    """Describe the progress: `7 stages of 2 kernels, ttir:add_kernel`."""
    rows = [event for event in events if isinstance(event, Omission)]
    if rows:
        return f"{sum(row.place > 0 for row in rows)} of {rows[-1].of} passes, {rows[-1].kernel}"
    stages = [event for event in events if isinstance(event, Stage)]
    if not stages:
        return "starting"
    kernels = {stage.kernel for stage in stages if stage.name in INDUCTOR.unit_stages}
    of = f" of {len(kernels)} kernels" if len(kernels) > 1 else ""
    return f"{len(stages)} stages{of}, {stages[-1].key}"
