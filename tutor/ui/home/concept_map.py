"""The screen with the ideas of a phase as boxes and arrows; the arrow keys move between them.

Asked first, it shows an idea's text and days only once the learner has said what it means.
"""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.geometry import Region
from textual.message import Message
from textual.widgets import Static

from tutor.course.catalog.concept_map import ConceptMap
from tutor.ui.home.concept_layout import Chart, join_arrows, lay_out_map, neighbour
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.inline_markdown import style_inline
from tutor.ui.kit.text.phrases import ROMAN
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar


class Drawing(Static):
    """The map as text. A click on it is told with its column and row."""

    class Clicked(Message):
        def __init__(self, column: int, row: int) -> None:
            super().__init__()
            self.column, self.row = column, row

    def on_click(self, event: Click) -> None:
        event.stop()
        self.post_message(self.Clicked(event.x, event.y))


class ConceptMapScreen(TutorScreen):
    """One idea is selected; below the drawing stands what the map says of it."""

    CSS_PATH = "concept_map.tcss"
    BINDINGS = bindings("ideas")
    AUTO_FOCUS = None

    def __init__(self, concepts: ConceptMap, asking: bool = False) -> None:
        """`asking`: an idea is shown only when the learner asks for it, as on a checkpoint day."""
        super().__init__()
        self.concepts = concepts
        self.here = concepts.nodes[0].id
        self.asking = asking
        self._seen: set[str] = set()  # the ideas shown since the asking began

    def compose(self) -> ComposeResult:
        yield Bar()
        with VerticalScroll(id="chart", can_focus=False):
            yield Drawing(id="drawing", markup=False)
        yield Static(id="about", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        read = self.tutor.record.statistics.day_progress()
        for node in self.concepts.nodes:  # begin at the first idea whose days are not all read
            if any(day not in read for day in node.days):
                self.here = node.id
                break
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    @property
    def chart(self) -> Chart:
        room = self.app.size.height - 9
        gap = 2 if room >= 5 * max(node.row for node in self.concepts.nodes) else 1
        return lay_out_map(self.concepts, self.app.size.width - 2, gap)

    def _draw(self) -> None:
        chart = self.chart
        self.query_one("#drawing", Static).update(drawing(chart, self.here))
        self.query_one("#about", Static).update(self._about())
        self._bring_into_sight()
        # A longer text leaves the drawing less room.
        self.call_after_refresh(self._bring_into_sight)
        phase = f"Phase {ROMAN.get(self.concepts.phase, self.concepts.phase)}"
        walked = f"{len(self._seen)} of {len(self.concepts.nodes)} ideas · " if self.asking else ""
        self.query_one(Bar).show(self.concepts.title, f"{walked}{phase}")

    def _bring_into_sight(self) -> None:
        box = self.chart.boxes[self.here]
        around = Region(box.x, max(0, box.y - 1), box.width, box.height + 2)
        self.query_one("#chart").scroll_to_region(around, animate=False, force=True)

    def _about(self) -> Content:
        node = self.concepts.node(self.here)
        if self.asking and node.id not in self._seen:
            ask = "Say what this idea means, and which day taught it."
            told = f"{key_of(self, 'ideas.show')} shows both."
            title = Content.styled(make_visible(node.title), "bold")
            return Content("\n").join(
                [title, Content(ask), Content.styled(told, "$foreground 70%")]
            )
        days = ", ".join(map(str, node.days))
        plural = "s" if len(node.days) > 1 else ""
        leads = [self.concepts.node(one).title for one in node.to]
        comes = [n.title for n in self.concepts.nodes if node.id in n.to]
        links = [f"→ {', '.join(leads)}" if leads else "", f"← {', '.join(comes)}" if comes else ""]
        return Content("\n").join(
            [
                Content.assemble(
                    (make_visible(node.title), "bold"), (f"  Day{plural} {days}", "$primary")
                ),
                style_inline(node.text),
                Content.styled(make_visible("   ".join(filter(None, links))), "$foreground 70%"),
            ]
        )

    def action_walk(self, way: int) -> None:
        self.here = neighbour(self.chart, self.here, way)
        self._draw()

    def on_drawing_clicked(self, event: Drawing.Clicked) -> None:
        """Select the idea of the box that was clicked. A click on the selected one opens its page."""
        for id_, box in self.chart.boxes.items():
            if 0 <= event.column - box.x < box.width and 0 <= event.row - box.y < box.height:
                if id_ == self.here:
                    self.action_open()
                else:
                    self.here = id_
                    self._draw()
                return

    def action_open(self) -> None:
        self.tutor.open(self.concepts.node(self.here).page)

    def action_show(self) -> None:
        """Show the idea that was asked for. Where nothing is asked, begin to ask."""
        if not self.asking:
            self.asking = True
            self._seen.clear()
        else:
            self._seen.add(self.here)
        self._draw()

    def keys_changed(self) -> None:
        self._draw()

    def action_phase(self, step: int) -> None:
        """Show the map of another phase, if there is one."""
        phase = self.concepts.phase + step
        if phase in self.tutor.course.phases:
            other = self.tutor.course.concept_map(phase)
            if other is not None:
                self.app.switch_screen(ConceptMapScreen(other, self.asking))
                return
        self.say("No ideas are drawn there yet.")


def drawing(chart: Chart, here: str) -> Content:
    """The whole map as text; the box at `here`, its arrows and their targets are highlighted."""
    rows = [[" "] * chart.width for _ in range(chart.height)]
    styles: dict[int, list[tuple[int, int, str]]] = {}
    for (x, y), line in chart.lines.items():
        rows[y][x] = line
    mine = tuple(a for a in chart.arrows if here in (a.source, a.target))
    for x, y in join_arrows(mine):  # in colour, and still joined to the other lines
        styles.setdefault(y, []).append((x, x + 1, "bold $accent"))
    linked = {a.target for a in mine} | {a.source for a in mine}
    for box in chart.boxes.values():
        frame = "┏━┓┃┗┛" if box.node.id == here else "┌─┐│└┘"
        inner = box.width - 2
        texts = [frame[0] + frame[1] * inner + frame[2]]
        texts += [f"{frame[3]}{make_visible(line):^{inner}}{frame[3]}" for line in box.lines]
        texts += [frame[4] + frame[1] * inner + frame[5]]
        style = "$foreground 80%"
        if box.node.id == here:
            style = "bold $block-cursor-foreground on $block-cursor-background"
        elif box.node.id in linked:
            style = "bold $accent"
        for i, text in enumerate(texts):
            rows[box.y + i][box.x : box.x + box.width] = text
            styles.setdefault(box.y + i, []).append((box.x, box.x + box.width, style))
    lines = []
    for y, row in enumerate(rows):
        drawn = Content("".join(row)).stylize("$foreground 70%")
        for start, end, style in styles.get(y, ()):
            drawn = drawn.stylize(style, start, end)
        lines.append(drawn)
    return Content("\n").join(lines)
