"""How alike two pieces of a program are: by their words and by the pairs of neighbouring words."""

import ast
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from tutor.judge.repair.trees import count_nodes, text_of

Bag = Counter[Any]

_WORD = re.compile(r"[A-Za-z_]\w*|\d+\.?\d*|[^\w\s]")
_MOST_UNLIKE = 0.2  # of two sizes: pieces that differ more are not compared


def split_words(text: str) -> list[str]:
    """Return the names, numbers and signs of a text."""
    return _WORD.findall(text)


def make_bag(words: list[str]) -> Bag:
    """Count words and pairs of neighbours."""
    return Counter(words) + Counter(itertools.pairwise(words))


def compare_bags(a: Bag, b: Bag) -> float:
    """Return the share of what two bags have in common, 0 to 1 (Dice's coefficient)."""
    total = sum(a.values()) + sum(b.values())
    return 2 * _count_shared(a, b) / total if total else 1.0


def _count_shared(a: Bag, b: Bag) -> int:
    if len(b) < len(a):
        a, b = b, a
    return sum(min(number, b[word]) for word, number in a.items() if word in b)


class Likeness:
    """Compares nodes and remembers what it has worked out about each: one object a search."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], tuple[Any, ast.AST]] = {}

    def _once(self, what: str, node: ast.AST, work: Callable[[ast.AST], Any]) -> Any:
        found = self._known.get((what, id(node)))
        if found is None:  # the node is kept too: its address must not become another one's
            found = self._known[what, id(node)] = (work(node), node)
        return found[0]

    def same(self, a: ast.AST, b: ast.AST) -> bool:
        return a is b or (type(a) is type(b) and self.form(a) == self.form(b))

    def form(self, node: ast.AST) -> str:
        """Return a text that two nodes share if they say the same."""
        return str(self._once("form", node, ast.dump))

    def text(self, node: ast.AST) -> str:
        """Return the text of a node; of a compound statement its head alone."""
        return str(self._once("text", node, text_of))

    def nodes(self, node: ast.AST) -> int:
        return int(self._once("nodes", node, count_nodes))

    def like(self, a: ast.AST, b: ast.AST) -> float:
        """Return how alike two nodes are, 0 to 1; 0 for sizes that are far apart."""
        first, second = self._bag(a), self._bag(b)
        sizes = self._weight(a), self._weight(b)
        if min(sizes) < _MOST_UNLIKE * max(sizes):
            return 0.0
        return 2 * _count_shared(first, second) / sum(sizes)

    def parts(self, node: ast.AST) -> list[ast.expr]:
        """Return the expressions below a node that are read."""
        parts: list[ast.expr] = self._once("parts", node, _parts)
        return parts

    def _bag(self, node: ast.AST) -> Bag:
        bag: Bag = self._once("bag", node, lambda n: make_bag(split_words(self.text(n))))
        return bag

    def _weight(self, node: ast.AST) -> int:
        return int(self._once("weight", node, lambda n: sum(self._bag(n).values())))


def _parts(node: ast.AST) -> list[ast.expr]:
    return [
        below
        for below in ast.walk(node)
        if below is not node
        and isinstance(below, ast.expr)
        and not isinstance(getattr(below, "ctx", None), ast.Store)
    ]


def mean(numbers: Iterable[float]) -> float:
    """Return the mean; 0 of nothing."""
    listed = list(numbers)
    return sum(listed) / len(listed) if listed else 0.0
