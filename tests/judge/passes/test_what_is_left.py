"""How much is left of a program, at most and at least; and a text of MLIR that is read for it."""

from collections import Counter

import pytest

from tutor.judge.cases.mlir_texts import count_executed, read_function, wrap
from tutor.judge.cases.passes import find_fault
from tutor.judge.processes.worker_messages.rewrite_report import Operation, RewriteReport
from tutor.judge.spec import Rewrite

NEST = """builtin.module {
  func.func @f(%n: index, %b: i1, %x: i32) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (i32) {
      scf.for %j = %c0 to %i step %c1 {
        %t = arith.index_cast %j : index to i32
      }
      %k = arith.constant -3 : i32
      %p = scf.if %b -> (i32) {
        %q = arith.muli %a, %k : i32
        scf.yield %q : i32
      } else {
        scf.yield %x : i32
      }
      scf.yield %p : i32
    }
    func.return %r : i32
  }
}
"""


def report(*counted: tuple[str, int]) -> RewriteReport:
    operations = tuple(Operation("call", name, times) for name, times in counted)
    return RewriteReport(operations, operations)


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (3, ""),
        (4, "5 operations are left, 4 would do. `arith.muli` need not stay."),
        (2, "3 operations are left, and 4 have to stay. `arith.muli` runs too seldom."),
        (0, "1 operation is left, and 4 have to stay. `arith.muli` is missing."),
    ],
)
def test_neither_more_nor_less_is_left(times: int, words: str) -> None:
    wanted = Counter({"arith.muli": 3, "arith.addi": 1})
    told = report(("arith.addi", 1), ("arith.muli", times))
    fault = find_fault(Rewrite(), ("",), told, most=lambda text: wanted, least=lambda text: wanted)
    assert (fault.sentence if fault else "") == words


def test_a_number_bounds_from_below_too() -> None:
    fault = find_fault(Rewrite(), ("",), report(("a", 1)), least=lambda text: 2)
    assert fault is not None
    assert fault.sentence == "1 operation is left, and 2 have to stay."


def test_a_nest_is_read_and_its_turns_are_counted() -> None:
    function = read_function(NEST)
    assert function.arguments == ("%n", "%b", "%x")
    lines = {line.result: line for line in function.walk()}
    assert (lines["%k"].number, lines["%k"].type) == (-3, "i32")
    assert lines["%r"].reads == ("%c0", "%n", "%c1", "%x")
    assert lines["%r"].regions[0].arguments == ("%i", "%a")
    counted = count_executed(function, {"%n": 3, "%b": 1})
    assert counted == {
        "arith.constant": 2 + 3,
        "scf.for": 1 + 3,
        "arith.index_cast": 0 + 1 + 2,
        "scf.if": 3,
        "arith.muli": 3,
        "scf.yield": 3 + 3 + 3,
    }
    assert count_executed(function, {"%n": 3, "%b": 0})["arith.muli"] == 0


@pytest.mark.parametrize(
    ("number", "kind", "held"),
    [
        (150, "i8", -106),
        (-129, "i8", 127),
        (128, "i8", -128),
        (2**31, "i32", -(2**31)),
        (7, "index", 7),
    ],
)
def test_a_number_wraps_as_its_type_does(number: int, kind: str, held: int) -> None:
    assert wrap(number, kind) == held
