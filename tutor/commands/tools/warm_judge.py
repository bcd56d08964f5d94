"""`tutor judge`: what the warm judge holds, and its end."""

import json
import sys

import click
from msgspec import to_builtins

from tutor.base import config, paths
from tutor.base.errors import CannotHere, UsageError
from tutor.base.terminal import is_terminal
from tutor.commands.support.console import say
from tutor.judge.connection import link
from tutor.judge.model.keeper_messages import AskStatus, AskStop, Status

_NAMES = {
    "server": "server of a caller",
    "resting": "server that waits for the next command",
    "interpret": "ready to interpret kernels",
    "both": "ready to interpret kernels beside torch.compile",
    "offline": "ready to compile for a GPU",
    "compile": "ready for torch.compile",
    "cuda": "ready for the GPU",
    "lower": "ready for X-rays",
    "xray": "ready for a first X-ray",
}


@click.group("judge")
def judge_command() -> None:
    """The warm judge: processes that stay for the next command that judges.

    The first command that judges starts it. It ends after ten minutes without a caller (setting
    judge_keep_minutes), when you log out, and when tutor or torch is updated. On a GPU it holds some
    of the GPU's memory until then. A shell with other variables that count when torch is imported,
    such as OMP_NUM_THREADS, has another one.
    """


@judge_command.command("status")
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
def status(as_json: bool) -> None:
    """Print what the warm judge holds: its processes, their memory and age."""
    answers = link.ask_warm_judges(AskStatus())
    judges = [answer for answer in answers if isinstance(answer, Status)]
    for silent in answers:
        if isinstance(silent, link.Silent):
            said = f"a warm judge (process {silent.pid}) does not answer"
            click.echo(f"tutor: {said}; `tutor judge stop --now` ends it", err=True)
    if as_json:
        click.echo(json.dumps(to_builtins(judges)))
    elif not answers:
        click.echo("No warm judge is running. The next command that judges starts one.")
        if not config.load_config().config.judge_keep_minutes:
            click.echo("Your settings keep none: judge_keep_minutes is 0.")
    else:
        say(*(line for judge in judges for line in _lines(judge)))


@judge_command.command("serve")
def serve() -> None:
    """Judge for another machine, through stdin and stdout: the end of a runner (docs/runners.md)."""
    from tutor.judge.runners import relay

    if is_terminal(sys.stdin):
        raise UsageError(
            "this speaks to a program; `tutor check --runner NAME` elsewhere starts it"
        )
    relay.serve(paths.course_root())


@judge_command.command("stop")
@click.option("--now", is_flag=True, help="Do not wait for those who use it: their calls end.")
def stop(now: bool) -> None:
    """End the warm judge as soon as nobody uses it."""
    answers = link.ask_warm_judges(AskStop(now))
    silent = [answer for answer in answers if isinstance(answer, link.Silent)]
    callers = sum(_callers(answer) for answer in answers if isinstance(answer, Status))
    if not answers:
        click.echo("No warm judge is running.")
    elif silent and not now:
        raise CannotHere(f"process {silent[0].pid} does not answer; --now ends it all the same")
    elif callers and not now:
        click.echo(f"It ends with {_count(callers, 'caller')}; --now ends it at once.")
    else:
        click.echo("The warm judge ends.")


def _lines(judge: Status) -> list[str]:
    callers = _callers(judge)
    until = (
        f"used by {_count(callers, 'caller')}"
        if judge.ends_in is None
        else f"ends in {_age(judge.ends_in)} unless a command comes"
    )
    size = sum(process.bytes for process in judge.held) + judge.bytes
    lines = [
        f"Warm judge {judge.pid}, version {judge.version}, up for {_age(judge.seconds)}: {until}",
        f"  {_count(len(judge.held) + 1, 'process')}, {size >> 20} MiB, shared pages counted once",
        f"  {judge.pid:>8}  {judge.bytes >> 20:>5} MiB  {_age(judge.seconds):>8}  torch, imported once",
    ]
    return lines + [
        f"  {process.pid:>8}  {process.bytes >> 20:>5} MiB  {_age(process.seconds):>8}  "
        f"{_NAMES.get(process.what, process.what)}"
        for process in judge.held
    ]


def _callers(judge: Status) -> int:
    return sum(process.what == "server" for process in judge.held)


def _age(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def _count(number: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"
