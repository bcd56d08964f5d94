"""The live half of a lesson: cells run by the judge, predictions settled, drills passed on."""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import count

from textual.timer import Timer
from textual.widget import Widget

from tutor.course.model import AskedQuestion, Cell, Drill, Lesson, Predict, Section, as_asked
from tutor.course.recordings import prints_recording
from tutor.judge import live_cells
from tutor.judge.client import CellDone
from tutor.memory.answers import GivenAnswer
from tutor.memory.kept_runs import KeptRun
from tutor.memory.question_choice import lesson_to_ask
from tutor.quiz import Grade, grade
from tutor.quiz.option_order import to_author_keys, to_labels
from tutor.ui.cells.cell_runs import CellRun, Prediction, PredictionOutcome, Visit
from tutor.ui.cells.cell_turn import cell_call, cell_turn
from tutor.ui.cells.cell_view import CellView
from tutor.ui.cells.ran_cells import RanCells
from tutor.ui.kit.core.screen import TutorScreen, is_kept
from tutor.ui.kit.keys.key_labels import key_of, keymap_of, with_keys
from tutor.ui.lesson.drills import LessonDrills
from tutor.ui.lesson.model_answer import ModelAnswer, RevealView, say_noted
from tutor.ui.lesson.page import Page
from tutor.ui.lesson.prediction_view import FoldedText, PredictionView, say_answer
from tutor.ui.question.drafts import make_view
from tutor.ui.question.question_view import QuestionView

_NUMBERS = count(1)


