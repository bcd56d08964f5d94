"""The search, with programs that are really run: a change is found if it makes every example right."""

import ast
from collections.abc import Callable

import pytest

from tutor.judge.repair import place
from tutor.judge.repair.candidates import CandidateList, keep_targets
from tutor.judge.repair.edits import Program, delete_node, insert_node, replace_node
from tutor.judge.repair.likeness import Likeness
from tutor.judge.repair.right_answers import compare_answers
from tutor.judge.repair.search import Repair, Spent, Trial, find_repair
from tutor.judge.repair.slips import find_slips
from tutor.judge.repair.trees import functions, read_program

RIGHT = """
def weighted_mean(values, weights, floor=1e-9):
    total, weight = 0.0, 0.0
    for value, share in zip(values, weights):
        if share > 0:
            total += value * share
            weight += share
    return total / max(weight, floor)
"""
EXAMPLES = (
    (([1.0, 2.0, 6.0], [1.0, 1.0, 2.0]), 3.75),
    (([4.0], [0.5]), 4.0),
    (([3.0, 5.0], [0.0, 2.0]), 5.0),
    (([3.0, 5.0], [-1.0, 2.0]), 5.0),
    (([], []), 0.0),
    (([8.0, 2.0], [3.0, 1.0]), 6.5),
    (([1.0], [0.1]), 1.0),
)


class Running:
    """Runs programs on the examples; at most `most` of them."""

    def __init__(self, most: int = 150) -> None:
        self.tried: list[str] = []
        self._most = most

    @property
    def spent(self) -> float:
        return len(self.tried) / self._most

    def attempt(self, source: str) -> Trial:
        if self.spent >= 1:
            raise Spent
        self.tried.append(source)
        right = 0
        for arguments, wanted in EXAMPLES:
            try:
                space: dict[str, Callable[..., float]] = {}
                exec(source, space)
                if abs(space["weighted_mean"](*arguments) - wanted) > 1e-6:
                    break
            except Exception:
                break
            right += 1
        return Trial(right, right == len(EXAMPLES))


def repaired(source: str, most: int = 150, answers: str = RIGHT) -> Repair | None:
    return find_repair(source, [("solution", answers)], Running(most))


def written(source: str) -> tuple[list[int], str]:
    found = repaired(source)
    assert found is not None
    return place.lines_of(found.edits), place.write_change(found.program, found.edits, source)


MINE = (
    RIGHT.replace("total", "acc")
    .replace("share", "w")
    .replace("value,", "v,")
    .replace("value *", "v *")
)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("w > 0", "w >= -1", 5),
        ("acc += v * w", "acc = v * w", 6),
        ("v * w", "v + w", 6),
        ("acc / max(weight, floor)", "max(weight, floor) / acc", 8),
        ("weight += w", "weight += v", 7),
        ("max(weight, floor)", "min(weight, floor)", 8),
        (
            "        if w > 0:\n            acc += v * w\n            weight += w\n",
            "        if w > 0:\n            acc += v * w\n        weight += w\n",
            7,
        ),
    ],
)
def test_one_slip_is_found_at_its_line_in_the_learners_names(old: str, new: str, line: int) -> None:
    assert old in MINE
    lines, change = written(MINE.replace(old, new))
    assert lines == [line] or line in lines
    assert "total" not in change.replace("total, weight", "")


def test_a_name_that_only_the_right_answer_has_is_not_said_to_be_missing() -> None:
    answer = RIGHT.replace(
        "            total += value * share\n",
        "            part = value * share\n            total += part + 0\n",
    )
    found = repaired(MINE.replace("acc += v * w", "acc += v * w + 3"), answers=answer)
    assert found is not None
    kind = place.describe_kind(found.program, found.edits)
    assert kind == "Line 6: what is added to `acc` has the wrong number, `3`."


def test_two_slips_are_found_together() -> None:
    lines, _ = written(MINE.replace("v * w", "v + w").replace("weight += w", "weight += v"))
    assert lines == [6, 7]


def test_a_slip_is_found_without_any_right_answer() -> None:
    wrong = MINE.replace("w > 0", "w < 0")
    found = find_repair(wrong, [], Running())
    assert found is not None
    assert place.lines_of(found.edits) == [5]


