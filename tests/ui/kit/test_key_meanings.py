"""The keys have one meaning: function keys in the whole application, `j` and `k` wherever rows move."""

from collections import defaultdict

from tutor.ui.kit.keys.actions import ACTIONS, BY_ID

# The meaning of each function key, and the actions that are it.
MEANINGS = {
    "f1": {"app.help", "help.close", "window.help"},
    "f2": {"question.submit", "note.keep", "reflection.next", "lab.check", "break.play"},
    "f3": {
        "lab.hint",
        *(f"{place}.give_up" for place in ("placement", "lesson", "quiz", "review", "says")),
    },
    "f4": {"lab.menu", "editmenu.close"},
    "f5": {"lab.check", "scratch.run", "faulty.again", "break.play"},  # run what stands here
    "f6": {"lab.other", "editor.other"},
    "f7": {"lab.task", "editor.task"},
    "f8": {"lab.attempts"},
    "f9": {"lab.detail"},
    "f10": {"lab.stop", "scratch.stop", "break.stop"},
    "f11": {"lab.next", "says.leave_out"},
    "f12": {"lab.line"},
}


def actions_by_key() -> dict[str, set[str]]:
    found = defaultdict(set)
    for action in BY_ID.values():
        for key in action.keys.split(","):
            found[key].add(action.id)
    return found


def test_a_function_key_means_the_same_everywhere() -> None:
    found = actions_by_key()
    assert {key: found[key] for key in found if key[0] == "f" and key[1:].isdigit()} == MEANINGS


def test_what_is_handed_in_or_saved_has_ctrl_s() -> None:
    assert actions_by_key()["ctrl+s"] == MEANINGS["f2"]


def test_j_and_k_only_move() -> None:
    moves = {"down": "j", "up": "k"}
    for actions in ACTIONS.values():
        for action in actions:
            keys = action.keys.split(",")
            for arrow, letter in moves.items():
                if letter in keys:
                    step = 1 if letter == "j" else -1
                    assert arrow in keys or action.action in (f"cursor({step})", f"scroll({step})")


def test_what_works_on_every_screen_is_no_other_key() -> None:
    """README: settings, commands, parts of the screen, colours. A page that such a key opens may close
    with it."""
    everywhere = {"comma": "settings", "colon": "", "semicolon": "jump", "T": ""}
    for key, opened in everywhere.items():
        [name] = {id_.split(".")[0] for id_ in actions_by_key()[key]} - {opened}
        assert name == "app"
