"""The access map: what each program of the learner's kernel loads and stores, stepped with the keys."""

from collections.abc import Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.base.number_text import plural
from tutor.judge.model.access_map import AccessMap, AccessStep, Launch, Tensor
from tutor.judge.model.verdict import WrongExample
from tutor.judge.reports import access_map_text
from tutor.ui.kit.core.judge_call import JudgeCall, Turn
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.inline_markdown import style_code
from tutor.ui.kit.text.phrases import hang_after_mark
from tutor.ui.kit.text.safe_text import limit_text, make_visible
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar

# Columns of a tensor; if not all tensors fit, those around the chosen one are shown.
_NARROWEST = 34
_LABELS = 11  # columns of the numbers before the rows
_STYLES = {
    f"{access_map_text.LOADED}+": "bold $background on $secondary",
    f"{access_map_text.LOADED.lower()}+": "bold $secondary",
    f"{access_map_text.STORED}+": "bold $background on $accent",
    f"{access_map_text.STORED.lower()}+": "bold $accent",
    f"{access_map_text.BOTH}+": "bold $background on $success",
    f"{access_map_text.BOTH.lower()}+": "bold $success",
    f"{access_map_text.RACE}+": "bold $background on $error",
}


class AccessScreen(TutorScreen):
    """The learner's source is run in the judge when the screen opens; `case` names one of the
    exercise's cases, "" leaves the choice to the judge. `example` is that of the last verdict on the
    source, and then a case as well."""

    BINDINGS = bindings("access")
    AUTO_FOCUS = None
    DEFAULT_CSS = """
    AccessScreen VerticalScroll { height: 1fr; padding: 0 1; }
    """

    def __init__(
        self,
        slug: str,
        source: str,
        filename: str,
        case: str = "",
        example: WrongExample | None = None,
        program: tuple[int, int, int] = (0, 0, 0),
        launch: int = 0,
        step: int | None = None,
    ) -> None:
        """Create the screen. It opens at a program of a launch, perhaps at one of its accesses."""
        super().__init__()
        self._begin = (launch, program, step)
        self.example = example
        self.slug, self.source, self.filename = slug, source, filename
        self.case = case
        self.access_map: AccessMap | None = None
        self.launch_at = 0
        self.program = (0, 0, 0)
        self.step_at: int | None = None  # of the program's loads and stores; None: all of them
        self.tensor_at = 0
        self._call: JudgeCall[AccessMap] = JudgeCall(self, "The access map")

    def compose(self) -> ComposeResult:
        yield Bar()
        with VerticalScroll(can_focus=False):
            yield Static(id="map", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self._ask()

    def on_resize(self) -> None:
        self._draw()

    def on_unmount(self) -> None:
        self._call.stop()

    # ---- the map

    def _ask(self) -> None:
        self.access_map = None
        self._draw("Running it in the interpreter …")
        ask = partial(
            self.tutor.judge.access,
            self.slug,
            self.source,
            self.filename,
            self.case,
            self.example,
        )

        def end(trouble: str) -> None:
            if trouble:
                self._draw(trouble)

        self._call.start(Turn(lambda: [ask()], lambda maps: self.show_map(maps[0]), end))

    def show_map(self, access_map: AccessMap) -> None:
        self.access_map = access_map
        launch_at, program, step_at = self._begin
        self._begin = (0, (0, 0, 0), None)  # of another case, from its first program on
        self.launch_at = launch_at if launch_at < len(access_map.launches) else 0
        self.program = program
        self._all_steps()
        self.tensor_at = first_tensor(access_map.launches[self.launch_at])
        if step_at is not None and step_at < len(self.steps):
            self.step_at, self.tensor_at = step_at, self.steps[step_at].tensor
        self._draw()

    @property
    def launch(self) -> Launch | None:
        return self.access_map.launches[self.launch_at] if self.access_map else None

    @property
    def steps(self) -> tuple[AccessStep, ...]:
        """The loads and stores of the program that is shown."""
        one = access_map_text.program_of(self.launch, self.program) if self.launch else None
        return one.steps if one else ()

    def _all_steps(self) -> None:
        self.step_at, self.tensor_at = None, 0

    # ---- drawing

    def keys_changed(self) -> None:
        if self.access_map:
            self._draw()

    def _draw(self, otherwise: str = "") -> None:
        access_map, launch = self.access_map, self.launch
        case = f"case “{make_visible(access_map.case)}”" if access_map else ""
        self.query_one(Bar).show(Content.assemble((self.slug, "bold"), " · access map"), case)
        shown = Content(limit_text(otherwise, lines=5))
        if access_map and launch:
            shown = self._page(access_map, launch)
        self.query_one("#map", Static).update(shown)
        self.refresh_bindings()

    def _page(self, access_map: AccessMap, launch: Launch) -> Content:
        blocks = [style_code(line) for line in access_map_text.summarize_launch(access_map, launch)]
        blocks.append(self._program(access_map, launch))
        blocks.append(Content(""))
        blocks += self._tensors(launch)
        return Content("\n").join(blocks)

    def _program(self, access_map: AccessMap, launch: Launch) -> Content:
        one = access_map_text.program_of(launch, self.program)
        words = access_map_text.program_words(access_map, launch, self.program)
        lines, width = [Content.styled(words, "bold")], self.size.width - 4
        if one is None:
            return lines[0]
        room = 4 if self.size.height < 30 else 9
        at = self.step_at or 0
        first = max(0, min(at - room // 2, len(one.steps) - room))
        for i, step in enumerate(one.steps[first : first + room], first):
            chosen = self.step_at in (None, i)
            row = limit_text(access_map_text.step_words(launch, step), lines=1)
            style = "$error" if step.outside else "" if chosen else "$foreground 70%"
            mark = "▸ " if self.step_at == i else "  "
            text = Content.styled(row, style)
            lines.append(hang_after_mark(Content.styled(mark, "$primary"), text, width))
        hidden = len(one.steps) + one.left_out - min(room, len(one.steps))
        if hidden:
            before, after = (key_of(self, f"access.{name}") for name in ("step_before", "step"))
            words = f"  … {hidden} more; {before} and {after} step through them"
            lines.append(Content.styled(words, "dim"))
        if self.step_at is not None and (
            at_line := access_map_text.code_of(one.steps[self.step_at], self.source)
        ):
            number, code = (limit_text(text, lines=1, columns=200) for text in at_line)
            lines.append(Content.assemble((f"{number}  ", "dim"), (code, "$accent")))
        return Content("\n").join(lines)

    def _tensors(self, launch: Launch) -> list[Content]:
        """As many tensors as fit side by side, with the chosen one among them, and the legend."""
        width = self.size.width - 4
        fit = max(1, min(len(launch.tensors), width // _NARROWEST))
        first = max(0, min(self.tensor_at - fit // 2, len(launch.tensors) - fit))
        tensor_width = width // fit
        steps = self.steps if self.step_at is None else self.steps[self.step_at : self.step_at + 1]
        rows = max(4, min(24, self.size.height - 17))
        columns, marks = [], set()
        for i, tensor in enumerate(launch.tensors[first : first + fit], first):
            on_it = access_map_text.steps_on(launch, steps, tensor)
            drawn = access_map_text.draw_tensor(
                tensor, on_it, rows, max(1, min(64, tensor_width - _LABELS - 2))
            )
            marks |= drawn.marks
            columns.append(_column(tensor, drawn, chosen=i == self.tensor_at))
        out = _beside(columns, tensor_width)
        if fit < len(launch.tensors):
            key = key_of(self, "access.tensor")
            words = f"{fit} of {len(launch.tensors)} tensors · {key}: next"
            out.append(Content.styled(words, "dim"))
        others = access_map_text.say_others(launch, all_shown=self.step_at is None)
        out.append(Content.styled(access_map_text.legend(marks, others), "$foreground 70%"))
        return out

    # ---- keys

    def label_now(self, action: str) -> str | None:
        """Leave out of the footer what has nothing to show: one program, tensor or case, no access."""
        if self.access_map is None or self.launch is None:
            return None if action == "app.pop_screen" else ""
        counts = {
            "program(0, 1)": self.launch.grid[0] - 1,
            "step(1)": len(self.steps),
            "tensor(1)": len(self.launch.tensors) - 1,
            "case": len(self.access_map.cases) - 1,
        }
        return None if counts.get(action, 1) > 0 else ""

    def action_program(self, axis: int, step: int) -> None:
        """Show the next program along an axis of the grid, or the previous one."""
        if not self.launch:
            return
        size, here = self.launch.grid[axis], self.program[axis]
        if not 0 <= here + step < size:
            name = "xyz"[axis]
            self.say(f"The grid has {plural(size, 'program')} along {name}.")
            return
        moved = list(self.program)
        moved[axis] += step
        self.program = (moved[0], moved[1], moved[2])
        if self.step_at is not None and self.step_at >= len(self.steps):
            self._all_steps()
        self._draw()

    def action_step(self, by: int) -> None:
        """Show only the next or previous load or store of the program; all of them before the first."""
        at = (-1 if self.step_at is None else self.step_at) + by
        if not self.steps or at >= len(self.steps):
            return
        if at < 0:
            self._all_steps()
        else:
            self.step_at, self.tensor_at = at, self.steps[at].tensor
        self._draw()

    def action_tensor(self, by: int) -> None:
        if self.launch and self.launch.tensors:
            self.tensor_at = (self.tensor_at + by) % len(self.launch.tensors)
            self._draw()

    def action_launch(self) -> None:
        """Show the next kernel that the function launched."""
        if self.access_map and len(self.access_map.launches) > 1:
            self.launch_at = (self.launch_at + 1) % len(self.access_map.launches)
            self.program = (0, 0, 0)
            self._all_steps()
            self._draw()
        else:
            self.say("It launches one kernel, once.")

    def action_scroll(self, by: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)

    def action_case(self) -> None:
        if not self.access_map:
            return
        cases = self.access_map.cases

        def choose(at: int | None) -> None:
            if at is not None:
                self.case = cases[at]
                self._ask()

        here = cases.index(self.access_map.case) if self.access_map.case in cases else 0
        lines = [Content(make_visible(name)) for name in cases]
        self.app.push_screen(ChooseScreen("Which case", lines, here, "chooses"), choose)


def first_tensor(launch: Launch) -> int:
    """The tensor to look at first: one that is accessed outside, else one that is stored into, else
    the last, which is where a kernel's output stands."""
    steps = [step for program in launch.programs for step in program.steps]
    outside = (step.tensor for step in steps if step.outside)
    stored = (step.tensor for step in steps if step.kind != "load")
    return next(outside, next(stored, len(launch.tensors) - 1))


def _column(tensor: Tensor, drawn: access_map_text.Drawing, *, chosen: bool) -> list[Content]:
    mark = "▸ " if chosen else "  "
    title = Content.assemble((mark, "$primary"), access_map_text.tensor_title(tensor))
    lines = [title.stylize("bold") if chosen else title]
    for row in drawn.rows:
        line = Content(f"  {row}").stylize("$foreground 70%")
        for marks, style in _STYLES.items():
            line = line.highlight_regex(marks, style=style)
        lines.append(line)
    return lines + [Content.styled(f"  {note}", "$foreground 70%") for note in drawn.notes]


def _beside(columns: Sequence[list[Content]], width: int) -> list[Content]:
    """The columns of lines side by side, each of `width` columns."""
    out = []
    for at in range(max(map(len, columns), default=0)):
        row = [
            (column[at] if at < len(column) else Content("")).truncate(
                width - 1, ellipsis=True, pad=True
            )
            for column in columns
        ]
        out.append(Content(" ").join(row))
    return out