def test_the_changed_program_does_what_the_change_says() -> None:
    wrong = MINE.replace("v * w", "v + w")
    found = repaired(wrong)
    assert found is not None
    assert Running().attempt(found.text).accepted
    change = place.write_change(found.program, found.edits, wrong)
    assert "-            acc += v + w" in change
    assert "+            acc += v * w" in change


def test_a_right_program_has_no_repair() -> None:
    assert repaired(MINE) is None


def test_nothing_is_found_where_the_budget_is_too_small() -> None:
    assert repaired(MINE.replace("v * w", "v + w"), most=1) is None


def test_no_line_is_told_that_needs_no_change_however_soon_the_budget_ends() -> None:
    wrong = MINE.replace("v * w", "v + w").replace("weight += w", "weight += v")
    wrong = wrong.replace("floor=1e-9", "floor=1e-6").replace("w > 0", "w > 1e-12")
    for most in range(1, 151, 2):
        if found := repaired(wrong, most):
            assert place.lines_of(found.edits) == [6, 7], most


def test_a_missing_function_is_no_small_change() -> None:
    found = repaired("import math\n")
    assert found is not None
    assert not found.small


def test_another_program_altogether_is_no_small_change() -> None:
    far = "def weighted_mean(values, weights):\n    return sorted(values)[len(values) // 2]\n"
    found = repaired(far)
    assert found is None or not found.small


def test_a_number_gives_way_to_another_change() -> None:
    """`floor=0.0` fails on nothing else, so both 1e-9 and the way it is used would do; a number is told
    last."""
    wrong = MINE.replace("zip(values, weights)", "zip(values[1:], weights)")
    found = repaired(wrong)
    assert found is not None
    change = place.write_change(found.program, found.edits, wrong)
    assert "zip(values, weights)" in change, "not `values[0:]`, another number in its place"


@pytest.mark.parametrize("source", ["def f(:", "x = " + "(" * 500 + ")" * 500])
def test_what_cannot_be_read_has_no_repair(source: str) -> None:
    assert repaired(source) is None


def test_a_result_that_is_mended_from_outside_names_no_place() -> None:
    """The mistake is in the sum; work on what is returned would hide it."""
    wrong = RIGHT.replace("total += value * share", "total -= value * share").replace(
        "    return total / max(weight, floor)",
        "    mean = total / max(weight, floor)\n    return mean",
    )
    outside = RIGHT.replace("total += value * share", "total -= value * share").replace(
        "    return total / max(weight, floor)",
        "    mean = total / max(weight, floor)\n    return abs(mean)",
    )
    assert repaired(wrong, answers=outside) is None
    found = repaired(wrong)
    assert found is not None
    assert place.lines_of(found.edits) == [6]


SQUARES = """
def weighted_mean(values, weights):
    pairs = [(v, w) for v, w in zip(values, weights) if w > 0]
    total = sum(v * w for v, w in pairs)
    weight = {weight}
    shown = len(pairs)
    return {returned}
"""


def test_a_computation_that_passes_by_what_is_wrong_names_no_place() -> None:
    """The right answer works the total out at the end; the mistake is where it is added up."""
    whole = "sum(v * w for v, w in zip(values, weights) if w > 0)"
    answer = RIGHT.replace("            total += value * share\n", "")
    answer = answer.replace("return total", f"return {whole}")
    wrong = RIGHT.replace("value * share", "pow(value, 2) * share - 1")
    assert repaired(wrong, answers=answer) is None
    found = repaired(wrong)
    assert found is not None
    assert place.lines_of(found.edits) == [6]


def test_what_takes_a_name_s_place_is_put_where_the_name_is_set() -> None:
    right = SQUARES.format(weight="0", returned="total / max(1e-9, sum(w for v, w in pairs))")
    wrong = SQUARES.format(
        weight="float(shown_weights(weights))", returned="total / max(1e-9, weight)"
    )
    wrong += "\ndef shown_weights(weights):\n    return len(weights)\n"
    found = repaired(wrong, answers=right)
    assert found is not None
    assert place.lines_of(found.edits) == [5]


