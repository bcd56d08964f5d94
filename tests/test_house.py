"""The layout of `tutor/` in numbers. No number may grow, and each has a target.

`python tests/test_house.py` prints the table; with a folder as argument it measures that checkout.
The numbers are counted in the sources by `ast` and `tokenize`; nothing of `tutor` is imported. The
templates under `tutor/authoring/scaffold/` belong to other people's courses and are not counted.
"""

import ast
import io
import sys
import tokenize
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DOCUMENTED = (ast.Module, ast.ClassDef, *FUNCTIONS)

# The last word of a file's name is judged ("judging" in `lab_judging`). A word in -ed, -ing or -ly
# counts as a participle or an adverb unless it is one of these nouns of the field.
NOUNS = {
    "embed": "a noun",
    "feed": "a noun",
    "fitting": "FSRS calls so the search for its parameters",
    "folding": "editors call so the hiding of a block's lines",
    "grading": "the decision whether an answer is right",
    "lowering": "compilers call so a step to a lower representation",
    "opening": "a noun",
    "parsing": "the reading of text by a grammar",
    "reading": "a noun",
    "sampling": "statistics calls so the taking of samples",
    "speed": "a noun",
    "string": "a noun",
    "timing": "a noun",
    "tuning": "the choice of a system's parameters",
}
# No ending gives these away: verbs that are no nouns, adverbs, and adjectives.
NOT_NOUNS = {
    "again",
    "alone",
    "beside",
    "build",
    "choose",
    "compare",
    "compute",
    "describe",
    "diagnose",
    "explain",
    "extract",
    "install",
    "light",
    "lower",
    "measure",
    "mend",
    "plain",
    "precompile",
    "prove",
    "quiet",
    "read",
    "render",
    "resolve",
    "sanitize",
    "serve",
    "show",
    "small",
    "still",
    "told",
    "translate",
    "validate",
    "write",
}

# The folders whose processes exchange messages: the parent's side, the workers, the server.
MESSAGE_FOLDERS = ("cases", "probes", "processes", "server", "timing", "worker")
# Mappings with constant keys that are no messages.
NO_MESSAGES = frozenset({"os.environ", "sys.modules", "environ", "env", "counters", "__dict__"})

BRANCHES = (
    *(ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While),
    *(ast.ExceptHandler, ast.match_case, ast.BoolOp),
)
MOST_LINES = 60  # of a function
MOST_BRANCHES = 20