class LessonCells:
    """The cells and predictions of the lesson on `screen`. They share a session of the judge, which
    ends with the lesson.

    One cell runs at a time. `_queue` holds what runs now, and what was asked for after it.
    """

    visit: Visit

    def __init__(self, screen: TutorScreen) -> None:
        self.session = ""
        self._screen = screen
        self._queue: list[Cell] = []
        self._run = CellRun()
        self._note = ""
        self._recorded = False  # whether a cell of the queue has printed a recording
        self._call = cell_call(screen)
        self._clock: Timer | None = None
        self.drills = LessonDrills(screen)
        self._retried: list[str] = []  # predictions that are asked once more, the newest last

    @property
    def running(self) -> bool:
        return bool(self._queue) or self.drills.running

    def begin(self, lesson: Lesson) -> Lesson:
        """Begin a session for another lesson, with the predictions that are on record. Return the
        lesson as it is asked."""
        self.end_session()
        self._retried = []
        self.drills.begin(lesson)
        lesson = lesson_to_ask(lesson)
        # one lesson may be open twice: a link led from it to another, and back
        self.session = f"lesson-{lesson.day}-{next(_NUMBERS)}"
        if any(cell.mode == "both" for cell in lesson.cells):  # "interpret" is warm from the start
            warm = partial(self._screen.tutor.judge.warm_ahead, "both")
            self._screen.app.run_worker(warm, thread=True, group="judge", exit_on_error=False)
        answered = {}
        record = self._screen.tutor.record
        for predict in lesson.predictions:
            name = predict.question.id
            # A review of the same question is another answer: it leaves the prediction as it was.
            if last := record.activity.last_answer(name, prefer="predict"):
                value = to_labels(as_asked(predict.question), last.value)
                answered[name] = Prediction(value, right=last.right)
        kept = {}
        for cell in lesson.cells:
            if run := record.kept_runs.last(lesson.day, cell.index, _codes_to(lesson, cell)):
                kept[cell.index] = run
        has_gpu = self._screen.tutor.judge.may_have_gpu
        self.visit = Visit(lesson, answered, has_gpu=has_gpu, kept=kept)
        for predict in lesson.predictions:
            question = as_asked(predict.question)
            if question.id not in answered or question.reveal:
                continue
            if question.answer_from:
                self._grade_again(question, kept)
                continue
            in_words = isinstance(answered[question.id].value, str)  # not compared yet
            if not (in_words and self.visit.waits_in_words(question)):
                self.visit.grades[question.id] = grade(question, answered[question.id].value)
        return lesson

    def _grade_again(self, question: AskedQuestion, kept: Mapping[int, KeptRun]) -> None:
        """Grade a prediction by what its cell computed on an earlier visit."""
        said = self.visit.answered[question.id]
        cell = self.visit.settling_cell(question)
        run = kept.get(cell.index) if cell else None
        if said.right is not None and run and question.answer_from in run.values:
            computed = run.values[question.answer_from]
            self.visit.grades[question.id] = grade(question, said.value, computed=computed)

    def end_session(self) -> None:
        if not self.session:
            return
        self._call.stop()
        self.drills.end()
        self._stop_clock()
        self._queue = []
        end = partial(self._screen.tutor.judge.end_session, self.session)
        self._screen.app.run_worker(end, thread=True, group="judge", exit_on_error=False)
        self.session = ""

    # ---- cells

    def ran_cells(self, cell: Cell) -> RanCells:
        """The code of `cell` and of the cells that have run beside it, for the ladder's inputs."""
        same = (c for c in self.visit.lesson.cells if c.mode == cell.mode and c != cell)
        others = [c for c in same if self.visit.run_of(c).state == "ok"]
        return RanCells(self.session, cell.mode, tuple(c.code for c in (cell, *others)))

    def is_to_run(self, cell: Cell) -> bool:
        """Return True if the cell has not run on this visit, or its run failed."""
        return self.visit.run_of(cell).state in ("ready", "waiting", "failed", "kept")

    def run_next(self, cells: Iterable[Cell], question: QuestionView | ModelAnswer | None) -> None:
        """Run the first of `cells` that has not run, or go to the open `question`."""
        cell: Cell | None = None
        for cell in cells:
            if self.is_to_run(cell):
                self.run(cell)
                return
        if question:
            question.scroll_visible(animate=False)
            question.start()
        elif cell:
            again = "On one that has run, Enter runs it again."
            self._screen.say(f"No cell of this section is left to run. {again}")
        else:
            self._screen.say("No question of this section is open.")

    def run(self, cell: Cell) -> None:
        if self.running:
            self._screen.say(f"{self._busy} {key_of(self._screen, 'lesson.stop')} stops it.")
        elif self.visit.run_of(cell).state == "text":
            self._screen.say("This cell needs a CUDA GPU, and this machine has none.")
        elif question := self.visit.open_gate(cell):
            self._ask(question)
        else:
            self._queue = list(self.visit.to_run(cell))
            before = self._queue[:-1]
            untold = [earlier for earlier in before if self.visit.open_gate(earlier)]
            self._note = _cells_first("ran", before, untold)
            self._recorded = False
            if first := _cells_first("running", before, untold):
                for view in self._views(cell):
                    view.show(CellRun("running", note=first))
            self._start()

    def _say_settled(self, settled: Iterable[AskedQuestion]) -> None:
        """Tell of predictions that a cell has settled on the way to another one."""
        for question in settled:
            number, _ = self.visit.find_section(question)
            if told := self.visit.grades.get(question.id):
                said = self.visit.answered[question.id].value is not None
                word = "right" if told.right else "wrong" if said and told.right is False else ""
                how = f" was {word}" if word else " has its answer"
                self._screen.say(f"Your prediction in section {number}{how}: it stands there.")

    def _ask(self, question: AskedQuestion) -> None:
        for view in self._screen.query(QuestionView):
            if view.question.id == question.id:
                view.scroll_visible(animate=False)
                view.start()
                view.say(f"First predict: {with_keys(view.field.help, keymap_of(view))}")
                return
        number, section = self.visit.find_section(question)
        self._screen.say(
            f"This cell waits for your prediction in section {number}, {section.title}. "
            f"{key_of(self._screen, 'lesson.contents')} lists the sections."
        )

    def _start(self) -> None:
        """Run the first cell of the queue."""
        cell = self._queue[0]
        self._run = self.visit.start(cell, note=self._note if len(self._queue) == 1 else "")
        self._paint(cell)
        self._clock = self._screen.set_interval(1.0, self._tick)
        before = tuple(earlier.code for earlier in self.visit.before(cell))
        seconds = live_cells.SLOW_SECONDS if cell.slow else live_cells.SECONDS
        events = partial(
            live_cells.run_live_cell,
            self._screen.tutor.judge,
            self.session,
            cell,
            before,
            evaluate=self.visit.to_compute(cell),
            seconds=seconds,
        )
        paint, end = partial(self._paint, cell), partial(self._end_run, cell)
        self._call.start(cell_turn(self._run, events, paint, end))

    def _end_run(self, cell: Cell, done: CellDone) -> None:
        self._stop_clock()
        self._recorded |= prints_recording(self._run.output.text())
        if self._run.note and self._recorded:
            self._run.note = f"{self._note[:-1]}; what is marked as recorded ran elsewhere)"
        self.visit.end(cell, self._run, ok=done.ok, error=done.error, ms=done.ms, lost=done.lost)
        ran = self._screen.tutor.record.activity.cell_run
        is_kept(self._screen, partial(ran, self.visit.lesson.day, cell.index, done.ok))
        self._paint(cell)
        wanted = self._queue[-1]
        settled: list[AskedQuestion] = []
        if done.ok and self.visit.open_gate(cell) is None:
            self._keep_run(cell, done)
            settled = list(self.visit.to_reveal(cell))
            for question in settled:
                self._settle(question, self._run, done.values.get(question.answer_from))
            self._paint(cell)
        if settled and cell is not wanted:
            self._say_settled(settled)
        if done.ok and cell is not wanted:
            self._queue = self._queue[1:]
            self._start()
            return
        self._queue = []
        self._screen.refresh_bindings()  # there may be nothing left to run
        if cell is not wanted:
            self._paint(wanted)
            self._screen.say(
                f"Cell {cell.index} stopped, and cell {wanted.index} needs it.", wrong=True
            )
        for view in self._views(wanted):
            self._screen.call_after_refresh(view.show_output)
        if settled:  # their explanations, which stand above, are laid out by then
            self._screen.set_timer(0.3, partial(self._show_again, wanted))

    def _keep_run(self, cell: Cell, done: CellDone) -> None:
        """Keep what a run printed and computed for the next time this lesson is opened."""
        lesson, kept = self.visit.lesson, self._screen.tutor.record.kept_runs
        is_kept(
            self._screen,
            lambda: kept.keep(
                lesson.day,
                cell.index,
                _codes_to(lesson, cell),
                printed=self._run.output.text(),
                ms=done.ms,
                values=done.values,
            ),
        )

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.stop()
            self._clock = None

    @property
    def _busy(self) -> str:
        return "A drill is being judged;" if self.drills.running else "A cell is running;"

    def stop(self) -> None:
        """Stop the cell that runs, or the judge of a drill."""
        if self.drills.running:
            self.drills.stop()
            return
        self._run.stopping = True
        self._paint(self._queue[0])
        self._screen.tutor.judge.cancel()

    def _tick(self) -> None:
        for cell in self._queue:
            for view in self._views(cell):
                view.tick()

    def _paint(self, cell: Cell) -> None:
        for view in self._views(cell):
            view.show(self.visit.run_of(cell))

    def _views(self, cell: Cell | None) -> list[CellView]:
        """The cell's view, if its page is open."""
        return [view for view in self._screen.query(CellView) if view.cell is cell]

    # ---- predictions

    def take_prediction(self, event: QuestionView.Answered) -> None:
        """Keep a prediction before anything is shown. A value this machine must find is graded
        later."""
        question = event.question
        if question.id in self._retried and question not in self.drills:
            self._take_retry(event)
            return
        if question in self.drills:
            if self.running:
                event.view.ask_again(f"{self._busy} submit it when that has ended.")
            else:
                self.drills.take_answer(event)
            return
        said = Prediction(event.given.value, event.given.confidence, event.given.seconds)
        settling_cell = self.visit.settling_cell(question)
        computed_later = bool(question.answer_from) and settling_cell is not None
        verdict = None if computed_later else grade(question, said.value)
        saved = "Saved." if self._keep(question, said, verdict) else "Not saved."
        self.visit.answered[question.id] = said
        if question.reveal:
            event.view.say(say_noted(self.visit.lesson, question))
        elif settling_cell is None:
            self._reveal(question, verdict or grade(question, said.value))
        else:
            event.view.say(f"{saved} Run cell {settling_cell.index} to find out.")
        for place in self._screen.query(RevealView):
            place.refresh(recompose=True)
        for text in self._screen.query(FoldedText):
            text.look()
        if settling_cell is None:
            return
        self._paint(settling_cell)
        for view in self._views(settling_cell):
            view.focus(scroll_visible=False)
            self._screen.call_after_refresh(self._show_cell, event.view, view)

    # ---- once more

    def settled_on(self, section: Section) -> list[AskedQuestion]:
        """The predictions of a section that are settled, and can be graded again at once, and its drills
        that are answered. A program of a drill stays open, and is submitted again in its place."""
        asked = [as_asked(block.question) for block in section.blocks if isinstance(block, Predict)]
        grades = self.visit.grades
        settled = [
            q for q in asked if not q.reveal and q.id in grades and grades[q.id].right is not None
        ]
        drills = [as_asked(block.question) for block in section.blocks if isinstance(block, Drill)]
        return [*settled, *(q for q in drills if self.drills.is_settled(q))]

    def retry(self, section: Section) -> None:
        """Ask a settled prediction or drill again, in its place: one in sight before the others, then
        the one that was retried longest ago. The first answer stays."""
        settled = {q.id for q in self.settled_on(section)}
        page = self._screen.query_one(Page)
        shown = [
            view
            for view in (*self._screen.query(PredictionView), *self._screen.query(QuestionView))
            if view.question.id in settled
        ]

        def rank(view: PredictionView | QuestionView) -> tuple[int, int]:
            name = view.question.id
            before = self._retried.index(name) if name in self._retried else -1
            return page.rank_of_sight(view), before

        for old in sorted(shown, key=rank):
            question = old.question
            self._retried = [name for name in self._retried if name != question.id]
            self._retried.append(question.id)
            if isinstance(old.parent, Widget):
                view = make_view(self._screen.tutor.record, question, ask_confidence=False)
                old.parent.mount(view, after=old)
                old.remove()
                view.scroll_visible(animate=False)
                view.start()
                return
        self._screen.say("No question on this page is settled yet.")

    def _take_retry(self, event: QuestionView.Answered) -> None:
        question, said = event.question, event.given
        computed = to_author_keys(question, self.visit.grades[question.id].computed)
        verdict = grade(question, said.value, computed=computed)
        record, day = self._screen.tutor.record, self.visit.lesson.day
        is_kept(self._screen, lambda: record.activity.answer(said, verdict, "retry", day))
        event.view.reveal(verdict)

    def _show_cell(self, asked: QuestionView, view: CellView) -> None:
        """Show the note on an answer and, below it, the cell, as far as it fits."""
        if view.region.bottom > self._screen.query_one("Page").region.bottom:
            asked.show_note(top=True)

    def _settle(self, question: AskedQuestion, run: CellRun, computed: object) -> None:
        """The cell has run: grade what it computed the answer of, then show every grade."""
        said = self.visit.answered[question.id]
        verdict = grade(question, said.value, computed=computed)
        if question.answer_from and said.right is None:  # else it is on record
            self._keep(question, said, verdict)
        if question.kind == "open" and said.value is not None:
            self._compare(question, verdict)
        else:
            self._reveal(question, verdict, follow=False)  # keep the cell's output in view
            if verdict.right is not None:
                right = verdict.right if said.value is not None else None
                words = say_answer(question, said.value)
                outcome = PredictionOutcome(words, right, verdict.credit, verdict.answer)
                run.outcomes = (*run.outcomes, outcome)

    def _show_again(self, cell: Cell) -> None:
        """Bring the output back into sight that an explanation above it has pushed down."""
        for view in self._views(cell):
            view.show_output()

    def _compare(self, question: AskedQuestion, verdict: Grade) -> None:
        """Show the model answer below the cell that has told, for the learner to compare."""
        self.visit.grades[question.id] = verdict
        for asked in self._screen.query(QuestionView):
            if asked.question.id == question.id:
                asked.say("Compare it below the cell.")
        for view in self._views(self.visit.settling_cell(question)):
            if isinstance(view.parent, Widget):
                said = self.visit.answered[question.id]
                answer = ModelAnswer(self._screen.tutor.record, question, said.value)
                view.parent.mount(answer, after=view)

    def take_comparison(self, event: ModelAnswer.Compared) -> None:
        """Keep what the learner found in the written answer, then lock it."""
        question, before = event.question, self.visit.answered[event.question.id]
        said = Prediction(event.value, before.confidence, before.seconds)
        verdict = grade(question, said.value)
        self._keep(question, said, verdict)
        self.visit.answered[question.id] = said
        if not question.reveal:
            self.visit.grades[question.id] = verdict
        event.view.close()

    def _keep(self, question: AskedQuestion, said: Prediction, verdict: Grade | None) -> bool:
        """Store an answer; return False if the record cannot be written."""
        given = GivenAnswer(question, said.value, said.confidence, said.seconds)
        record, day = self._screen.tutor.record, self.visit.lesson.day
        return is_kept(self._screen, lambda: record.activity.answer(given, verdict, "predict", day))

    def _reveal(self, question: AskedQuestion, verdict: Grade, *, follow: bool = True) -> None:
        self.visit.grades[question.id] = verdict
        self._screen.refresh_bindings()  # it may be answered again from now on
        for view in self._screen.query(QuestionView):
            if view.question.id == question.id and view.stage == "answered":
                view.reveal(verdict, follow=follow)
        for kept in self._screen.query(PredictionView):
            if kept.question.id == question.id:
                kept.reveal(verdict)


def _codes_to(lesson: Lesson, cell: Cell) -> list[str]:
    """The code of `cell` behind that of the cells whose names it shares."""
    return [c.code for c in lesson.cells if c.index <= cell.index and c.mode == cell.mode]


def _cells_first(does: str, cells: list[Cell], untold: list[Cell]) -> str:
    """Says which cells run or ran first, and why; `untold` are those whose prediction is open."""
    if not cells:
        return ""
    why = "this cell may use variables from there"
    if untold:
        why += f"; what {_number_cells(untold)} printed waits for your prediction"
    return f"({does} {_number_cells(cells)} first: {why})"


def _number_cells(cells: list[Cell]) -> str:
    numbers = ", ".join(str(cell.index) for cell in cells)
    return f"cells {numbers}" if len(cells) > 1 else f"cell {numbers}"
