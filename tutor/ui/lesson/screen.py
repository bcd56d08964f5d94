"""A lesson: one section a page, cells that run, predictions asked before the cell that tells."""

from functools import partial
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Markdown

from tutor.base.day_text import say_not_written
from tutor.base.errors import UsageError
from tutor.course.catalog.day_exercises import exercises_of, projects_of
from tutor.course.catalog.overview import find_written_neighbour, list_unwritten_between
from tutor.course.catalog.unwritten_days import explain_unwritten_day
from tutor.course.model import Cell, Look
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.locations import lesson_files
from tutor.judge.live_cells import definitions
from tutor.memory.course_sync import enter_lesson
from tutor.memory.project_choice import exercises_to_do
from tutor.ui.cells.cell_view import CellView
from tutor.ui.kit.core.screen import go_home, is_kept
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.dialogs.kernels import choose_kernel
from tutor.ui.kit.dialogs.note import NoteScreen
from tutor.ui.kit.dialogs.projects import choose_project
from tutor.ui.kit.dialogs.sources import SourcesScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.phrases import progress_marks
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.lesson import reader_tools
from tutor.ui.lesson.cells import LessonCells
from tutor.ui.lesson.contents_list import BESIDE, ContentsList
from tutor.ui.lesson.day_end import DayEnd
from tutor.ui.lesson.model_answer import ModelAnswer
from tutor.ui.lesson.note_view import NOTE, NoteView
from tutor.ui.lesson.page import Page
from tutor.ui.lesson.reader_tools import BOOKMARK, SectionPlace, Way
from tutor.ui.lesson.section_builder import SectionBuilder
from tutor.ui.question.drafts import DraftingScreen
from tutor.ui.question.question_view import QuestionView


