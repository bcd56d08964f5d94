"""The command line. Each command lives in `tutor/commands/` and is imported only when it is called,
so that `tutor due` does not load what `tutor check` needs."""

import importlib
from typing import Any

import click

from tutor.base.errors import PipeClosed, Stopped, UsageError
from tutor.base.terminal import may_colour

# name -> (module, one line for --help, so that help imports nothing)
COMMANDS = {
    "list": ("tutor.commands.course", "Every day and every exercise."),
    "lesson": ("tutor.commands.course", "A day's lesson as plain text, or step by step."),
    "ideas": ("tutor.commands.plain.ideas", "The map of a phase's ideas, told or asked."),
    "search": ("tutor.commands.search", "Find words in the course and in your notes."),
    "quiz": ("tutor.commands.quiz", "A day's questions, asked in the terminal's own lines."),
    "grade": ("tutor.commands.quiz", "Grade a file of answers, without interaction."),
    "review": ("tutor.commands.plain.review", "What is due, asked in the terminal's own lines."),
    "due": ("tutor.commands.quiz", "What is due for review today."),
    "cards": ("tutor.commands.cards", "All cards: search, suspend, bring back."),
    "stats": ("tutor.commands.stats", "What has been learnt, and how well it is kept."),
    "fit": ("tutor.commands.stats", "Fit the review schedule to your own memory."),
    "export": ("tutor.commands.data", "Write the cards for Anki, or the record as JSON lines."),
    "import": ("tutor.commands.data", "Merge an exported record into this one."),
    "backup": ("tutor.commands.data", "Copy the record, or list its copies."),
    "restore": ("tutor.commands.data", "Put a backup in the record's place."),
    "project": ("tutor.commands.project", "The projects of a day; choose the one that counts."),
    "report": ("tutor.commands.report", "What a project has come to, from the record."),
    "start": ("tutor.commands.judge", "Write an exercise's starter file and print its path."),
    "check": ("tutor.commands.judge", "Judge your answer to an exercise."),
    "grade-all": ("tutor.commands.grade_all", "Judge a folder of many learners' files."),
    "watch": ("tutor.commands.watch", "A verdict at each save."),
    "access": ("tutor.commands.access", "Which elements each program loads and stores."),
    "break": ("tutor.commands.break_it", "Cases that right answers survive and mistakes do not."),
    "xray": ("tutor.commands.xray", "Every stage of a function, from Python to machine code."),
    "judge": ("tutor.commands.tools.warm_judge", "The warm judge that commands share."),
    "content": (
        "tutor.commands.tools.content",
        "Prove the course: cells, solutions, wrong answers.",
    ),
    "doctor": (
        "tutor.commands.tools.doctor",
        "What works on this machine, and how to fix the rest.",
    ),
    "new": ("tutor.commands.tools.new", "Write the first files of a day, a quiz or an exercise."),
    "serve": ("tutor.commands.tools.serve", "The application in a browser of this machine."),
    "completion": (
        "tutor.commands.tools.shell",
        "What bash, zsh or fish needs to complete commands.",
    ),
}

_NO_COURSE = "tutor.no_course"  # of a context: why the folder after --course is refused


class LazyGroup(click.Group):
    """A click group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[name][0])
        command: click.Command = getattr(module, f"{name.replace('-', '_')}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        refusal = ctx.meta.get(_NO_COURSE)
        if refusal and args[:1] != ["new"]:  # which may begin a course
            raise refusal
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from tutor.base.config import suggest_name

            raise click.UsageError(
                f"{error.message.rstrip('.')}{suggest_name(args[0], COMMANDS)}"
            ) from None

    def make_context(self, *args: Any, **settings: Any) -> click.Context:
        try:
            return super().make_context(*args, **settings)
        except BrokenPipeError:  # of --help and --version; click would end with status 1
            raise PipeClosed from None

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # click would print an empty line
            raise Stopped from None
        except BrokenPipeError:
            raise PipeClosed from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from tutor.commands.tools import versions

        click.echo("\n".join(versions.version_lines()))
        ctx.exit()


def _course(ctx: click.Context, __: click.Parameter, folder: str | None) -> None:
    if folder is not None:
        import os

        from tutor.base import paths

        os.environ[paths.COURSE] = folder
        try:
            root = paths.course_root()
        except UsageError as error:
            ctx.meta[_NO_COURSE] = error
        else:
            os.environ[paths.COURSE] = str(root)  # the program's other processes see it too


@click.group(cls=LazyGroup)
@click.option(
    "--course",
    metavar="DIR",
    expose_value=False,
    callback=_course,
    help="Work in the course in this folder (docs/course-format.md), whose programs run as yours do. "
    "Its record is its own.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Versions of tutor and of what it stands on, for a report of a fault.",
)
def tutor() -> None:
    """Learn how a line of PyTorch becomes GPU instructions. Without a command: the application."""


def run() -> int:
    """Run the command line and return its exit status. Raises what `tutor.base.errors` names."""
    try:
        colour = None if may_colour() else False  # None: on a terminal
        status = tutor.main(prog_name="tutor", standalone_mode=False, color=colour)
    except click.Abort:
        raise Stopped from None
    except click.exceptions.NoArgsIsHelpError as error:
        group = error.ctx.command
        names = ", ".join(group.list_commands(error.ctx)) if isinstance(group, click.Group) else ""
        raise UsageError(f"{error.ctx.command_path} needs one of: {names}") from None
    except click.ClickException as error:
        raise UsageError(" ".join(error.format_message().split())) from None
    return status if isinstance(status, int) else 0
