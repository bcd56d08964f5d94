"""Actions by task, in the order of the help page. Pure."""

from collections.abc import Iterable

HERE, ELSEWHERE, MOVE, LEAVE, EVERYWHERE = (
    "Here",
    "To another page",
    "Move",
    "Leave",
    "On every page",
)
GROUPS = (HERE, ELSEWHERE, MOVE, LEAVE, EVERYWHERE)
_MOVES = (
    "move(",
    "edge(",
    "app.move(",
    "app.edge(",
    "line(",
    "page(1)",
    "page(-1)",
    "end(",
    "cursor(",
    "column(",
    "word(",
    "walk(",
    "scroll(",
    "phase(",
    "app.focus_",
)
_OPENS = frozenset(
    (
        "cards",
        "contents",
        "kernels",
        "milestone",
        "project",
        "of_day('report')",
        "quiz",
        "ladder",
        "access",
        "says",
        "break_it",
        "see",
        "ideas",
        "sources",
        "words",
        "links",
        "bookmarks",
        "note",
        "kernel",
        "continue",
        "day",
        "lesson",
        "written",
        "app.bookmarks",
        "open",
    )
)
_LEAVES = frozenset(
    (
        "app.pop_screen",
        "leave",
        "back",
        "escape",
        "close",
        "home",
        "app.quit",
        "cancel",
    )
)


def group_of(action_id: str, action: str) -> str:
    """Return the group of an action; `action` is what its key runs, such as "turn(1)"."""
    if action_id.startswith(("app.", "window.")):
        return MOVE if action.startswith(_MOVES) or action.startswith("move") else EVERYWHERE
    if action.startswith(_MOVES):
        return MOVE
    if action in _LEAVES:
        return LEAVE
    return ELSEWHERE if action in _OPENS or action.startswith("app.open(") else HERE


def group_actions(actions: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The ids of (id, action) pairs by group; groups without actions are left out."""
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for action_id, action in actions:
        groups[group_of(action_id, action)].append(action_id)
    return {group: ids for group, ids in groups.items() if ids}
