"""The list of machines on which the lab can judge."""

import shlex
from typing import Any

from textual.content import Content

from tutor.base.errors import UsageError
from tutor.base.runner_table import LOCAL
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.lab.judgement import Judgement

_COLUMNS = 48  # of a launch command


def choose_runner(screen: TutorScreen, judgement: Judgement[Any]) -> None:
    """Offer this machine and the runners of config.toml. The choice is a setting, so it stays."""
    config = screen.tutor.config
    if not config.runners:
        screen.say(
            "Your config.toml names no other machine. docs/runners.md shows how: `[runners.lab]` "
            'and `launch = "ssh lab"`.'
        )
        return
    about = {LOCAL: "this machine"}
    about |= {name: shlex.join(runner.launch) for name, runner in config.runners.items()}
    names = list(about)
    width = max(map(len, names)) + 2
    lines = [
        Content.assemble(
            "✓ " if name == config.judge_runner else "  ",
            name.ljust(width),
            (limit_text(words, lines=1, columns=_COLUMNS), "dim"),
        )
        for name, words in about.items()
    ]

    def chosen(index: int | None) -> None:
        if index is None or names[index] == config.judge_runner:
            return
        judgement.call.stop()
        judgement.device = ""
        try:
            screen.tutor.set_setting("judge_runner", names[index])
        except UsageError as error:
            screen.say(str(error), wrong=True)
            return
        judgement.draw_soon()
        # It connects at once, so that the first verdict does not wait; that verdict shows a failure.
        warm = screen.tutor.judge.warm
        screen.run_worker(warm, thread=True, group="prepare", exit_on_error=False)
        screen.say(f"Judged on {names[index]} from now on.")

    screen.app.push_screen(
        ChooseScreen("Judge on", lines, names.index(config.judge_runner), "chooses"), chosen
    )
