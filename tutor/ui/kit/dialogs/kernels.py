"""The exercises of a day: opened, or listed to choose from."""

from textual.content import Content

from tutor.memory.next_exercise import find_next_exercise
from tutor.memory.project_choice import exercises_to_do
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.dialogs.choice import ChooseScreen


def choose_kernel(screen: TutorScreen, day: int) -> None:
    """Open the exercise of a day, or a list of several at the next one."""
    course, record = screen.tutor.course, screen.tutor.record
    slugs = exercises_to_do(course, record, day)
    if len(slugs) == 1:
        screen.tutor.open(f"exercise:{slugs[0]}/{day}")
        return
    if not slugs:
        screen.say(f"Day {day} has no exercise.")
        return

    def chosen(index: int | None) -> None:
        if index is not None:
            screen.tutor.open(f"exercise:{slugs[index]}/{day}")

    passed = record.activity.passed_exercises()
    lines = [
        Content.assemble(("✓ ", "$success") if slug in passed else "□ ", slug) for slug in slugs
    ]
    following = find_next_exercise(course, record, day)
    first = slugs.index(following) if following in slugs else 0
    screen.app.push_screen(ChooseScreen("Exercises", lines, first), chosen)
