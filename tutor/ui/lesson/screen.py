"""A lesson: one section a page, cells that run, predictions asked before the cell that tells."""

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from tutor.course.catalog.unwritten_days import absent, meanwhile
from tutor.course.model import Block, Cell, Look
from tutor.course.model import Prose as Text
from tutor.course.reading.faults import CourseFault
from tutor.judge.live_cells import definitions
from tutor.memory import lesson_finished
from tutor.ui.cells.cell_view import CellView
from tutor.ui.kit.dialogs.choose import ChooseScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.keys.key_text import Named
from tutor.ui.kit.text.inline_markdown import inline
from tutor.ui.kit.text.phrases import progress_marks
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.markdown import Prose
from tutor.ui.lesson.page import Page, Section
from tutor.ui.lesson.prediction_view import PredictionView
from tutor.ui.lesson.reader_tools import BOOKMARK, NOTE, LessonTools, NoteView
from tutor.ui.question.drafts import keep_drafts, view_of
from tutor.ui.quizzes import quiz_screen


class LessonScreen(LessonTools):
    CSS_PATH = "screen.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("lesson")
    AUTO_FOCUS = "Page"

    def __init__(self, day: int, start: str = "") -> None:
        """`start`: the slug of the section to begin at; without it, where the reader left."""
        super().__init__()
        self.day = day
        self.section = 0
        self._begin_at = start

    def compose(self) -> ComposeResult:
        yield Bar()
        yield Page()
        yield Footer()

    async def on_mount(self) -> None:
        await self._open(self.day)

    def on_screen_resume(self) -> None:
        """Back from a place where a bookmark or a note of this lesson may have changed."""
        if self.session:
            self.show_bar()

    # ---- pages

    async def _open(self, day: int) -> None:
        lesson = self.tutor.course.lesson(day)
        if lesson is None:
            self.say(meanwhile(self.tutor.course, day, places=False))
            return
        self.day, self.lesson = day, lesson
        self.begin(lesson)
        place = min(self.tutor.record.activity.position(day), len(lesson.sections) - 1)
        slugs = [section.slug for section in lesson.sections]
        await self.show_section(slugs.index(self._begin_at) if self._begin_at in slugs else place)
        self._begin_at = ""

    async def show_section(self, index: int, row: float = 0) -> None:
        """Section `index`, from its `row` on."""
        self.put_away()
        self.section = index
        self.show_bar()
        page = self.query_one(Page)
        page.focus()
        ready = page.prepared((self.day, index))
        await page.show(self._section(index, ready), self._build, row)
        self.call_after_refresh(self._settle_in, self.day, index)

    async def _settle_in(self, day: int, index: int) -> None:
        """Once the page is on the screen: keep the place, and have the next section ready."""
        if (self.day, self.section) != (day, index) or self.is_left:
            return  # the reader has gone on meanwhile
        self.tutor.record.activity.set_position(day, index)
        if index + 1 < len(self.lesson.sections):
            await self.query_one(Page).prepare(self._section(index + 1), self._build)

    def _section(self, index: int, ready: bool = False) -> Section:
        """Section `index` for the page; `ready`: its widgets are mounted, so none are made."""
        lesson = self.lesson
        section = lesson.sections[index]
        key = (self.day, index)
        if ready:
            return Section(key, (), 0, (), ())
        head: list[Widget] = []
        if index == 0 and lesson.objectives:
            goals = "\n".join(f"- {goal}" for goal in lesson.objectives)
            head.append(Prose(f"**By the end you can**\n\n{goals}"))
        if section.title and section.title != lesson.title:
            head.append(Static(inline(section.title), classes="section-title", markup=False))
        tail: list[Widget] = [NoteView(self.note_of(section))]
        if index == len(lesson.sections) - 1:
            tail.append(Named(self._what_next, classes="what-next"))
        head_rows = 2 + (2 * len(lesson.objectives) if index == 0 else 0)
        return Section(key, tuple(head), head_rows, section.blocks, tuple(tail))

    def _build(self, block: Block) -> Widget:
        if isinstance(block, Text):
            return Prose(block.text, self.lesson.sources, self.lesson.path.parent)
        if isinstance(block, Cell):
            return CellView(block, len(self.lesson.cells), self.visit.run_of(block))
        question = block.question
        if said := self.visit.answered.get(question.id):
            grade = self.visit.grades.get(question.id)
            return PredictionView(question, said.value, grade, said.right)
        return view_of(self.tutor.record, question, ask_confidence=False)

    def put_away(self) -> None:
        keep_drafts(self)

    def show_bar(self) -> None:
        course, lesson = self.tutor.course, self.lesson
        day = next(d for d in course.days if d.day == self.day)
        read = self.tutor.record.activity.read_sections(self.day)
        of = len(lesson.sections)
        marked = (self.day, self.here.slug) in self.tutor.record.notes.bookmarks(self.day)
        marks = BOOKMARK if marked else ""
        marks += NOTE if self.note_of(self.here) else ""
        self.query_one(Bar).set_rows(
            (
                Content.assemble((f"Day {self.day}", "bold $primary"), f" · {lesson.title}"),
                Content.assemble(
                    (f"{marks}  " if marks else "", "bold $accent"),
                    f"section {self.section + 1} of {of}",
                ),
            ),
            (
                Content.styled(
                    f"{course.phases.get(day.phase, '')} · week {day.week} · {lesson.minutes} min",
                    "$foreground 70%",
                ),
                progress_marks(read, self.section, of),
            ),
        )

    def _what_next(self) -> Content:
        course = self.tutor.course
        lines = [Content.styled(f"The end of Day {self.day}.", "bold")]
        if slugs := self._exercises():
            lines.append(self._way_on("lesson.kernels", f"write {', '.join(slugs)}"))
        if quiz := course.quiz(self.day):
            count = len(quiz.questions)
            lines.append(self._way_on("lesson.quiz", f"answer {count} questions"))
        if any(day.day == self.day + 1 and day.written for day in course.overview().days):
            lines.append(self._way_on("lesson.next_day", f"go on to Day {self.day + 1}"))
        if self.lesson.sources:
            lines.append(self._way_on("lesson.sources", "the sources this day cites"))
        return Content("\n").join(lines)

    def _way_on(self, action_id: str, does: str) -> Content:
        return Content.assemble((f"{key_of(self, action_id):<2} ", "bold $primary"), does)

    def _exercises(self) -> list[str]:
        overview = self.tutor.course.overview()
        return [e.slug for e in overview.exercises if e.day == self.day]

    @on(Page.EndSeen)
    def end_seen(self) -> None:
        self._read(self.section)

    def _read(self, section: int) -> None:
        if section not in self.tutor.record.activity.read_sections(self.day):
            self.tutor.record.activity.section_read(self.day, section)
            self.show_bar()
            if len(self.tutor.record.activity.read_sections(self.day)) >= len(self.lesson.sections):
                self._finished(self.day)

    @work(thread=True, group="finished", exit_on_error=False)
    def _finished(self, day: int) -> None:
        """Its questions and terms become cards; a thread, for it may read the whole course."""
        lesson_finished(self.tutor.record, self.tutor.course, day)

    # ---- keys

    async def action_turn(self, step: int) -> None:
        left = self.section
        if 0 <= left + step < len(self.lesson.sections):
            await self.show_section(left + step)
        elif step > 0:
            ways = (
                f"{key_of(self, 'lesson.kernels')}: its kernels.",
                f"{key_of(self, 'lesson.quiz')}: its questions.",
                f"{key_of(self, 'lesson.next_day')}: the next day.",
            )
            self.say(f"That was Day {self.day}. {' '.join(ways)}")
        if step > 0:  # kept once the next page is shown: a commit waits for the disk
            self.call_after_refresh(self._read, left)

    async def action_page(self, step: int) -> None:
        page = self.query_one(Page)
        if step > 0 and page.at_end:
            await self.action_turn(1)
        elif step < 0 and page.scroll_y <= 0:
            await self.action_turn(-1)
        else:
            page.scroll_relative(y=step * max(page.size.height - 2, 1), animate=False)

    def action_line(self, step: int) -> None:
        self.query_one(Page).scroll_relative(y=step, animate=False)

    def action_end(self, step: int) -> None:
        page = self.query_one(Page)
        page.scroll_end(animate=False) if step > 0 else page.scroll_home(animate=False)

    async def action_day(self, step: int) -> None:
        try:
            await self._open(self.day + step)
        except CourseFault:
            self.tutor.open_lesson(self.day + step)  # which shows the mistakes in their places

    def action_kernels(self) -> None:
        slugs = self._exercises()
        if not slugs:
            self.say(f"Day {self.day} has no kernel to write.")
        elif len(slugs) == 1:
            self.tutor.open_lab(slugs[0])
        else:
            lines = [Content(slug) for slug in slugs]
            self.app.push_screen(
                ChooseScreen("Kernels", lines),
                lambda index: None if index is None else self.tutor.open_lab(slugs[index]),
            )

    def action_quiz(self) -> None:
        quiz = self.tutor.course.quiz(self.day)
        if quiz is None:
            self.say(f"Day {self.day} has no questions of its own.")
        else:
            self.app.push_screen(quiz_screen(quiz))

    def action_ladder(self) -> None:
        """The cell in focus, else the first on this page that defines a function."""
        from tutor.ui.ladder.model.subject import Subject, last_function
        from tutor.ui.ladder.screen import LadderScreen

        here = self.focused
        views = [here] if isinstance(here, CellView) else self.query_one(Page).sheet.query(CellView)
        for cell in [view.cell for view in views]:
            function = last_function(cell.code)
            if function is None:
                continue
            look = cell.xray or Look()
            subject = Subject(
                "cell.py",
                definitions("\n".join([*(c.code for c in self.visit.before(cell)), cell.code])),
                look.name or function.name,
                look.inputs,
                look.target,
                look.backward,
            )
            self.app.push_screen(LadderScreen(subject))
            return
        self.say("No cell here defines a function to lower.")

    def action_sources(self) -> None:
        course = self.tutor.course
        lines = [Content(f"{s.title} ({s.version}) {s.url}") for s in self.lesson.sources]
        lines += [Content(meanwhile(course, day)) for day in absent(course, self.lesson)]
        if lines:
            self.app.push_screen(ChooseScreen("Sources", lines))

    async def action_escape(self) -> None:
        """Stop a cell; leave a question; back to where a link was followed; back to where this lesson
        was opened."""
        page = self.query_one(Page)
        if self.running:
            self.stop_cell()
        elif self.focused is not page:
            page.focus()
        elif not await self.come_back():
            self.put_away()
            self.app.pop_screen()

    async def action_home(self) -> None:
        """Away from all lessons: one may have led to another."""
        while isinstance(self.app.screen, LessonScreen):
            self.app.screen.put_away()
            await self.app.pop_screen()
