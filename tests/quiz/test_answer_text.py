"""The right answer in words: a program is shown by what changes in it."""

from tutor.quiz.answer_text import LEFT_OUT, extract_changes

BEGUN = "\n".join(f"line_{number} = {number}" for number in range(20))


def test_a_short_program_stays_whole() -> None:
    answer = "# why\nreturn x + 1\n"
    assert extract_changes("return x\n", answer) == answer


def test_a_long_program_is_shown_where_it_changes() -> None:
    answer = BEGUN.replace("= 9\n", "= 90\n").replace("line_9 ", "# because\nline_9 ")
    assert extract_changes(BEGUN, answer).split("\n") == [
        LEFT_OUT,
        "line_7 = 7",
        "line_8 = 8",
        "line_9 = 90",
        "line_10 = 10",
        "line_11 = 11",
        LEFT_OUT,
    ]


def test_each_change_stands_by_itself() -> None:
    answer = BEGUN.replace("= 0\n", "= 5\n").replace("= 19", "= 5")
    shown = extract_changes(BEGUN, answer).split("\n")
    assert (shown[0], shown[-1]) == ("line_0 = 5", "line_19 = 5")
    assert shown.count(LEFT_OUT) == 1
    assert "line_10 = 10" not in shown


def test_a_program_that_differs_by_comments_alone_stays_whole() -> None:
    answer = "# nothing to change\n" + BEGUN
    assert extract_changes(BEGUN, answer) == answer