def test_a_constant_that_a_change_brings_along_is_no_line_of_it() -> None:
    program = Program(read_program("import math\n\ndef f(x):\n    return x + 2\n"))
    (new,) = read_program("STEP = 3").body
    (returned,) = functions(program.tree)["f"].body
    edits = [insert_node(program.tree, "body", 1, new), replace_node(returned, returned)]
    assert place.lines_of(edits) == [4]


def test_a_statement_that_sets_a_name_anew_stands_for_the_one_that_has_set_it() -> None:
    program = Program(
        read_program("def f(x):\n    if x:\n        y = x\n    z = 1\n    return y + z\n")
    )
    (new,) = read_program("y = x + 1").body
    edit = insert_node(functions(program.tree)["f"], "body", 2, new)
    said = place.describe_place(program, [edit], "all cases", parts=True)
    assert said == "A change in line 2 makes all cases right."
    assert place.describe_kind(program, [edit]).startswith("Line 2: ")


def test_a_statement_that_was_read_before_it_is_set_anew_is_not_the_place() -> None:
    program = Program(read_program("def f(x):\n    y = x\n    z = y\n    return y + z\n"))
    (new,) = ast.parse("w, y = 2, x + w").body
    body = functions(program.tree)["f"]
    after = [insert_node(body, "body", 2, new)]
    said = place.describe_place(program, after, "all cases", parts=True)
    assert said == "A change before line 4 makes all cases right."
    before = [insert_node(body, "body", 1, new)]
    assert place.lines_of(before) == [2]


def test_names_that_are_set_by_one_statement_are_changed_one_by_one() -> None:
    wrong = RIGHT.replace("total, weight = 0.0, 0.0", "total = 0.0\n    weight = 1.0")
    found = repaired(wrong)
    assert found is not None
    assert place.lines_of(found.edits) == [4]


def test_a_name_that_a_later_statement_sets_anew_is_told_where_it_is_set() -> None:
    def found(text: str) -> tuple[str, int] | None:
        program = Program(read_program(text))
        names = (n for n in ast.walk(program.tree) if isinstance(n, ast.Name))
        (old,) = (n for n in names if n.id == "z" and isinstance(n.ctx, ast.Store))
        edit = replace_node(old, ast.Name("y", ast.Store()))
        return place.find_reset_name(program, [edit])

    assert found("def f(x):\n    y = x\n    z = x + 1\n    return z\n") == ("y", 2)
    assert found("def f(x):\n    y = x\n    x = y\n    z = x + 1\n    return z\n") is None
    assert found("def f(x):\n    z = x + 1\n    y = z\n    return y\n") is None


def test_an_import_that_a_change_brings_along_is_no_line_of_it() -> None:
    program = Program(read_program("import math\n\ndef f(x):\n    return x\n"))
    (new,) = read_program("import os").body
    result = functions(program.tree)["f"].body[0]
    edits = [insert_node(program.tree, "body", 0, new), replace_node(result, result)]
    assert place.lines_of(edits) == [4]
    assert place.lines_of(edits[:1]) == [1]


def test_the_parameters_of_a_function_do_not_stand_for_a_repair() -> None:
    program = Program(read_program("def f(x, y):\n    return x\n"))
    function = functions(program.tree)["f"]
    edits = [
        replace_node(function.args.args[1], function.args.args[1]),
        replace_node(function.body[0], function.body[0]),
    ]
    assert place.lines_of(edits) == [1, 2]
    assert place.main_line(edits) == 2


def test_a_number_for_what_computes_one_is_never_said() -> None:
    right = RIGHT.replace(", floor=1e-9", "").replace("max(weight, floor)", "max(weight, 1e-9)")
    computed = right.replace("1e-9)\n", "least())\n") + "\ndef least():\n    return 5.0\n"
    assert repaired(computed, answers=right) is None


SKIPPING = """
def weighted_mean(values, weights, floor=1e-9):
    total, weight, seen = 0.0, 0.0, []
    for value, share in zip(values, weights):
        if share <= 0:
            continue
        total += value * share
        seen.append(share)
    return total / max(sum(seen), floor)
"""


def test_a_new_branch_stands_for_the_condition_of_one_that_does_the_same() -> None:
    wrong = SKIPPING.replace("if share <= 0:", "if not isinstance(value, (int, float, complex)):")
    found = repaired(wrong, answers=SKIPPING)
    assert found is not None
    assert place.lines_of(found.edits) == [5]
    assert ast.unparse(found.edits[0].new or ast.Pass()) == "share <= 0"


