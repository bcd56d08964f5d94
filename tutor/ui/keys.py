"""Every action of the interface with its keys, as data: footers, the help page and a learner's own
keymap all read this table.

No action needs ctrl or alt: terminals, tmux and window managers take those for themselves.
"""

from dataclasses import dataclass

from textual.binding import Binding, BindingType


@dataclass(frozen=True)
class Action:
    """`id` is what a keymap names ("lesson.next"); `keys` are Textual's key names, by commas.

    `label` is the word in the footer; `show` puts it there. `help` is the help page's sentence.
    """

    id: str
    keys: str
    action: str
    label: str
    show: bool = True
    help: str = ""


ACTIONS: dict[str, tuple[Action, ...]] = {
    "app": (
        Action("app.help", "question_mark,f1", "help", "keys", help="This page"),
        Action("app.theme", "f2", "change_theme", "colours", False, "Choose the colours"),
    ),
    "home": (
        Action("home.review", "r", "review", "review", help="Answer what is due today"),
        Action("home.continue", "c", "continue", "continue", help="Go on where you stopped"),
        Action("home.kernel", "k", "kernel", "kernel", help="Open the next exercise"),
        Action("home.map", "m", "map", "map", help="The 70 days"),
        Action("home.next", "down,j", "app.focus_next", "next line", False),
        Action("home.previous", "up", "app.focus_previous", "line before", False),
        Action("home.quit", "q", "app.quit", "quit", help="Leave; everything is already saved"),
    ),
    "map": (
        Action("map.open", "enter", "open", "open", help="Open the day's lesson"),
        Action("map.next_phase", "right_square_bracket", "phase(1)", "next phase"),
        Action("map.previous_phase", "left_square_bracket", "phase(-1)", "phase before"),
        Action("map.down", "j", "cursor(1)", "down", False),
        Action("map.up", "k", "cursor(-1)", "up", False),
        Action("map.back", "escape,q,m", "back", "home", help="Back to the start"),
    ),
    "lesson": (
        Action("lesson.next", "n,right", "turn(1)", "next", help="The next section"),
        Action("lesson.previous", "p,left", "turn(-1)", "previous", help="The section before"),
        Action("lesson.run", "x", "run", "run cell", help="Run the cell in focus, or the next one"),
        Action("lesson.on", "space,pagedown", "page(1)", "page down", False,
               "A screenful on; at the end of a section the next one"),
        Action("lesson.back", "b,pageup", "page(-1)", "page up", False,
               "A screenful back; at the top the section before"),
        Action("lesson.down", "down,j", "line(1)", "line down", False),
        Action("lesson.up", "up", "line(-1)", "line up", False),
        Action("lesson.top", "home,g", "end(-1)", "top of the section", False),
        Action("lesson.bottom", "end,G", "end(1)", "end of the section", False),
        Action("lesson.contents", "t", "contents", "contents", help="The sections of this day"),
        Action("lesson.kernels", "k", "kernels", "kernels", help="This day's exercises"),
        Action("lesson.quiz", "z", "quiz", "quiz", help="This day's questions"),
        Action("lesson.sources", "s", "sources", "sources", False, "What this day cites"),
        Action("lesson.next_day", "right_square_bracket", "day(1)", "next day", False),
        Action("lesson.previous_day", "left_square_bracket", "day(-1)", "day before", False),
        Action("lesson.stop", "escape", "escape", "stop, or back", False,
               "Stop a running cell; leave a question; go home"),
        Action("lesson.home", "q", "home", "home", help="Back to the start; your place is kept"),
    ),
    "quiz": (
        Action("quiz.next", "enter,n,space", "next", "next", help="The next question"),
        Action("quiz.give_up", "f3", "give_up", "I do not know",
               help="Answer that you do not know, and read why"),
        Action("quiz.on", "pagedown", "page(1)", "page down", False),
        Action("quiz.back", "pageup", "page(-1)", "page up", False),
        Action("quiz.leave", "escape", "leave", "leave", help="Leave; what you answered is kept"),
    ),
    # In the editor letters are text: there the function keys do the same.
    "lab": (
        Action("lab.check", "s,f5,f2,ctrl+s", "check", "check", help="Save, and have it judged"),
        Action("lab.stop", "x,f10", "stop", "stop", help="Stop judging"),
        Action("lab.next", "n,f11", "next", "next", help="What comes after this exercise"),
        Action("lab.hint", "h,f3", "hint", "hint", help="The next hint"),
        Action("lab.other", "f6", "other_pane", "other side", help="Between editor and verdict"),
        Action("lab.zoom", "z,shift+f6", "zoom", "zoom", False, "One side at a time, or both"),
        Action("lab.task", "t,f7", "page('task')", "task", False, "What is to be written"),
        Action("lab.verdict", "v", "page('verdict')", "verdict", False, "What the judge said"),
        Action("lab.attempts", "a,f8", "page('attempts')", "attempts", False,
               "What you handed in; Enter puts a text back"),
        Action("lab.detail", "d,f9", "detail", "detail",
               help="Tracebacks, the compiler's words, seed and versions"),
        Action("lab.line", "enter,g,f12", "go_to_line", "to the line", False,
               "To the line that the verdict names"),
        Action("lab.solution", "c", "page('solution')", "solution", False,
               "A worked solution, once yours is right"),
        Action("lab.own_editor", "e,f4", "own_editor", "own editor",
               help="Open the file in $VISUAL or $EDITOR"),
        Action("lab.edit", "i", "edit", "edit", False, "Back to the editor"),
        Action("lab.leave", "escape,q", "leave", "back", help="Leave; your text is saved"),
    ),
    "conflict": (
        Action("conflict.mine", "m,escape", "take('mine')", "keep mine"),
        Action("conflict.theirs", "t", "take('theirs')", "take the file's"),
        Action("conflict.both", "b", "both", "show both"),
    ),
    "choose": (
        Action("choose.cancel", "escape,q,t", "cancel", "back", help="Close without choosing"),
        Action("choose.down", "j", "cursor(1)", "down", False),
        Action("choose.up", "k", "cursor(-1)", "up", False),
    ),
    "small": (Action("small.quit", "q,escape", "app.quit", "quit"),),
    "help": (
        Action("help.close", "escape,q,question_mark,f1", "app.pop_screen", "close"),
    ),
}  # fmt: skip


def bindings(place: str) -> list[BindingType]:
    """The actions of one place as Textual bindings; their ids are what `App.set_keymap` rebinds."""
    return [
        Binding(a.keys, a.action, a.label, show=a.show, tooltip=a.help, id=a.id)
        for a in ACTIONS[place]
    ]
