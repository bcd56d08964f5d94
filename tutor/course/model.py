"""Frozen records of what is taught. The readers in `tutor.course.reading` make them.

The fields are those of `docs/course-format.md`; a record exists only if its file had no mistake.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

QUESTION_KINDS = (
    "choice",
    "multi",
    "number",
    "text",
    "order",
    "match",
    "fill",
    "line",
    "predict",
    "open",
    "code",
)
DAY_KINDS = ("lesson", "project", "checkpoint")
EXERCISE_KINDS = ("kernel", "compiled", "function", "pass", "schedule", "graph", "ranks", "cases")
# Kinds whose entry gets what a module beside it makes for each case: its function and its file's name.
MAKERS = {"schedule": "algorithm", "graph": "model"}
# What each kind needs, without which its exercises are only read.
EXTRAS_OF_KINDS = {"schedule": "tvm", "graph": "onnx"}
# What a pass rewrites, and what the exercise needs for it beside PyTorch.
SUBJECTS = {"fx": "", "onnx": "onnx", "relax": "tvm", "stablehlo": "xla", "xdsl": "xdsl"}
NEEDS = (
    "triton",
    "g++",
    "cuda",
    "tvm",
    "mlir",
    "xdsl",
    "xla",
    "iree",
    "onnx",
    "torchao",
    "safetensors",
    "gguf",
)
EVIDENCE = ("question", "exercise", "lesson")
TRUTHS = ("true", "partly", "false")


@dataclass(frozen=True)
class Source:
    """A text that the course cites. Lessons and questions name it by `id`."""

    id: str
    title: str
    version: str = ""
    url: str = ""


@dataclass(frozen=True)
class Day:
    """A day of the outline, whether or not its lesson is written yet."""

    day: int
    title: str
    phase: int
    week: int
    kind: str
    goal: str = ""


@dataclass(frozen=True)
class Look:
    """A request of a cell or a question to the lowering ladder.

    `stage`: the one to show, "" for all of them. `name`: which function, "" for the last one
    defined. `inputs` as `tutor xray --input` takes them.
    """

    inputs: tuple[str, ...] = ()
    target: str = "sm_90"
    stage: str = ""
    name: str = ""
    backward: bool = False


@dataclass(frozen=True)
class AccessLook:
    """A request of a cell for an access map: of the kernel `name` that it defines and launches, or of
    the solution of the exercise `name`, on its case `case` ("": the most informative one)."""

    name: str
    case: str = ""
    of_exercise: bool = False


@dataclass(frozen=True)
class PlotLook:
    """A request of a cell for a plot: the names of its lists of numbers, and the axes' labels.

    `log` has the letters of the axes that are logarithmic.
    """

    x: str
    ys: tuple[str, ...]
    x_label: str
    y_label: str
    log: str = ""


@dataclass(frozen=True)
class DrawingLook:
    """A request of a cell for a drawing of its value `name`: "bars", "gantt" (over an axis), "grid"."""

    kind: str
    name: str
    label: str = ""


@dataclass(frozen=True)
class Question:
    """A question of a quiz, or a prediction or drill in a lesson. Fields a kind does not use are empty.

    `options`: choice, multi (key -> text). `items`: order. `left`, `right`: match.
    `before`: order, the pairs of items that a right order keeps; none: the author has not said which.
    `answer` is shaped by the kind: str, tuple[str, ...], float, int, tuple[int, ...] or dict.
    `answer_from`: an expression whose value is the answer, evaluated on this machine after `code`
    (or, for a prediction, after the next cell) has run. With `params`, texts hold formulas in
    braces and a number's answer is one (`tutor.course.reading.variants` fills them in).
    `exercise`: whose judge decides on a `code` question; `code` is then the text to begin with, and
    `answer` a right one.
    """

    id: str
    kind: str
    prompt: str
    explanation: str
    day: int
    answer: Any = None
    code: str = ""
    text: str = ""
    setup: str = ""
    options: dict[str, str] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)
    before: tuple[tuple[str, str], ...] = ()
    left: dict[str, str] = field(default_factory=dict)
    right: dict[str, str] = field(default_factory=dict)
    feedback: dict[str, str] = field(default_factory=dict)
    tempting: dict[int, str] = field(default_factory=dict)
    accept: tuple[Any, ...] = ()
    unit: str = ""
    tolerance: float | None = None
    tolerance_abs: float | None = None
    interval: tuple[float, float] | None = None  # the TOML's `range`: any number in it is right
    exact: bool = False  # text, fill: no slip of the fingers is forgiven
    answer_from: str = ""
    mode: str = "interpret"  # of the process that runs `code`, as in `Cell`
    as_kind: str = ""  # the TOML's `as`
    model: str = ""
    points: tuple[str, ...] = ()
    source: str = ""
    tags: tuple[str, ...] = ()
    days: tuple[int, ...] = ()
    rev: int = 1
    replaces: tuple[str, ...] = ()  # ids of questions that went, whose history its card keeps
    xray: Look | None = None  # then `answer_from` may name what the ladder counts
    params: dict[str, tuple[int | float, ...]] = field(default_factory=dict)  # see `variants`
    reveal: str = ""  # of a prediction: the slug of the later section that shows its answer
    slips: dict[str, str] = field(default_factory=dict)  # a wrong answer, as typed -> what it shows
    line: int = 0  # where it stands in its file
    exercise: str = ""
    minutes: int = 0  # of a `code` question
    aside: str = ""  # of a prediction: a sentence that only its lesson shows after the prompt
    context: str = ""  # lines of the lesson that are shown above `code`, never run

    @property
    def shown_code(self) -> str:
        """The code to show with the prompt."""
        return "\n\n".join(filter(None, (self.context.strip("\n"), self.code.strip("\n"))))

    @property
    def on_machine(self) -> bool:
        """Return True if this machine must run something to grade an answer."""
        return bool(self.answer_from) or self.kind == "code"


@dataclass(frozen=True)
class AskedQuestion(Question):
    """A question as it is asked: its numbers are drawn, and its options stand in an order.

    `tutor.course.reading.variants.draw_variant` makes it. `params` is empty; `numbers` has the values
    that were drawn for them. `labels` lead from what is shown to the author's keys
    (`tutor.quiz.option_order`).
    """

    numbers: dict[str, int | float] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)


def as_asked(question: Question) -> AskedQuestion:
    """Return a question of a lesson that was prepared by `lesson_to_ask`. Raises `TypeError` for one
    that was not drawn."""
    if not isinstance(question, AskedQuestion):
        raise TypeError(f"the question {question.id} was not drawn")
    return question


@dataclass(frozen=True)
class Band:
    """The meaning of a checkpoint's score from `min` points up; `revisit` are the days to read
    again."""

    min: float
    name: str
    advice: str
    revisit: tuple[int, ...] = ()


@dataclass(frozen=True)
class CanDoEvidence:
    """A proof of a "can do". `name`: a question's id, an exercise's slug, or "DAY/section-slug"."""

    kind: str  # one of EVIDENCE
    name: str


@dataclass(frozen=True)
class CanDo:
    """An item of a checkpoint's checklist. `days`: where to read again."""

    id: str
    text: str
    evidence: tuple[CanDoEvidence, ...]
    days: tuple[int, ...]
    line: int = 0