def test_a_statement_that_stands_at_the_wrong_place_is_told_where_it_stands() -> None:
    wrong = SKIPPING.replace("        seen.append(share)\n", "").replace(
        "    return",
        "    share = weights[0] if weights else 0\n    seen.append(share)\n    return",
    )
    found = repaired(wrong, answers=SKIPPING)
    assert found is not None
    assert place.lines_of(found.edits) == [9]
    said = place.describe_place(found.program, found.edits, "all cases", parts=True)
    assert said == "A change in line 9 makes all cases right."
    assert sorted(edit.line for edit in found.edits) == [7, 9]


def test_a_function_of_several_statements_is_at_fault_and_not_its_call() -> None:
    helper = "\ndef scaled(value, share):\n    size = {size}\n    return size * share\n"
    wrong = RIGHT.replace("value * share", "scaled(value, share)")
    found = repaired(wrong + helper.format(size="value + 1"))
    assert found is not None
    assert place.lines_of(found.edits) == [11]
    odd = repaired(wrong + helper.format(size="hash((value, 5)) % 7"))
    assert odd is None or min(place.lines_of(odd.edits)) > 10  # never line 6, the call


def test_a_move_that_is_not_needed_is_left_out_as_a_whole() -> None:
    text = "FLOOR = 2.0\n" + RIGHT.replace(", floor=1e-9", "").replace("floor", "FLOOR")
    answer = RIGHT.replace(", floor=1e-9", "").replace("max(weight, floor)", "max(weight, 1e-9)")
    found = repaired(text, answers=answer)
    assert found is None or place.lines_of(found.edits) == [1]


def test_another_value_of_a_constant_stands_for_what_replaces_its_name() -> None:
    text = "LEAST = {}\n" + RIGHT.replace(", floor=1e-9", "").replace("floor", "LEAST")
    found = repaired(text.format("2.0"), answers=text.format("1e-9"))
    assert found is not None
    assert place.lines_of(found.edits) == [1]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            "f(\n    x,\n    a=1,\n    b=2,\n)",
            "f(x, a=1, b=2, c=3)",
            4,
        ),  # one is missing at the end
        ("f(\n    x,\n    a=1,\n    b=2,\n)", "f(x, a=1)", 4),
        ("f(\n    x,\n    a=1,\n    b=2,\n)", "f(x, a=2, b=2)", 3),
        ("f(\n    x,\n    a=1,\n    b=2,\n)", "g(x, a=1, b=2)", 1),
        ("(\n    a\n    and b\n    and c\n)", "a and d and b and c", 3),
        ("{\n    1: 2,\n    3: 4,\n    5: 6,\n}", "{1: 2, 5: 6}", 3),
        ("f(x)", "f(y)", 1),
    ],
)
def test_of_a_statement_of_several_lines_the_one_that_differs_is_told(
    old: str, new: str, line: int
) -> None:
    program = Program(read_program(f"x = {old}\n"))
    (mine,), (theirs,) = program.tree.body, read_program(f"x = {new}\n").body
    assert place.lines_of([replace_node(mine, theirs)]) == [line]
    assert isinstance(mine, ast.Assign)
    assert isinstance(theirs, ast.Assign)
    edit = replace_node(mine.value, theirs.value)
    assert place.lines_of([edit]) == [line]
    assert place.describe_kind(program, [edit]).startswith(f"Line {line}: ")


def test_a_number_in_a_branch_stands_before_the_branch_s_elif() -> None:
    text = RIGHT.replace(
        "        if share > 0:\n            total += value * share\n            weight += share\n",
        "        if share == 2:\n            total += value * {}\n            weight += 2\n"
        "        elif share > 0:\n            total += value * share\n            weight += share\n",
    )
    found = repaired(text.format(1), answers=text.format(2))
    assert found is not None
    assert place.lines_of(found.edits) == [6]


