"""What a reader does beside reading: bookmarks, notes, words explained, links followed, text copied."""

from collections.abc import Iterator
from typing import NamedTuple

from textual import on
from textual.content import Content
from textual.widgets import Markdown, Static

from tutor.base.errors import UsageError
from tutor.course.model import Block, Cell, Lesson, Prose, Section
from tutor.course.reading.links import Link, links_in
from tutor.course.reading.markdown_blocks import tokens
from tutor.ui.cells.cell_view import CellView
from tutor.ui.kit.dialogs.choose import ChooseScreen
from tutor.ui.kit.dialogs.note import NoteScreen
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.phrases import cut, plural
from tutor.ui.kit.text.safe_text import bounded, visible
from tutor.ui.lesson.cells import LiveCells
from tutor.ui.lesson.pace import section_minutes
from tutor.ui.lesson.page import Page
from tutor.ui.lesson.section_terms import ideas_in, terms_in
from tutor.ui.routes import go

BOOKMARK, NOTE = "◆", "✎"
_TITLE_COLUMNS = 46


class Copied(NamedTuple):
    what: str
    text: str


class Came(NamedTuple):
    """Where a jump inside the lesson began."""

    section: int
    row: float


class NoteView(Static):
    """The learner's note under a section; nothing where there is none."""

    DEFAULT_CSS = """
    NoteView {
        height: auto; margin: 0 1 1 1; padding: 0 1;
        border-left: thick $primary; background: $surface;
    }
    """

    def __init__(self, text: str) -> None:
        super().__init__(markup=False)
        self.show_note(text)

    def keys_changed(self) -> None:
        self.show_note(self._text)

    def show_note(self, text: str) -> None:
        self._text = text
        how = f"  {key_of(self, 'lesson.note')} edits"
        head = Content.assemble((f"{NOTE} Your note", "bold $primary"), (how, "$foreground 70%"))
        self.update(Content("\n").join([head, Content(bounded(text, columns=4_000))]))
        self.display = bool(text)