class Sources:
    """The parsed sources of one checkout, by module name."""

    def __init__(self, root: Path) -> None:
        self.paths: dict[str, Path] = {}
        self.texts: dict[str, str] = {}
        self.trees: dict[str, ast.Module] = {}
        for path in sorted((root / "tutor").rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            if "scaffold" in parts[:-1]:
                continue
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self.paths[name] = path.relative_to(root)
            self.texts[name] = path.read_text(encoding="utf-8")
            self.trees[name] = ast.parse(self.texts[name])

    @cached_property
    def _by_type(self) -> dict[type, list[tuple[str, ast.AST]]]:
        found: dict[type, list[tuple[str, ast.AST]]] = defaultdict(list)
        for name, tree in self.trees.items():
            for node in ast.walk(tree):
                found[type(node)].append((name, node))
        return found

    def nodes(self, *types: type) -> Iterator[tuple[str, Any]]:
        """The nodes of these types, each with its module's name."""
        for kind in types:
            yield from self._by_type[kind]

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """The modules that each module imports, also inside functions and `if TYPE_CHECKING`."""
        found: dict[str, set[str]] = {name: set() for name in self.trees}
        for name, node in self.nodes(ast.Import, ast.ImportFrom):
            if isinstance(node, ast.Import):
                wanted = [alias.name for alias in node.names]
            else:
                module = self._absolute(name, node)
                # `from package import name`: a module of the package, or a name in its `__init__`.
                inside = [f"{module}.{alias.name}" for alias in node.names]
                wanted = [each if each in self.trees else module for each in inside]
            found[name] |= {each for each in wanted if each in self.trees} - {name}
        return found

    def _absolute(self, name: str, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        is_package = self.paths[name].name == "__init__.py"
        parts = name.split(".")
        base = parts[: len(parts) - node.level + is_package]
        return ".".join([*base, *([node.module] if node.module else [])])

    @cached_property
    def classes(self) -> dict[tuple[str, str], ast.ClassDef]:
        """Every class of ours by module and name."""
        return {(name, node.name): node for name, node in self.nodes(ast.ClassDef)}

    def bases(self, name: str, node: ast.ClassDef) -> list[tuple[str, str]]:
        """The bases of a class that are classes of ours, by module and name."""
        sources = {}
        for statement in (n for n in ast.walk(self.trees[name]) if isinstance(n, ast.ImportFrom)):
            for alias in statement.names:
                origin = (self._absolute(name, statement), alias.name)
                sources[alias.asname or alias.name] = origin
        found = []
        for base in node.bases:
            plain = base.value if isinstance(base, ast.Subscript) else base
            if isinstance(plain, ast.Attribute) and isinstance(plain.value, ast.Name):
                module, own = sources.get(plain.value.id, ("", ""))
                found.append((f"{module}.{own}", plain.attr))
            elif isinstance(plain, ast.Name):
                found.append(sources.get(plain.id, (name, plain.id)))
        return [each for each in found if each in self.classes]

    def lineage(self, class_name: str) -> list[tuple[str, str]]:
        """The class of that name, then every class of ours that it inherits from."""
        line = [key for key in self.classes if key[1] == class_name]
        assert len(line) == 1, f"{class_name} is defined {len(line)} times"
        for key in line:
            line += [each for each in self.bases(key[0], self.classes[key]) if each not in line]
        return line

    def methods(self, key: tuple[str, str]) -> list[str]:
        return [n.name for n in self.classes[key].body if isinstance(n, FUNCTIONS)]


def largest_folder(sources: Sources) -> Counter[str]:
    """Modules in each folder, `__init__` not counted."""
    paths = [path for path in sources.paths.values() if path.name != "__init__.py"]
    return Counter(path.parent.as_posix() for path in paths)


def largest_file(sources: Sources) -> Counter[str]:
    """Lines of each file."""
    return Counter(
        {sources.paths[n].as_posix(): len(t.splitlines()) for n, t in sources.texts.items()}
    )


def circles(sources: Sources) -> Counter[str]:
    """Strongly connected components of two modules or more, with their sizes (Tarjan's algorithm)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: Counter[str] = Counter()

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for other in sorted(sources.imports[name]):
            if other not in order:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], order[other])
        if lowest[name] == order[name]:
            members = stack[stack.index(name) :]
            del stack[len(stack) - len(members) :]
            if len(members) > 1:
                found[min(members)] = len(members)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    for name in sources.trees:
        if name not in order:
            visit(name)
    sys.setrecursionlimit(limit)
    return found


def above_the_lab(sources: Sources) -> Counter[str]:
    """Our classes that `LabScreen` inherits from, with their methods."""
    line = sources.lineage("LabScreen")[1:]
    return Counter(
        {f"{module}.{name}": len(sources.methods((module, name))) for module, name in line}
    )


def methods_of_the_lab(sources: Sources) -> Counter[str]:
    """Methods of `LabScreen` and of our classes above it, by class."""
    line = sources.lineage("LabScreen")
    return Counter(
        {f"{module}.{name}": len(sources.methods((module, name))) for module, name in line}
    )


def record_methods(sources: Sources) -> Counter[str]:
    """Public methods of `Record`, inherited ones of ours too, by class."""
    return Counter(
        {
            f"{module}.{name}": sum(not m.startswith("_") for m in sources.methods((module, name)))
            for module, name in sources.lineage("Record")
        }
    )


def repeated_classes(sources: Sources) -> Counter[str]:
    """Class names that are defined more than once, with the number of definitions."""
    counts = Counter(name for _, name in sources.classes)
    return Counter({name: count for name, count in counts.items() if count > 1})


def odd_file_names(sources: Sources) -> Counter[str]:
    """Files whose last word is a participle, an adverb, an adjective or a bare verb."""
    found: Counter[str] = Counter()
    for path in sources.paths.values():
        word = path.stem.rpartition("_")[2]
        ends = word.endswith(("ed", "ing", "ly")) and word not in NOUNS
        if ends or word in NOT_NOUNS:
            found[path.as_posix()] = 1
    return found


def odd_docstrings(sources: Sources) -> Counter[str]:
    """Docstrings that open with "What", "One" or "Whether", by file."""
    found: Counter[str] = Counter()
    for name, node in sources.nodes(*DOCUMENTED):
        words = (ast.get_docstring(node) or "").split(maxsplit=1)
        if words and words[0].rstrip(",.:;") in ("What", "One", "Whether"):
            found[sources.paths[name].as_posix()] += 1
    return found


def message_subscripts(sources: Sources) -> Counter[str]:
    """Subscripts with a constant string in the judge's folders that exchange messages, by file.

    A subscript `x["key"]` counts whatever `x` is called, so that a new name hides nothing: in these
    folders whatever is indexed by a constant string has come, or goes, as a message. Left out are
    mappings of the system (`NO_MESSAGES`). A typed message is read by its attributes instead.
    """
    found: Counter[str] = Counter()
    for name, node in sources.nodes(ast.Subscript):
        path = sources.paths[name]
        if path.parts[:2] != ("tutor", "judge") or path.parts[2] not in MESSAGE_FOLDERS:
            continue
        constant = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        if constant and not ast.unparse(node.value).endswith(tuple(NO_MESSAGES)):
            found[path.as_posix()] += 1
    return found


def code_lines(sources: Sources) -> Counter[str]:
    """Lines on which a token starts, by file: no blank lines, comments, docstrings or string bodies."""
    layout = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    found: Counter[str] = Counter()
    for name, tree in sources.trees.items():
        lines: set[int] = set()
        for token in tokenize.generate_tokens(io.StringIO(sources.texts[name]).readline):
            if token.type not in (*layout, tokenize.ENDMARKER):
                lines.add(token.start[0])
        for node in ast.walk(tree):
            if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
                text = node.body[0]
                lines.difference_update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
        found[sources.paths[name].as_posix()] = len(lines)
    return found


def long_functions(sources: Sources) -> Counter[str]:
    """Functions of more than 60 lines, with their lines."""
    found: Counter[str] = Counter()
    for name, node in sources.nodes(*FUNCTIONS):
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > MOST_LINES:
            found[f"{sources.paths[name].as_posix()}:{node.lineno} {node.name}"] = lines
    return found


def branching_functions(sources: Sources) -> Counter[str]:
    """Functions of more than 20 branches, with their branches.

    One path to begin with, and one more for each `if`, `elif`, conditional expression, `case`, loop,
    `except`, `for` and `if` of a comprehension, and chain of `and` or `or`. A function inside a function
    counts for both.
    """
    found: Counter[str] = Counter()
    for name, function in sources.nodes(*FUNCTIONS):
        count = 1 + sum(_branches(node) for node in ast.walk(function))
        if count > MOST_BRANCHES:
            found[f"{sources.paths[name].as_posix()}:{function.lineno} {function.name}"] = count
    return found


def _branches(node: ast.AST) -> int:
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    return isinstance(node, BRANCHES)


@dataclass(frozen=True)
class Measure:
    """A number of the table: how it is counted, its bound of today, and its target."""

    name: str
    count: Callable[[Sources], Counter[str]]
    total: Callable[[Counter[str]], int]
    today: int
    target: int

    def __str__(self) -> str:
        return self.name


def most(counts: Counter[str]) -> int:
    return max(counts.values(), default=0)


def total(counts: Counter[str]) -> int:
    return sum(counts.values())


MEASURES = (
    Measure("modules in one folder", largest_folder, most, 12, 12),
    Measure("lines of the largest file", largest_file, most, 400, 400),
    Measure("import circles", circles, len, 0, 0),
    Measure("modules in import circles", circles, total, 0, 0),
    Measure("classes of ours above LabScreen", above_the_lab, len, 2, 2),
    Measure("methods of these and LabScreen", methods_of_the_lab, total, 40, 40),
    Measure("public methods of Record", record_methods, total, 25, 25),
    Measure("class names defined twice", repeated_classes, len, 0, 0),
    Measure("files not named by a noun", odd_file_names, total, 3, 3),
    Measure("docstrings that open with What, One, Whether", odd_docstrings, total, 3, 3),
    Measure("dict subscripts on messages", message_subscripts, total, 14, 14),
    Measure("lines of code", code_lines, total, 48_722, 33_500),
    Measure("functions over 60 lines", long_functions, len, 0, 0),
    Measure("functions over 20 branches", branching_functions, len, 0, 0),
)


@pytest.fixture(scope="module")
def sources() -> Sources:
    return Sources(ROOT)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_no_number_grows(sources: Sources, measure: Measure) -> None:
    counts = measure.count(sources)
    measured = measure.total(counts)
    if measured < measure.today - max(2, measure.today // 100):
        warnings.warn(
            f"{measure}: {measured}; the bound {measure.today} can be lower", stacklevel=1
        )
    assert measured <= measure.today, f"{measure}: {counts.most_common(20)}"


def test_bounds_do_not_fall_below_targets() -> None:
    assert [m.name for m in MEASURES if m.today < m.target] == []


def main(root: Path, listed: str = "") -> None:
    """Print the table; with the beginning of a measure's name, also what it counted."""
    sources = Sources(root)
    print(f"{'what':46}{'measured':>9}{'bound':>8}{'target':>8}")
    for measure in MEASURES:
        counts = measure.count(sources)
        measured = measure.total(counts)
        mark = "" if measured <= measure.target else "  above the target"
        print(f"{measure!s:46}{measured:9}{measure.today:8}{measure.target:8}{mark}")
        if listed and measure.name.startswith(listed):
            for name, count in counts.most_common():
                print(f"    {count:6} {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT, *sys.argv[2:3])