@dataclass(frozen=True)
class Misconception:
    """A statement to be called true or not, with a reason. `truth` is one of TRUTHS."""

    id: str
    statement: str
    truth: str
    why: str
    source: str
    days: tuple[int, ...]
    line: int = 0


@dataclass(frozen=True)
class Prompt:
    """A question to write about. `focus`: it also asks for the shakiest of `topics` (tags)."""

    id: str
    text: str
    focus: bool = False
    topics: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True)
class Reflection:
    """What a checkpoint asks the learner to write about, and the minutes meant for it."""

    minutes: int
    prompts: tuple[Prompt, ...]


@dataclass(frozen=True)
class Quiz:
    """The questions of a day; a checkpoint's quiz has a checklist and more after them."""

    day: int
    title: str
    questions: tuple[Question, ...]
    bands: tuple[Band, ...] = ()
    checklist: tuple[CanDo, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    reflection: Reflection | None = None

    @property
    def is_checkpoint(self) -> bool:
        return bool(self.checklist or self.misconceptions or self.reflection)


@dataclass(frozen=True)
class Prose:
    """Markdown between the other blocks of a section. `line`: where it begins in the lesson's file."""

    text: str
    line: int


@dataclass(frozen=True)
class Cell:
    """A live cell. `mode` is that of its process: "interpret" (Triton's kernels are interpreted),
    "compile" (PyTorch's compiler is ready, and kernels cannot be interpreted) or "both" (kernels are
    interpreted, and the compiler is imported). A lesson has at most two processes: no cell of mode
    "interpret" stands beside one of mode "both"."""

    code: str
    line: int
    index: int  # 1-based within the lesson
    mode: str = "interpret"
    needs_gpu: bool = False
    slow: bool = False
    expect: tuple[str, ...] = ()
    xray: Look | None = None  # what is shown of the ladder after the cell has run
    access: AccessLook | None = None  # a figure below its output, as is `plot`
    plot: PlotLook | None = None
    drawing: DrawingLook | None = None


@dataclass(frozen=True)
class Predict:
    """A question about a cell's output, asked before the cell may run."""

    question: Question
    line: int


@dataclass(frozen=True)
class Reveal:
    """The place where the answer of an earlier prediction is shown; `line` is that prediction's."""

    asked: Question
    line: int


@dataclass(frozen=True)
class Drill:
    """A short exercise at the end of a section. No cell waits for it."""

    question: Question
    line: int


Block = Prose | Cell | Predict | Reveal | Drill


@dataclass(frozen=True)
class Section:
    """A page of a lesson. `slug` is made from its title and names it in links and in the record.
    `sitting`, from 1: a long day is read in several."""

    title: str
    slug: str
    line: int
    blocks: tuple[Block, ...]
    sitting: int = 1


@dataclass(frozen=True)
class Project:
    """A project that a learner may choose among others. `why`: one would choose it; `needs`: what it
    takes."""

    name: str
    title: str
    why: str
    needs: str
    line: int = 0


@dataclass(frozen=True)
class Milestone:
    """A step of a project: an exercise of this day or of an earlier one. The other fields are for
    the report: what the step changes, what it must show, what its time is compared with, and whether
    its figures are `promises`, beside which the report puts those that later steps measured.
    `project`: the one that it belongs to, "" where a day has none to choose from."""

    exercise: str
    change: str
    shows: str
    yardstick: str
    line: int = 0
    project: str = ""
    promises: bool = False


@dataclass(frozen=True)
class Lesson:
    """A day's lesson as its file has it."""

    day: int
    title: str
    minutes: int
    objectives: tuple[str, ...]
    sources: tuple[Source, ...]
    sections: tuple[Section, ...]
    path: Path
    milestones: tuple[Milestone, ...] = ()  # of a project, in their order
    projects: tuple[Project, ...] = ()  # that this day offers, also to later days

    @property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(b for s in self.sections for b in s.blocks if isinstance(b, Cell))

    @property
    def predictions(self) -> tuple[Predict, ...]:
        return tuple(b for s in self.sections for b in s.blocks if isinstance(b, Predict))

    @property
    def drills(self) -> tuple[Drill, ...]:
        return tuple(b for s in self.sections for b in s.blocks if isinstance(b, Drill))

    @property
    def questions(self) -> tuple[Question, ...]:
        """Those of its predictions and drills, in their order."""
        asked = (b for s in self.sections for b in s.blocks if isinstance(b, Predict | Drill))
        return tuple(block.question for block in asked)

    def title_of(self, slug: str) -> str:
        """The title of a section; "" without such a section."""
        return next((s.title for s in self.sections if s.slug == slug), "")


@dataclass(frozen=True)
class Promise:
    """What a task demands. `text` quotes the task ("…" stands for what is left out), and each wrong
    answer in `broken_by` breaks it; none does where the judge cannot see whether it is kept."""

    id: str
    text: str
    broken_by: tuple[str, ...]
    judged: bool
    line: int  # in `exercise.toml`, from 1


@dataclass(frozen=True)
class TwistPromise:
    """How a right program shows that it was written by the twist number `twist`, counted from 1.

    `uses` and `avoids` are names and words of the program (`tutor.judge.twists.program_words`), in the
    function or class `within` if that is not "". The others are seen in the interpreter: the axes of
    each grid, the number of programs (or the argument's size that it must be, as "x.shape[0]"), the
    launches of a call, the shape of a tile and of one that is stored (0: any size), how often a program
    loads from one tensor, what runs backwards, and whether programs take turns with their blocks, and
    whether a tile is loaded turned and all are stored straight. None, "", () and False demand nothing.
    """

    twist: int
    uses: tuple[str, ...] = ()
    avoids: tuple[str, ...] = ()
    within: str = ""
    axes: int | None = None
    programs: int | str | None = None
    most_programs: int | None = None
    launches: int | None = None
    tile: tuple[int, ...] = ()
    stored: tuple[int, ...] = ()
    width: int | None = None  # of a stored tile, in its heights
    steps: int | None = None
    backwards: str = ""  # one of `BACKWARDS`
    interleaved: bool = False
    turned: bool = False
    straight: bool = False
    line: int = 0  # in `exercise.toml`, from 1

    @property
    def watches(self) -> bool:
        """Return True if the interpreter must have seen the program."""
        seen = (self.axes, self.programs, self.most_programs, self.launches, self.width, self.steps)
        flags = (self.interleaved, self.turned, self.straight)
        others = (self.tile, self.stored, self.backwards, *flags)
        return any(value is not None for value in seen) or any(others)


BACKWARDS = ("lanes", "loads", "stores", "programs")


@dataclass(frozen=True)
class Aim:
    """What is asked of an exercise of the kind "cases": so many mistakes of the exercise `of` are to be
    refused by at most so many cases."""

    of: str
    refuse: int
    cases: int


@dataclass(frozen=True)
class Exercise:
    """An exercise as `exercise.toml` in its folder has it. `seconds` and `memory_gib` are the
    limits of each case."""

    slug: str
    title: str
    day: int
    kind: str
    entry: str  # "add(x, y)"
    minutes: int
    needs: tuple[str, ...]
    task: str
    hints: tuple[str, ...]
    folder: Path
    sources: tuple[str, ...] = ()
    twists: tuple[str, ...] = ()  # changes of the task when it is reviewed
    seconds: float = 10.0
    memory_gib: float = 4.0
    order: int = 99  # place in the list of its day; of equal ones by name
    promises: tuple[Promise, ...] = ()
    twist_promises: tuple[TwistPromise, ...] = ()
    subject: str = ""  # of a pass: one of `SUBJECTS`
    aim: Aim | None = None  # of the kind "cases"
    own_cases: bool = True  # a learner may write cases for it, if it is of a kind that has such

    @property
    def takes_cases(self) -> bool:
        """Return True if a learner can write cases that tell its right answers from its wrong ones: it
        is a kernel, whose arguments a short call can say."""
        return self.kind == "kernel" and self.own_cases

    @property
    def judged_twists(self) -> frozenset[int]:
        """The numbers of the twists that have a promise. Of the others the learner is asked."""
        return frozenset(promise.twist for promise in self.twist_promises)

    @property
    def entry_name(self) -> str:
        return self.entry.split("(", 1)[0]

    @property
    def starter(self) -> Path:
        return self.folder / "starter.py"

    @property
    def solution(self) -> Path:
        return self.folder / "solution.py"

    @property
    def reference(self) -> Path:
        return self.folder / "reference.py"

    @property
    def probe(self) -> Path:
        """The module that inspects the learner's objects; most exercises have none."""
        return self.folder / "probe.py"

    @property
    def maker(self) -> Path | None:
        """The module that makes what the entry gets, of the kinds of `MAKERS`."""
        return self.folder / f"{MAKERS[self.kind]}.py" if self.kind in MAKERS else None

    @property
    def is_plain(self) -> bool:
        """Return True if its answer is judged on the CPU of every machine, and never timed."""
        return self.kind not in ("kernel", "compiled")

    @property
    def right(self) -> tuple[Path, ...]:
        """Right answers of other styles than the solution's."""
        return tuple(sorted((self.folder / "right").glob("*.py")))

    @property
    def twist_answers(self) -> tuple[Path, ...]:
        """Right answers to `twists`; `2.py` answers the second."""
        return tuple(sorted((self.folder / "twists").glob("*.py")))


@dataclass(frozen=True)
class WrongAnswer:
    """A plausible mistake: `code` is a whole program, and `expect` the code of its verdict's cause.

    `or_else` are codes that are right as well, since interpreter and GPU see other things first.
    `until` names the release from which on it is none, ("triton", 3, 8), where a package has changed.
    `says` is the author's sentence to a learner who made the same edit.
    """

    name: str
    expect: str
    code: str
    path: Path  # `wrong.toml`, or a file in `wrong/`
    line: int  # where its program begins in `path`, from 1
    until: tuple[str, int, int] | None = None
    says: str = ""
    or_else: tuple[str, ...] = ()


@dataclass(frozen=True)
class AcceptedSlip:
    """A slip in a right answer that changes nothing the task asks about.

    `answer` is the name of the right answer, `line` the changed line as `content check --deep` writes
    it, and `why` the reason.
    """

    answer: str
    line: str
    why: str


@dataclass(frozen=True)
class OtherRepair:
    """A wrong answer that a change of a line in which it does not differ makes right too.

    `answer` is the name of the wrong answer, `why` says which two ways there are.
    """

    answer: str
    why: str


def band(quiz: Quiz, score: float, out_of: int) -> Band | None:
    """The highest band that `score` of `out_of` points reaches; None if no band is that low."""
    share = score / out_of if out_of else 0.0
    # 0.7 + 0.2 of partial credits must reach a band that begins at 0.9
    reached = [band for band in quiz.bands if share + 1e-9 >= band.min]
    return max(reached, key=lambda band: band.min, default=None)
