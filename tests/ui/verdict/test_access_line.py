"""A load in a line that the learner's text has not: its number stands there alone."""

from doing import seen, until
from monkey_ways import RecordedJudge

from tutor.course.catalog.course import open_course
from tutor.ui.app import TutorApp
from tutor.ui.home.home import HomeScreen
from tutor.ui.verdict.access_map import AccessScreen


async def test_a_step_outside_the_text_is_shown_by_its_number(app: TutorApp) -> None:
    app.judge = RecordedJudge(open_course().root)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        app.push_screen(AccessScreen("row_sum", "", "row_sum.py"))
        await until(pilot, lambda: "Program (0, 0, 0)" in seen(app))
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "▸" in seen(app))