def test_a_name_that_a_right_answer_reads_there_is_tried_early() -> None:
    """`rows` stands where the right answer, of another form, reads `columns`."""
    text = "def f(lane, rows, columns):\n    at = {}\n    return at + rows + columns\n"
    wrong, answer = text.format("lane * rows + 1"), text.format("1 + lane[0, 1] * columns * 2")
    program, likeness = Program(read_program(wrong)), Likeness()

    def cost(answers: list[tuple[str, str]]) -> float:
        compared = compare_answers(program.tree, answers, likeness)
        listed = CandidateList(program, compared, likeness).collect()
        mended = "at = lane * columns + 1"
        return min(each.cost for each in listed if mended in program.after(each.edits))

    assert cost([("solution", answer)]) <= cost([]) - 0.5


def test_of_lines_that_are_neighbours_not_each_is_called_a_part_of_it() -> None:
    program = Program(read_program("def f(x):\n    y = x\n    z = y\n    w = z\n    return w\n"))
    first, second, third, _ = functions(program.tree)["f"].body
    near = [replace_node(each, each) for each in (first, second)]
    said = place.describe_place(program, near, "all cases", parts=True)
    assert said == "A change within lines 2 to 3 makes all cases right."
    apart = [replace_node(each, each) for each in (first, third)]
    said = place.describe_place(program, apart, "all cases", parts=True)
    assert said == "Changes in lines 2 and 4 make all cases right together."


def test_what_is_missing_after_a_branch_stands_after_its_last_line() -> None:
    program = Program(read_program("def f(x):\n    if x:\n        x = 1\n        x += 2\n"))
    (new,) = read_program("y = 1").body
    edit = insert_node(functions(program.tree)["f"], "body", 1, new)
    said = place.describe_place(program, [edit], "all cases", parts=True)
    assert said == "A change after line 4 makes all cases right."


@pytest.mark.parametrize(
    ("line", "old", "part"),
    [
        ("kernel[(n,)](x)", "n", "the grid"),
        ("schedule.vectorize(loops[1])", "1", ""),  # an argument, and no launch
        ("y = schedule.vectorize(loops[1])", "1", "how `y` is computed"),
    ],
)
def test_the_grid_is_what_a_launch_is_indexed_with(line: str, old: str, part: str) -> None:
    program = Program(read_program(f"def f(schedule, kernel, loops, x, n):\n    {line}\n"))
    (node,) = [
        node
        for node in ast.walk(program.tree)
        if isinstance(node, ast.Name | ast.Constant) and ast.unparse(node) == old
    ]
    assert place.part_of(program, node) == part


def test_lines_with_nothing_left_between_them_are_neighbours() -> None:
    text = "def f(x):\n    if x:\n        y = x\n    # a word\n    return y\n"
    program = Program(read_program(text))
    branch, last = functions(program.tree)["f"].body
    edits = [delete_node(branch), replace_node(last.value, last.value)]
    assert not place.lie_apart(program, edits)
    said = place.describe_place(program, edits, "all cases", parts=True)
    assert said == "A change within lines 2 to 5 makes all cases right."


APART = """
def weighted_mean(values, weights, floor=1e-9):
    acc, weight = 0.0, 0.0
    for v, w in zip(values, weights):
        if w > 0:
            acc += v * w
            weight += w
    return acc / max(weight, floor)
"""


def test_of_lines_apart_each_does_something_alone_or_the_one_that_does_is_named() -> None:
    program = Program(read_program("def f(x):\n    y = x\n    z = y\n    w = z\n    return w\n"))
    first, _, third, _ = functions(program.tree)["f"].body
    edits = [replace_node(each, each) for each in (first, third)]
    said = place.describe_place(program, edits, "all cases", parts=True, effective={2, 4})
    assert said == "Changes in lines 2 and 4 make all cases right together."
    said = place.describe_place(program, edits, "all cases", parts=True, effective={4})
    assert said == "A change in line 4 makes a wrong case right, and with line 2 all cases."


def test_two_slips_that_lie_apart_are_tried_alone_too() -> None:
    """The first two cases ask for `acc / …`, the third for the branch as well."""
    wrong = APART.replace("w > 0", "w >= -1").replace("acc / max(weight", "acc + max(weight")
    found = repaired(wrong)
    assert found is not None
    assert place.lines_of(found.edits) == [5, 8]
    assert found.effective == {8}