class LessonScreen(DraftingScreen):
    """`cells` are the live half of the lesson; a jump keeps the section and row where it began."""

    CSS_PATH = "screen.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("lesson")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (BESIDE, "-contents")]  # noqa: RUF012
    AUTO_FOCUS = "Page"

    def __init__(self, day: int, start: str = "") -> None:
        """`start`: the slug or title of the section to begin at, "" for where the reader left."""
        super().__init__()
        self.day = day
        self.section = 0
        self.cells = LessonCells(self)
        self._jumps: list[tuple[int, int, int]] = []
        self._begin_at = start
        self._pages_on = 0  # asked for while the page is not laid out

    def compose(self) -> ComposeResult:
        yield Bar()
        with Horizontal():
            yield ContentsList()
            yield Page()
        yield Footer()

    async def on_mount(self) -> None:
        await self._open(self.day)

    def on_screen_resume(self) -> None:
        """Back from a place where a bookmark or a note of this lesson may have changed."""
        self._follow_record()

    async def record_changed(self) -> None:
        self._follow_record()

    def _follow_record(self) -> None:
        if self.cells.session:
            self.show_bar()
            self._update_end()

    def on_unmount(self) -> None:
        self.cells.end_session()

    @property
    def here(self) -> SectionPlace:
        return SectionPlace(self.lesson, self.section)

    # ---- pages

    async def _open(self, day: int) -> None:
        lesson = self.tutor.course.lesson(day)
        if lesson is None:
            self.say(explain_unwritten_day(self.tutor.course, day, places=False))
            return
        self.day, self.lesson = day, self.cells.begin(lesson)
        self._overview = next(d for d in self.tutor.course.overview().days if d.day == day)
        self._builder = SectionBuilder(self, self._overview, self.lesson, self.cells)
        ends = self._overview.sitting_ends
        place = self.tutor.record.activity.place_to_go_on(day, ends)
        named = (i for i, s in enumerate(lesson.sections) if self._begin_at in (s.slug, s.title))
        begin = next(named, place)
        left = (0, 0) if self._begin_at else reader_tools.read_row(day, begin)
        await self.show_section(begin, *left)
        self._begin_at = ""

    async def show_section(self, index: int, row: int = 0, rows: int = 0) -> None:
        """Section `index`, from its `row` on, of so many `rows` (`Page.show`)."""
        self.put_away()
        self.section, self._pages_on = index, 0
        self.show_bar()
        page = self.query_one(Page)
        page.focus()
        ready = page.is_prepared((self.day, index))
        await page.show(self._builder.section(index, ready), self._builder.build, row, rows)
        self.call_after_refresh(self._settle_in, self.day, index)

    async def _settle_in(self, day: int, index: int) -> None:
        """Once the page is on the screen: keep the place, and have the next section ready."""
        if (self.day, self.section) != (day, index) or self.is_left:
            return  # the reader has gone on meanwhile
        is_kept(self, partial(self.tutor.record.activity.set_position, day, index))
        if index + 1 < len(self.lesson.sections):
            await self.query_one(Page).prepare(
                self._builder.section(index + 1), self._builder.build
            )
        self.refresh_bindings()  # a section without cells has none to run

    action_section = show_section

    def put_away(self) -> None:
        super().put_away()
        self.keep_row()

    @on(Page.Moved)
    def keep_row(self) -> None:
        """Keep the row at the top of the page, where the reader comes back to."""
        page = self.query_one(Page)
        if page.complete:  # else it is still on its way to the row
            reader_tools.keep_row(*page.key, round(page.scroll_y), page.virtual_size.height)

    def show_bar(self) -> None:
        self.query_one(ContentsList).show_place(self.tutor.record, self.lesson, self.section)
        course, lesson = self.tutor.course, self.lesson
        day = next(d for d in course.days if d.day == self.day)
        record, here, of = self.tutor.record, self.here, len(lesson.sections)
        read = record.activity.read_sections(self.day)
        sitting = self._overview.sitting_words(self.section)
        brief = f"{sitting} · week {day.week}"
        long = f"{brief} · {course.phases.get(day.phase, '')}"
        marks = BOOKMARK if reader_tools.is_marked(record, here) else ""
        marks += NOTE if reader_tools.note_at(record, here) else ""
        self.query_one(Bar).show(
            Content.assemble((f"Day {self.day}", "bold $primary"), f" · {lesson.title}"),
            Content.assemble(
                (f"{marks}  " if marks else "", "bold $accent"),
                f"section {self.section + 1} of {of}",
            ),
            (
                tuple(Content.styled(text, "$foreground 70%") for text in (long, brief, sitting)),
                progress_marks(read, self.section, of),
            ),
        )

    @on(Page.LaidOut)
    async def go_on(self) -> None:
        """Turn as many pages on as were asked for while the page was laid out."""
        pages, self._pages_on = self._pages_on, 0
        for _ in range(pages):
            await self.action_page(1)

    @on(Page.EndSeen)
    def record_read(self, event: Page.EndSeen) -> None:
        activity, (day, section) = self.tutor.record.activity, event.key
        if day == self.day and section not in activity.read_sections(day):
            is_kept(self, partial(activity.section_read, day, section))
            self.show_bar()
            if len(activity.read_sections(day)) >= len(self.lesson.sections):
                self._finish_day(day)
        self._update_end()

    def _update_end(self) -> None:
        for end in self.query(DayEnd):
            end.show_again()

    @work(thread=True, group="finished", exit_on_error=False)
    def _finish_day(self, day: int) -> None:
        """Its questions and terms become cards; a thread, for it may read the whole course."""
        enter_lesson(self.tutor.record, self.tutor.course, day)
        self.app.call_from_thread(self._update_end)

    # ---- cells and predictions

    @on(CellView.Run)
    def run_cell(self, event: CellView.Run) -> None:
        self.cells.run(event.cell)

    def action_run(self) -> None:
        """Run the cell in focus or the first on this page that has not run, or ask a question."""
        sheet = self.query_one(Page).sheet
        views = sorted(sheet.query(CellView), key=lambda view: view is not self.focused)
        self.cells.run_next((view.cell for view in views), self._open_question)

    @property
    def asked(self) -> QuestionView | None:
        """The prediction that has the keyboard."""
        around = self.focused.ancestors_with_self if self.focused else []
        views = (node for node in around if isinstance(node, QuestionView))
        return next((view for view in views if view.stage == "answering"), None)

    @property
    def _open_question(self) -> QuestionView | ModelAnswer | None:
        """The question of this page that takes an answer, or answer that is to be compared: the first
        one in sight, else the first.

        None as long as the screen has no page yet: the footer asks for its keys before.
        """
        for page in self.query(Page):
            views = (
                view
                for view in page.sheet.query("QuestionView, ModelAnswer")
                if isinstance(view, QuestionView | ModelAnswer) and view.is_open
            )
            return min(views, key=page.rank_of_sight, default=None)
        return None

    def label_now(self, action: str) -> str | None:
        """The key that runs cells answers a question where none is left to run; the first page has none
        before it, the last none after it."""
        if action == "turn(-1)":
            return None if self.section else ""
        if action == "turn(1)" and self.cells.session:
            return None if self.section + 1 < len(self.lesson.sections) else ""
        if action != "run" or not self.cells.session:
            return None
        cells = (block for block in self.here.section.blocks if isinstance(block, Cell))
        if any(map(self.cells.is_to_run, cells)):
            return None
        return "answer" if self._open_question else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "give_up":
            return self.asked is not None
        if action == "answer":
            view = self._open_question if self.asked is None else None
            return view is not None and not view.has_focus_within
        if action == "kernels":
            return bool(exercises_to_do(self.tutor.course, self.tutor.record, self.day))
        if action == "run":
            if not self.cells.session:
                return False
            has_cell = any(isinstance(block, Cell) for block in self.here.section.blocks)
            return has_cell or self._open_question is not None
        if action == "retry":
            return bool(self.cells.session and self.cells.settled_on(self.here.section))
        if action == "of_day" and parameters == ("report",):
            return bool(self.cells.session and self.lesson.milestones)
        if action == "project":
            return len(projects_of(self.tutor.course.overview(), self.day)) > 1
        return super().check_action(action, parameters)

    def action_retry(self) -> None:
        self.cells.retry(self.here.section)

    def action_answer(self) -> None:
        """Go to the question of this page, or back to the one that Escape left."""
        if view := self._open_question:
            view.start()
            self.call_after_refresh(view.show_note)

    def action_give_up(self) -> None:
        if view := self.asked:
            view.give_up()

    @on(QuestionView.Answered)
    def take_prediction(self, event: QuestionView.Answered) -> None:
        self.cells.take_prediction(event)

    @on(ModelAnswer.Compared)
    def take_comparison(self, event: ModelAnswer.Compared) -> None:
        self.cells.take_comparison(event)

    # ---- bookmarks and notes

    def action_bookmark(self) -> None:
        record, here = self.tutor.record, self.here
        marked = not reader_tools.is_marked(record, here)
        set_bookmark = partial(record.notes.set_bookmark, self.day, here.section.slug, marked)
        if not is_kept(self, set_bookmark):
            return
        self.show_bar()
        every = key_of(self, "lesson.bookmarks")
        self.say(f"Bookmark set. {every} lists them all." if marked else "Bookmark removed.")

    def action_note(self) -> None:
        self._write_note(self.here, reader_tools.note_at(self.tutor.record, self.here))

    def _write_note(self, place: SectionPlace, text: str) -> None:
        def keep(new: str) -> None:
            try:
                self.tutor.record.notes.write(place.day, place.section.slug, new)
            except UsageError as error:  # the disk is full: what was written stays in the editor
                self.say(str(error), wrong=True)
                self._write_note(place, new)
                return
            for view in self.query_one(Page).sheet.query(NoteView):
                view.show_note(new)
            self.show_bar()
            self.say("Note saved: it stands below this section." if new else "Note removed.")

        note = NoteScreen(
            text, f"{place.day}/{place.section.slug}", "Your note to this section", keep
        )
        self.app.push_screen(note)

    # ---- contents, words, links

    def action_contents(self) -> None:
        async def chosen(index: int | None) -> None:
            if index is not None:
                await self.show_section(index)

        title = f"Contents: ✓ read, {BOOKMARK} bookmark, {NOTE} note"
        lines = reader_tools.contents(self.tutor.record, self.tutor.course, self.lesson)
        self.app.push_screen(ChooseScreen(title, lines, self.section), chosen)

    def action_words(self) -> None:
        """List the glossary's terms and the map's ideas that occur in this section."""
        try:
            ways = reader_tools.words_at(self.tutor.course, self.here)
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        otherwise = "No word of the glossary stands in this section."
        self._choose("Terms and ideas of this section", ways, otherwise)

    def action_links(self) -> None:
        ways = reader_tools.links_at(self.tutor.course, self.here)
        self._choose("Where this section leads", ways, "This section leads nowhere else.")

    def _choose(self, title: str, ways: list[Way], otherwise: str) -> None:
        async def chosen(index: int | None) -> None:
            if index is not None:
                await self.open_target(ways[index].target)

        if ways:
            self.app.push_screen(ChooseScreen(title, [way.line for way in ways]), chosen)
        else:
            self.say(otherwise)

    @on(Markdown.LinkClicked)
    async def follow(self, event: Markdown.LinkClicked) -> None:
        await self.open_target(event.href)

    async def open_target(self, target: str) -> None:
        """Jump to a section of this lesson, show what a citation cites, and open everything else
        above this screen, so that its cells stay as they are. Escape comes back."""
        kind, _, name = target.partition(":")
        day, _, slug = name.partition("/")
        slugs = [section.slug for section in self.lesson.sections]
        if kind == "source":
            self.action_sources([source.id for source in self.lesson.sources].index(name))
        elif kind == "lesson" and day == str(self.day) and slug in slugs:
            page = self.query_one(Page)
            place = self.section, round(page.scroll_y), page.virtual_size.height
            self._jumps.append(place)
            await self.show_section(slugs.index(slug))
        elif target == f"day:{self.day}":
            self.say("This is the day.")
        else:
            ours = kind == "exercise" and name in exercises_of(self.tutor.course, self.day)
            self.tutor.open(f"{target}/{self.day}" if ours else target)

    def action_copy(self) -> None:
        """Copy a cell's code or output, or a block of code; of the cell in focus, if one is."""
        focused = self.focused
        blocks = (focused.cell,) if isinstance(focused, CellView) else self.here.section.blocks
        copies = list(reader_tools.find_copyable(blocks, self.cells.visit))

        def chosen(index: int | None) -> None:
            if index is not None:
                self.copy(copies[index].text, copies[index].what)

        if not copies:
            self.say("There is no code in this section to copy.")
        elif len(copies) == 1:
            chosen(0)
        else:
            lines = [reader_tools.copy_line(copied) for copied in copies]
            self.app.push_screen(ChooseScreen("Copy", lines, does="copies"), chosen)

    # ---- keys

    async def action_turn(self, step: int) -> None:
        if 0 <= self.section + step < len(self.lesson.sections):
            await self.show_section(self.section + step)
        elif step > 0:  # the ways on are below the last section
            page = self.query_one(Page)
            if page.complete and page.at_end:
                self.say(f"This is the end of Day {self.day}: the ways on are above.")
            page.scroll_end(animate=False)

    async def action_page(self, step: int) -> None:
        page = self.query_one(Page)
        if step > 0 and not page.complete:
            self._pages_on += 1
        elif step > 0 and page.at_end:
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
        """Open the next day that is written, or the one before; say why if there is none."""
        day = self.day + step
        if day not in lesson_files(self.tutor.course.root):  # a faulty one shows its mistakes
            days = self.tutor.course.overview().days
            following = find_written_neighbour(days, self.day, step)
            if following:
                day = following.day
                between = list_unwritten_between(days, *sorted((self.day, day)))
                if between:
                    self.say(say_not_written(between))
        try:
            await self._open(day)
        except CourseFault:
            self.tutor.open(f"lesson:{day}")  # which shows the mistakes in their places

    def action_kernels(self) -> None:
        choose_kernel(self, self.day)

    def action_project(self) -> None:
        """Choose among the day's projects."""
        choose_project(self, self.day, self._update_end)

    def action_of_day(self, kind: str) -> None:
        """Open the day's "misses" or "report"."""
        self.tutor.open(f"{kind}:{self.day}")

    def action_quiz(self) -> None:
        self.tutor.open(f"quiz:{self.day}")

    def action_ladder(self) -> None:
        """The cell in focus, else the first on this page that defines a function."""
        from tutor.xray.model.subject import Subject, last_function

        here = self.focused
        of_page = [view.cell for view in self.query_one(Page).sheet.query(CellView)]
        cells = [here.cell] if isinstance(here, CellView) else of_page
        for cell in cells:
            function = last_function(cell.code)
            if function is None:
                continue
            look = cell.xray or Look()
            codes = [earlier.code for earlier in (*self.cells.visit.before(cell), cell)]
            subject = Subject(
                "cell.py",
                definitions("\n".join(codes)),
                look.name or function.name,
                look.inputs,
                look.target,
                look.backward,
            )
            self.tutor.open("ladder", subject, "", self.cells.ran_cells(cell))
            return
        with_function = next((cell for cell in of_page if last_function(cell.code)), None)
        if with_function is None:
            self.say("No cell of this page defines a function to lower.")
        else:
            does = f"cell {with_function.index} of this page does"
            self.say(f"This cell defines no function to lower; {does}.")

    def action_sources(self, start: int = 0) -> None:
        notes = reader_tools.unwritten_notes(self.tutor.course, self.lesson)
        if self.lesson.sources or notes:
            self.app.push_screen(SourcesScreen(self.lesson.sources, notes, start))

    async def action_escape(self) -> None:
        """Stop a cell, leave a question, or go back to where a link or this lesson was opened."""
        page = self.query_one(Page)
        if self.cells.running:
            self.cells.stop()
        elif self.focused is not page:
            page.focus()
        elif self._jumps:
            await self.show_section(*self._jumps.pop())
        else:
            self.put_away()
            self.app.pop_screen()

    async def action_home(self) -> None:
        await go_home(self.app)
