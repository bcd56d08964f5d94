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
        Action("home.statistics", "s", "statistics", "statistics",
               help="What has been learnt, and what is to come"),
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
        Action("map.ideas", "c", "ideas", "ideas", help="How this phase's ideas hang together"),
        Action("map.back", "escape,q,m", "back", "home", help="Back to the start"),
    ),
    "ideas": (
        Action("ideas.open", "enter", "open", "open the day", help="Open the day of this idea"),
        Action("ideas.up", "up,k", "walk(1)", "up", False),
        Action("ideas.right", "right,l", "walk(2)", "right", False),
        Action("ideas.down", "down,j", "walk(4)", "down", False),
        Action("ideas.left", "left,h", "walk(8)", "left", False),
        Action("ideas.next_phase", "right_square_bracket", "phase(1)", "next phase", False),
        Action("ideas.previous_phase", "left_square_bracket", "phase(-1)", "phase before", False),
        Action("ideas.back", "escape,q,c", "app.pop_screen", "back", help="Back to the map"),
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
        Action("lesson.ladder", "l", "ladder", "ladder", False,
               "What the cell in focus becomes, from Python to machine code"),
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
    # While a question is being answered letters may be its answer: the function keys do the same.
    "review": (
        Action("review.show", "enter,space", "show", "go on",
               help="Show the answer; open the kernel; take the proposed rating"),
        Action("review.again", "1", "rate(1)", "again", False, "I did not know it"),
        Action("review.hard", "2", "rate(2)", "hard", False, "Barely"),
        Action("review.good", "3", "rate(3)", "good", False, "I knew it"),
        Action("review.easy", "4", "rate(4)", "easy", False, "Without thinking"),
        Action("review.give_up", "f3", "give_up", "I do not know", help="Show the answer"),
        Action("review.undo", "u,f4", "undo", "undo", help="Take back the last thing you did"),
        Action("review.bury", "b,f5", "bury", "bury", False, "Not today"),
        Action("review.suspend", "s,f6", "suspend", "suspend", False, "Never again, until undone"),
        Action("review.flag", "f,f7", "flag", "flag", False, "Mark it, or take the mark away"),
        Action("review.note", "e,f8", "note", "note", False, "Edit your note to this card"),
        Action("review.lesson", "o,f9", "lesson", "lesson", False, "The page it comes from"),
        Action("review.scope", "p,f10", "scope", "which", help="Only a phase or topic; cram"),
        Action("review.on", "pagedown", "page(1)", "page down", False),
        Action("review.back", "pageup", "page(-1)", "page up", False),
        Action("review.leave", "escape", "leave", "leave", help="Leave; what you did is kept"),
    ),
    "statistics": (
        Action("statistics.next", "right,n,space", "turn(1)", "next", help="The next page"),
        Action("statistics.previous", "left,p", "turn(-1)", "previous", help="The page before"),
        Action("statistics.on", "pagedown,down,j", "page(1)", "page down", False),
        Action("statistics.back", "pageup,up,k", "page(-1)", "page up", False),
        Action("statistics.leave", "escape,q,s", "app.pop_screen", "back"),
    ),
    "note": (
        Action("note.keep", "f2", "keep", "keep", help="Keep the note"),
        Action("note.leave", "escape", "leave", "leave as it was", help="Without keeping it"),
    ),
    "checkpoint": (
        Action("checkpoint.open", "enter", "open", "open", help="Open this part, or this day"),
        Action("checkpoint.down", "j", "cursor(1)", "down", False),
        Action("checkpoint.up", "k", "cursor(-1)", "up", False),
        Action("checkpoint.ideas", "c", "ideas", "ideas", help="The phase's ideas as a map"),
        Action("checkpoint.written", "w", "written", "what you wrote",
               help="Every reflection you wrote, with search"),
        Action("checkpoint.leave", "escape,q", "app.pop_screen", "back",
               help="Leave; everything is kept"),
    ),
    "checklist": (
        Action("checklist.tick", "space,enter,x", "tick", "I can", help="Tick it, or take it back"),
        Action("checklist.open", "o", "open", "open the day", help="Read that day again"),
        Action("checklist.down", "j", "cursor(1)", "down", False),
        Action("checklist.up", "k", "cursor(-1)", "up", False),
        Action("checklist.leave", "escape,q", "app.pop_screen", "back"),
    ),
    "misconceptions": (
        Action("misconceptions.next", "enter,n,space", "next", "next"),
        Action("misconceptions.on", "pagedown", "page(1)", "page down", False),
        Action("misconceptions.back", "pageup", "page(-1)", "page up", False),
        Action("misconceptions.leave", "escape", "app.pop_screen", "back"),
    ),
    "reflection": (
        Action("reflection.next", "f2", "turn(1)", "next", help="Keep this, and go on"),
        Action("reflection.previous", "f3", "turn(-1)", "before", help="The prompt before"),
        Action("reflection.clock", "f4", "clock", "clock", help="Show or hide the time left"),
        Action("reflection.leave", "escape", "leave", "leave", help="Leave; your text is kept"),
    ),
    "written": (
        Action("written.down", "down", "scroll(1)", "down", False),
        Action("written.up", "up", "scroll(-1)", "up", False),
        Action("written.leave", "escape", "app.pop_screen", "back"),
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
        Action("lab.ladder", "l,shift+f7", "ladder", "ladder", False,
               "Every stage from this file to machine code"),
        Action("lab.own_editor", "e,f4", "own_editor", "own editor",
               help="Open the file in $VISUAL or $EDITOR"),
        Action("lab.edit", "i", "edit", "edit", False, "Back to the editor"),
        Action("lab.leave", "escape,q", "leave", "back", help="Leave; your text is saved"),
    ),
    "ladder": (
        Action("ladder.next", "n", "stage(1)", "next", help="The next stage down"),
        Action("ladder.previous", "p", "stage(-1)", "previous", help="The stage above"),
        Action("ladder.about", "e,enter", "about", "explain",
               help="What this stage is, all its notes, and what the cursor is on"),
        Action("ladder.search", "slash", "search", "search", help="Find a text in this stage"),
        Action("ladder.found", "right_square_bracket", "find(1)", "next match", False,
               "The next match; when comparing, the next change"),
        Action("ladder.found_before", "left_square_bracket", "find(-1)", "match before", False),
        Action("ladder.fold", "f", "fold", "fold", help="Fold the block around the cursor, or open it"),
        Action("ladder.fold_all", "F", "fold_all", "fold all", False, "Fold every block, or none"),
        Action("ladder.quiet", "d", "quiet", "debug lines", False,
               "Leave out lines that only say where code came from"),
        Action("ladder.compare", "c", "compare", "compare",
               help="What another version became, stage by stage"),
        Action("ladder.inputs", "i", "inputs", "inputs", help="Shapes and types to lower for"),
        Action("ladder.target", "t", "target", "target", help="The GPU to lower for"),
        Action("ladder.function", "u", "function", "function", False, "Another function of the file"),
        Action("ladder.backward", "B", "backward", "backward", False, "With the backward pass, or not"),
        Action("ladder.again", "r", "again", "again", False, "Lower it once more"),
        Action("ladder.stop", "x", "stop", "stop", False, "Stop lowering"),
        Action("ladder.copy", "y", "copy", "copy", help="Copy this stage's text"),
        Action("ladder.other", "o", "other", "other side", False, "Between the two texts"),
        Action("ladder.zoom", "z", "zoom", "zoom", False, "One text, or two side by side"),
        Action("ladder.back", "escape", "escape", "back", help="Stop, or back to where you were"),
        Action("ladder.leave", "q", "leave", "back", False, "Back to where you were"),
    ),
    "about": (Action("about.close", "escape,q,e,enter", "app.pop_screen", "close"),),
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