def test_nothing_is_said_of_changes_that_call_a_helper_no_more() -> None:
    """The helper is at fault: it takes the first number each time. Both calls of it are replaced."""
    right = (
        "def weighted_mean(values, weights, floor=1e-9):\n"
        "    vs = list(values)\n"
        "    low = floor\n"
        "    ws = list(weights)\n"
        "    total = sum(v * w for v, w in zip(vs, ws) if w > 0)\n"
        "    return total / max(sum(w for w in ws if w > 0), low)\n"
    )
    helper = "def taken(numbers):\n    return [numbers[0] for _ in numbers]\n"
    wrong = helper + right.replace("list(", "taken(")
    assert repaired(wrong, answers=right) is None


def test_work_done_anew_after_a_loop_that_fills_a_list_says_nothing() -> None:
    right = (
        "def weighted_mean(values, weights, floor=1e-9):\n"
        "    kept = [(v, w) for v, w in zip(values, weights) if w > 0]\n"
        "    return sum(v * w for v, w in kept) / max(sum(w for _, w in kept), floor)\n"
    )
    wrong = (
        "def weighted_mean(values, weights, floor=1e-9):\n"
        "    kept = []\n"
        "    for v, w in zip(values, weights):\n"
        "        kept.append((v, w) if w > 0 else (1, 1))\n"
        "    return sum(v * w for v, w in kept) / max(sum(w for _, w in kept), floor)\n"
    )
    found = repaired(wrong, answers=right)
    assert found is None or place.lines_of(found.edits) == [4]


def test_a_name_that_is_compared_is_not_made_a_comparison_itself() -> None:
    right = APART.replace("        if w > 0:\n", "        keep = w > 0\n        if keep:\n")
    wrong = APART.replace("        if w > 0:\n", "        share = w\n        if share >= 1:\n")
    found = repaired(wrong, answers=right)
    assert found is not None
    assert place.lines_of(found.edits) == [6]


@pytest.mark.parametrize("limits", ["232448, 255, 1024", "read()"])
def test_names_are_set_in_the_order_that_the_program_has(limits: str) -> None:
    text = f"def f(machine):\n    shared, register, thread = {limits}\n    return shared\n"
    program = Program(read_program(text))
    function = functions(program.tree)["f"]
    (theirs,) = read_program("shared, thread, register = machine").body
    whole = len(function.body) == 2
    first = replace_node(function.body[0], theirs)
    mine = keep_targets(first if whole else insert_node(function, "body", 3, theirs))
    assert mine is not None
    assert ast.unparse(mine.new) == "shared, register, thread = machine"
    assert keep_targets(mine) is None


def test_of_values_that_are_handed_to_several_names_the_right_ones_are_one_change() -> None:
    """Read off the right answer, `thread` and `register` change places: line 2 alone is at fault."""
    right = (
        "def weighted_mean(values, weights, floor=1e-9):\n"
        "    acc, low, weight = limits(floor)\n"
        "    for v, w in zip(values, weights):\n"
        "        if w > 0:\n"
        "            acc += v * w\n"
        "            weight += w\n"
        "    return acc / max(weight, low)\n"
        "def limits(floor):\n"
        "    return 0.0, floor, 0.0\n"
    )
    wrong = right.replace("acc, low, weight = limits(floor)", "acc, low, weight = 0.0, 0.0, 0.0")
    found = repaired(wrong, answers=right)
    assert found is not None
    assert place.lines_of(found.edits) == [2]


def test_what_a_change_brings_along_does_not_make_it_sayable() -> None:
    right = "SHARE = 1\n" + APART.replace(
        "        if w > 0:\n", "        keep = w > 0\n        if keep >= SHARE:\n"
    )
    wrong = APART.replace("        if w > 0:\n", "        share = w\n        if share >= 1:\n")
    found = repaired(wrong, answers=right)
    assert found is not None
    assert place.lines_of(found.edits) == [6]


def test_a_grid_that_is_rounded_down_is_found_inside_a_maximum() -> None:
    text = "def f(n):\n    kernel[(max(n // 64, 1),)](n, LANES=64)\n"
    program = Program(read_program(text))
    costs = [slip.cost for slip in find_slips(program) if "cdiv" in program.after(slip.edits)]
    assert min(costs) < 1