class LessonTools(LiveCells):
    """`day`, `lesson` and `section` are the lesson's; a jump keeps in `came` where it began."""

    day: int
    lesson: Lesson
    section: int

    def __init__(self) -> None:
        super().__init__()
        self.came: list[Came] = []

    @property
    def here(self) -> Section:
        return self.lesson.sections[self.section]

    async def show_section(self, index: int, row: float = 0) -> None:
        raise NotImplementedError

    def show_bar(self) -> None:
        raise NotImplementedError

    # ---- contents

    def action_contents(self) -> None:
        record, lesson = self.tutor.record, self.lesson
        read = record.activity.read_sections(self.day)
        marked = {slug for _, slug in record.notes.bookmarks(self.day)}
        noted = {note.slug for note in record.notes.section_notes(self.day)}
        lines = [
            Content.assemble(
                ("✓ " if index in read else "  ", "$success"),
                cut(visible(section.title), _TITLE_COLUMNS).ljust(_TITLE_COLUMNS),
                (f" {BOOKMARK if section.slug in marked else ' '}", "$accent"),
                (f"{NOTE if section.slug in noted else ' '}", "$primary"),
                (f"{minutes:>4} min", "$foreground 70%"),
            )
            for index, (section, minutes) in enumerate(
                zip(lesson.sections, section_minutes(lesson), strict=True)
            )
        ]
        title = f"Contents: ✓ read, {BOOKMARK} bookmark, {NOTE} note"
        self.app.push_screen(ChooseScreen(title, lines, self.section), self._chosen_section)

    async def _chosen_section(self, index: int | None) -> None:
        if index is not None:
            await self.show_section(index)

    # ---- bookmarks and notes

    def action_bookmark(self) -> None:
        slug = self.here.slug
        marked = (self.day, slug) not in self.tutor.record.notes.bookmarks(self.day)
        self.tutor.record.notes.set_bookmark(self.day, slug, marked)
        self.show_bar()
        every = key_of(self, "lesson.bookmarks")
        self.say(f"Bookmark set. {every} lists them all." if marked else "Bookmark taken away.")

    def note_of(self, section: Section) -> str:
        notes = self.tutor.record.notes.section_notes(self.day)
        return next((note.text for note in notes if note.slug == section.slug), "")

    def action_note(self) -> None:
        self._write_note(self.day, self.here, self.note_of(self.here))

    def _write_note(self, day: int, section: Section, text: str) -> None:
        def keep(new: str) -> None:
            try:
                self.tutor.record.notes.write(day, section.slug, new)
            except UsageError as error:  # the disk is full: what was written stays in the editor
                self.say(str(error), wrong=True)
                self._write_note(day, section, new)
                return
            for view in self.query_one(Page).sheet.query(NoteView):
                view.show_note(new)
                view.scroll_visible(animate=False)
            self.show_bar()
            self.say("Your note is kept." if new else "Your note is taken away.")

        self.app.push_screen(NoteScreen(text, "Your note to this section", keep))

    # ---- words

    def action_words(self) -> None:
        """The glossary's terms and the map's ideas that occur in this section."""
        course = self.tutor.course
        phase = next((day.phase for day in course.days if day.day == self.day), 0)
        try:
            chart = course.concept_map(phase)
            terms = terms_in(course.glossary(), self.here)
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        ideas = ideas_in(chart.nodes, self.here) if chart else ()
        targets = [f"term:{term.id}" for term in terms]
        targets += [f"idea:{phase}/{idea.id}" for idea in ideas]
        lines = [_word(term.term, term.says) for term in terms]
        lines += [_word(idea.title, idea.text) for idea in ideas]
        if not targets:
            self.say("No word of the glossary stands in this section.")
            return
        self._choose("Words of this section", lines, targets)

    # ---- links

    def action_links(self) -> None:
        links = [
            link
            for link in links_in(self.here, self.lesson.sources)
            if link.target != f"day:{self.day}" and self._exists(link.target)
        ]
        if not links:
            self.say("This section leads nowhere else.")
            return
        lines = [self._link_line(link) for link in links]
        self._choose("Where this section leads", lines, [link.target for link in links])

    def _exists(self, target: str) -> bool:
        kind, _, name = target.partition(":")
        return kind != "day" or any(str(day.day) == name for day in self.tutor.course.days)

    def _link_line(self, link: Link) -> Content:
        kind, _, name = link.target.partition(":")
        if kind == "day":
            about = next(day for day in self.tutor.course.overview().days if str(day.day) == name)
            state = "" if about.written else "  not written yet"
            return Content.assemble(
                f"Day {name} · {visible(about.title)}", (state, "$foreground 70%")
            )
        if kind == "source":
            source = next((s for s in self.lesson.sources if s.id == name), None)
            words = source.title if source else name
            return Content.assemble(("cites  ", "$foreground 70%"), cut(visible(words), 54))
        return Content.assemble(
            (f"{kind}  ", "$foreground 70%"), cut(visible(link.text or link.target), 54)
        )

    def _choose(self, title: str, lines: list[Content], targets: list[str]) -> None:
        async def chosen(index: int | None) -> None:
            if index is not None:
                await self.open_target(targets[index])

        self.app.push_screen(ChooseScreen(title, lines), chosen)

    @on(Markdown.LinkClicked)
    async def follow(self, event: Markdown.LinkClicked) -> None:
        await self.open_target(event.href)

    async def open_target(self, target: str) -> None:
        """A section of this lesson is jumped to and a citation says what it cites; everything else
        opens above this screen, so that its cells stay as they are. Escape comes back."""
        kind, _, name = target.partition(":")
        day, _, slug = name.partition("/")
        slugs = [section.slug for section in self.lesson.sections]
        if kind == "source":
            source = next((s for s in self.lesson.sources if s.id == name), None)
            self.say(f"{source.title} ({source.version})\n{source.url}" if source else target)
        elif kind == "lesson" and day == str(self.day) and slug in slugs:
            self.came.append(Came(self.section, self.query_one(Page).scroll_y))
            await self.show_section(slugs.index(slug))
        elif target == f"day:{self.day}":
            self.say("This is the day.")
        else:
            go(self.tutor, target)

    async def come_back(self) -> bool:
        """To where the newest jump began; False where there was none."""
        if not self.came:
            return False
        section, row = self.came.pop()
        await self.show_section(section, row)
        return True

    # ---- copying

    def action_copy(self) -> None:
        """A cell's code or output, or a block of code in the text; of the cell in focus, if one is."""
        focused = self.focused
        blocks = (focused.cell,) if isinstance(focused, CellView) else self.here.blocks
        found = [copied for block in blocks for copied in self._to_copy(block)]
        if not found:
            self.say("There is no code in this section to copy.")
        elif len(found) == 1:
            self.copy(found[0].text, found[0].what)
        else:
            lines = [_copy_line(each) for each in found]
            self.app.push_screen(
                ChooseScreen("Copy", lines, does="copies"),
                lambda index: (
                    None if index is None else self.copy(found[index].text, found[index].what)
                ),
            )

    def _to_copy(self, block: Block) -> Iterator[Copied]:
        if isinstance(block, Cell):
            yield Copied(f"Cell {block.index}", block.code.rstrip("\n") + "\n")
            run = self.visit.run_of(block)
            if output := "\n".join(filter(None, (run.output.text(), run.error))):
                yield Copied(f"Output of cell {block.index}", output + "\n")
        elif isinstance(block, Prose):
            for token in tokens(block.text):
                if token.type in ("fence", "code_block"):
                    yield Copied("The block", token.content)


def _word(name: str, says: str) -> Content:
    return Content.assemble(
        (visible(name), "bold $accent"), "  ", cut(visible(says.replace("`", "")), 120)
    )


def _copy_line(copied: Copied) -> Content:
    first = next((line for line in copied.text.split("\n") if line.strip()), "")
    count = plural(copied.text.rstrip("\n").count("\n") + 1, "line")
    return Content.assemble(
        (f"{copied.what}, {count}  ", "bold"), (cut(visible(first.strip()), 40), "$foreground 70%")
    )
