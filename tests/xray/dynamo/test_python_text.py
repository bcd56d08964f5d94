"""Bytecode as Python: the text of a function without loops does what the function does."""

import pytest

from tutor.xray.dynamo.bytecode import listing
from tutor.xray.dynamo.python_text import python_of
from tutor.xray.dynamo.stack_values import NoPython


def packed(x: list[int], n: int) -> object:
    """As Dynamo's code: lists that are made, indexed, cut and passed on."""
    kept = [x[0], x[1:], n]
    kept[0] = kept[2] * 2
    first, second = kept[0], (n,)
    return [first, *second, {"n": n, "x": -x[0]}]


def in_order(x: list[int], n: int) -> object:
    """Calls keep their order, also where one waits for another's argument."""
    x.append(n)
    a, b = x.pop(), sorted(x, reverse=True)
    x[0] = a
    n = n + 1
    return max(a, n - 1), b, x


def branches(x: list[int], n: int) -> object:
    if n > 2 and x:
        return "more"
    if n is None or x is None:
        return "none"
    return "less" if not n in x else ("in", n)  # noqa: E713


def old_value(x: list[int], n: int) -> object:
    """The stack holds a name's value from before a store."""
    n, m = x[0] + n, n
    del x[0]
    return (n, m, x)


@pytest.mark.parametrize("function", [packed, in_order, branches, old_value])
@pytest.mark.parametrize("n", [1, 3])
def test_the_text_does_what_the_code_does(function, n: int) -> None:  # type: ignore[no-untyped-def]
    text = python_of(function.__code__)
    assert len(text.lines) == len(text.places)
    made: dict[str, object] = {}
    exec("\n".join(text.lines), made)
    given, again = [4, 1, 3], [4, 1, 3]
    assert made[function.__name__](given, n) == function(again, n)  # type: ignore[operator]
    assert given == again


def test_a_loop_is_named_as_what_has_no_text() -> None:
    def loop(x: list[int]) -> int:
        total = 0
        for each in x:
            total += each
        return total

    with pytest.raises(NoPython, match="ITER"):
        python_of(loop.__code__)


def test_torchs_own_names_are_short() -> None:
    source = (
        "def f(x):\n"
        "    out = __compiled_fn_5_f5d51e16_ed3a_47e0_9ee5_2163c0b9d686(x)\n"
        "    tmp_1 = __import_torch_dot__dynamo_dot_utils.record_pregraph_bytecode_enter()\n"
        "    return __builtins_dict___9['print'](out[0])\n"
    )
    made: dict[str, object] = {}
    exec(source, made)
    lines = python_of(made["f"].__code__).lines  # type: ignore[attr-defined]
    assert lines[1:] == ("    out = __compiled_fn_5(x)", "    return print(out[0])")


def test_an_id_of_one_run_is_no_part_of_the_bytecode() -> None:
    """Else two runs of the same function differ."""
    name = "__compiled_fn_5_"
    runs = [f"{name}0123abcd_0123_4567_89ab_{last}()" for last in ("0123456789ab", "ba9876543210")]
    one, other = (listing(compile(run, "", "eval"))[0] for run in runs)
    assert one == other
    assert "__compiled_fn_5" in one
