"""How a prediction turned out stays below the cell that told it."""

import pytest
from doing import seen, until
from reading_course import LESSON, open_lesson
from test_leading_on import SMALL, write_lesson
from textual.widgets import Input

from tutor.ui.app import TutorApp
from tutor.ui.cells.cell_runs import CellRun, PredictionOutcome
from tutor.ui.cells.cell_view import CellView, outcomes
from tutor.ui.question.choice_fields import OptionsField
from tutor.ui.question.question_view import QuestionView


@pytest.mark.parametrize(
    ("right", "credit", "said"),
    [
        (True, 1.0, "✓ Your prediction is right."),
        (False, 0.5, "~ Your prediction is partly right; the answer stands above."),
        (False, 0.0, "✗ Your prediction is wrong; the answer stands above."),
        (None, 0.0, "– You left your prediction open; the answer stands above."),
    ],
)
def test_an_answer_of_several_lines_is_not_said_again(
    right: bool | None, credit: float, said: str
) -> None:
    outcome = PredictionOutcome("1. one\n2. two", right, credit, "1. two\n2. one")
    assert outcomes(CellRun(outcomes=(outcome,))).plain == said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("41", "✗ You predicted 41; it is 43."),
        ("41..42", "✗ You predicted 41 to 42; it is 43."),
        (None, "– You left your prediction open. It is 43."),
    ],
)
async def test_the_outcome_stands_below_the_output(
    app: TutorApp, said: str | None, outcome: str
) -> None:
    why = "One more than n. " * 40  # so long that it pushes the verdict out of sight
    code = "print('now', n + 1)\n" + "print('.')\n" * 16
    text = LESSON.replace("One more than n.", why).replace('print("now", n + 1)\n', code)
    write_lesson(app, text)
    async with app.run_test(size=SMALL) as pilot:
        screen = await open_lesson(pilot, section=1)
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.focused, Input))
        if said is None:
            await pilot.press("f3")
        else:
            await pilot.press(*said, "enter")
        await until(pilot, lambda: isinstance(app.focused, CellView))
        await pilot.press("x")
        await until(pilot, lambda: outcome in seen(app))
        await pilot.pause(0.6)  # the explanation above has been laid out by then
        shown = seen(app)
        assert outcome in shown, shown
        cell = screen.lesson.cells[1]
        screen.cells.run(cell)  # it stays there when the cell runs again
        await until(pilot, lambda: screen.cells.visit.run_of(cell).state == "ok")
        assert len(screen.cells.visit.run_of(cell).outcomes) == 1
        if said == "41":  # it may be answered again, and the first answer stays
            name = screen.cells.settled_on(screen.here.section)[0].id
            await pilot.press("R")
            await until(pilot, lambda: isinstance(app.focused, Input))
            await pilot.press(*"43", "enter")
            await until(pilot, lambda: "✓ Right" in seen(app))
            last = app.record.activity.last_answer(name)
            first = app.record.activity.last_answer(name, retries=False)
            assert (last.origin, last.right, first.right) == ("retry", True, False)
        await pilot.press("p")
        await pilot.pause(0.3)
        await pilot.press("n")
        await until(pilot, lambda: bool(screen.query(CellView)))
        await pilot.press("end")
        await until(pilot, lambda: outcome in seen(app))


@pytest.mark.slow
@pytest.mark.parametrize("chosen", ["far", "near"])
async def test_a_choice_that_the_cell_decides_is_marked(app: TutorApp, chosen: str) -> None:
    asked = 'kind = "choice"\nprompt = "What?"\n'
    options = '[options]\nfar = "Forty-three"\nnear = "Seven"\n'
    options += '[feedback]\nfar = "Far."\nnear = "Near."\n'
    before, _, rest = LESSON.partition("```predict\n")
    _, _, after = rest.partition("```\n")
    predict = f"```predict\nid = \"d01-now\"\n{asked}answer_from = \"'far' if n else 'near'\"\n"
    write_lesson(app, f'{before}{predict}explanation = "As n."\n{options}```\n{after}')
    async with app.run_test(size=(80, 60)) as pilot:
        await open_lesson(pilot, section=1)
        view = app.screen.query_one(QuestionView)
        assert isinstance(view.field, OptionsField)
        await pilot.press("x")
        letters = {key: letter for letter, key in view.field.keys.items()}
        await pilot.press(letters[chosen], "enter")
        await until(pilot, lambda: isinstance(app.focused, CellView))
        await pilot.press("x")
        await until(pilot, lambda: "As n." in seen(app))
        mine = {True: "●", False: " "}
        assert f"✓{mine[chosen == 'far']}{letters['far']} Forty-three" in seen(app)
        wrong = "✗●" if chosen == "near" else "  "
        assert f"{wrong}{letters['near']} Seven" in seen(app)


@pytest.mark.slow
async def test_a_choice_that_the_cell_has_decided_is_graded_the_same_when_it_is_retried(
    app: TutorApp,
) -> None:
    options = '[options]\na = "Forty-three"\nb = "Seven"\nc = "Six"\n'
    options += '[feedback]\na = "A."\nb = "B."\nc = "C."\n'
    before, _, rest = LESSON.partition("```predict\n")
    _, _, after = rest.partition("```\n")
    asked = 'id = "d01-three"\nkind = "choice"\nprompt = "What?"\nanswer_from = "\'a\'"\n'
    write_lesson(app, f'{before}```predict\n{asked}explanation = "As n."\n{options}```\n{after}')
    async with app.run_test(size=(80, 60)) as pilot:
        await open_lesson(pilot, section=1)
        view = app.screen.query_one(QuestionView)
        # Letters stay and the texts change under them; each of the three has another one here.
        right = next(key for key, text in view.question.options.items() if text == "Forty-three")
        labels = view.question.labels["options"]
        assert labels[labels[right]] != "a"
        await pilot.press("x")
        await pilot.press(right, "enter")
        await until(pilot, lambda: isinstance(app.focused, CellView))
        await pilot.press("x")
        await until(pilot, lambda: "✓ Right" in seen(app))
        await pilot.press("R")
        await until(pilot, lambda: "✓ Right" not in seen(app))
        await pilot.press(right, "enter")
        await until(pilot, lambda: "As n." in seen(app))
        assert "✓ Right" in seen(app)
