"""Trees that threads build at the same time."""

import ast
import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tutor.base import python_trees
from tutor.base.python_trees import parse_python


@pytest.fixture
def interrupted() -> Iterator[None]:
    """Garbage collections come often, and let another thread go on."""

    def another(*_: object) -> None:
        time.sleep(0)

    before = gc.get_threshold()
    gc.callbacks.append(another)
    gc.set_threshold(20)
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(another)


@pytest.mark.slow
def test_threads_build_trees_at_the_same_time(interrupted: None) -> None:
    source = Path(ast.__file__).read_text("utf-8")[:20_000].rpartition("\n\n\n")[0]
    with ThreadPoolExecutor(4) as threads:
        trees = list(threads.map(parse_python, [source] * 60))
    assert all(len(tree.body) == len(trees[0].body) for tree in trees)


def test_nobody_else_parses() -> None:
    door = Path(python_trees.__file__)
    program = door.parents[1].rglob("*.py")
    others = [path.name for path in program if "ast.parse(" in path.read_text("utf-8")]
    assert others == [door.name]


def test_a_fault_is_pythons_own() -> None:
    with pytest.raises(SyntaxError, match="never closed"):
        parse_python("f(")
    assert ast.unparse(parse_python("1 + 1", "eval")) == "1 + 1"
