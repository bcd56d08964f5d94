"""The ladder's texts: the bar, the lines under the stages, a list's rows. No screen."""

from collections.abc import Mapping
from dataclasses import dataclass

from textual.content import Content

from tutor.base.number_text import plural
from tutor.course.catalog.glossary import Term, TermMatch, explain, stage_term
from tutor.ui.kit.keys.key_labels import key_name, key_while_typing
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.ladder.model.stages import Ladder
from tutor.xray.model.compiler import COMPILERS, INDUCTOR
from tutor.xray.model.control_codes import describe_control, find_waits
from tutor.xray.model.stages import Stage
from tutor.xray.model.subject import Function, Subject


@dataclass(frozen=True)
class State:
    """The progress of the ladder. `against` names the compared version, or is ""; times in seconds."""

    running: bool
    against: str
    so_far: float
    took: float
    device: str


def status_row(
    subject: Subject, ladder: Ladder, state: State, keymap: Mapping[str, str]
) -> tuple[Content, Content]:
    """The two halves of the row at the top: the subject, and the progress."""
    inputs = limit_text(", ".join(subject.inputs), lines=1, columns=60)
    backward = " · backward" if subject.backward else ""
    what = Content.assemble(
        (limit_text(subject.name, lines=1, columns=40), "bold $primary"),
        f" · {_describe_target(subject)}{backward}",
        (f" · {inputs}" if inputs else "", "$foreground 70%"),
    )
    if state.running:
        doing = "comparing" if state.against else "lowering"
        stop = key_name("ladder.stop", keymap)
        return what, Content.styled(f"{doing} {state.so_far:.0f} s · {stop} stops", "$accent")
    if state.against:
        end = key_name("ladder.compare", keymap)
        return what, Content.styled(f"− {state.against} · + now · {end} ends", "$accent")
    if not ladder.made:
        return what, Content("")
    several = len(subject.compilers) > 1  # of them only one has kernels, and a GPU
    kernels = 0 if several else len(ladder.kernels)
    devices = {"pretend": "simulated GPU", "real": "real GPU"}
    parts = [devices.get(state.device, state.device)] if state.device and not several else []
    parts += [plural(len(ladder.made), "stage")]
    parts += [plural(kernels, "kernel")] if kernels else []
    parts += [f"{state.took:.1f} s"] if state.took else []
    return what, Content.styled(" · ".join(parts), "$foreground 70%")


def _describe_target(subject: Subject) -> str:
    """Describe by what and for what: `sm_90`, `tvm for cpu`, `6 compilers for cpu, 1 for sm_90`,
    `1 of 6 compilers for cpu` where the others are not installed.

    The numbers are those of the table's rows: Inductor has one for each of two targets.
    """
    if subject.compilers == (INDUCTOR.name,):
        return subject.target
    apart = INDUCTOR.name in subject.compilers and subject.target != subject.others_for
    names = [name for name in subject.compilers if not (apart and name == INDUCTOR.name)]
    by = names[0]
    if len(names) > 1:
        here = sum(COMPILERS[name].is_here() for name in names)
        by = (f"{here} of " if here < len(names) else "") + plural(len(names), "compiler")
    return f"{by} for {subject.others_for}" + (f", 1 for {subject.target}" if apart else "")


def explanation(
    terms: tuple[Term, ...], stage: Stage, line: str, column: int, breaks: str = "", waits: str = ""
) -> tuple[list[Content], TermMatch | None]:
    """A row on the stage, a row on the construct at `column` of `line` or else on the stage's notes; and
    that construct. `breaks` is the sentence of a graph break at the line. `waits` says what the
    instruction of SASS there waits for: the last row, in the place of that on the stage."""
    meaning = term_of(terms, stage)
    rows = [Content.styled(meaning.says if meaning else stage.title, "$foreground 70%")]
    match = explain(terms, line, column, stage.language)
    if breaks:
        rows.append(Content.styled(limit_text(breaks, lines=1, columns=600), "$error"))
    elif match:
        term = match.term
        source = (f"[{term.source}]", "$foreground 70%")
        rows.append(Content.assemble((term.term, "bold $accent"), f"  {term.says} ", source))
    elif notes := limit_text(" ".join(stage.notes), lines=1, columns=300):
        rows.append(Content(notes))
    if waits:
        rows = [*rows[1:], Content(waits)]
    return rows, match


def describe_waits(stage: Stage, line: int | None) -> str:
    """Say what the instruction of SASS on the line waits for, and what waits for it; "" for no such."""
    control = next((each for each in stage.controls if each.line == line), None)
    return describe_control(control, find_waits(stage.text, stage.controls)) if control else ""


def term_of(terms: tuple[Term, ...], stage: Stage) -> Term | None:
    """The glossary's entry for a stage, whichever compiler made it."""
    compiler = COMPILERS.get(stage.compiler)
    kind = compiler.stage(stage.name) if compiler else None
    if kind is None or not kind.term:
        return stage_term(terms, stage.name)
    return next((term for term in terms if term.id == kind.term), None)


def inputs_wanted(function: Function, keymap: Mapping[str, str]) -> Content:
    """The inputs that `function` needs before it can be lowered."""
    wanted = ", ".join(function.parameters) or "no arguments"
    return Content.assemble(
        (f"{function.name}({wanted})", "bold"),
        "  one input per argument, separated by spaces: f32[1024,1024] or a Python value. "
        f"Enter: begin · {key_while_typing('ladder.back', keymap)}: cancel",
    )


def function_row(function: Function) -> Content:
    """A row of the list of a text's functions."""
    return Content.assemble(
        (function.name, "bold"),
        f"({', '.join(function.parameters)})",
        ("  Triton kernel" if function.jit else "", "$accent"),
    )
