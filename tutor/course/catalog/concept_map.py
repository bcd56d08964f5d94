"""Reads `lessons/maps/phase-N.toml`: a phase's ideas as boxes on a grid, with arrows between them."""

from dataclasses import dataclass
from pathlib import Path

from tutor.course.reading.faults import format_value
from tutor.course.reading.toml_table import Table, read_table

_ID = r"[a-z0-9]+(-[a-z0-9]+)*"
MOST_ROWS = 24  # the screen scrolls down, but not sideways
MOST_COLUMNS = 12


@dataclass(frozen=True)
class Node:
    """A box at `row`, `column` (from 1). `to`: the ids of the boxes its arrows lead to. `read`: the
    sections that teach the idea, as targets of links."""

    id: str
    title: str
    text: str
    days: tuple[int, ...]
    to: tuple[str, ...]
    row: int
    column: int
    line: int = 0  # where it stands in its file
    read: tuple[str, ...] = ()

    @property
    def page(self) -> str:
        """Where the idea is taught first: a section, or the first of its days."""
        return self.read[0] if self.read else f"lesson:{self.days[0]}"


@dataclass(frozen=True)
class ConceptMap:
    """The ideas of one phase, in the order of the file."""

    phase: int
    title: str
    nodes: tuple[Node, ...]

    def node(self, id_: str) -> Node:
        """The box with this id. Raises `KeyError`."""
        for node in self.nodes:
            if node.id == id_:
                return node
        raise KeyError(id_)


def read_map(path: Path, phase: int) -> ConceptMap:
    """The map of a file. Raises `CourseFault` with all mistakes of the file."""
    file = read_table(path)
    title = file.text("title")
    tables = file.tables("node", least=1)
    nodes = [_node(table) for table in tables]
    ids = {node.id for node in nodes}
    seen: set[str] = set()
    places: dict[tuple[int, int], str] = {}
    for table, node in zip(tables, nodes, strict=True):
        if node.id in seen:
            table.fault("id", "an id of its own", f"{node.id} again")
        seen.add(node.id)
        other = places.setdefault((node.row, node.column), node.id)
        if other != node.id:
            table.fault(
                "row", "a place of its own", f"row {node.row}, column {node.column}: {other}"
            )
        for target in node.to:
            if target not in ids or target == node.id:
                table.fault("to", "ids of other boxes", format_value(target))
    file.finish("a concept map")
    file.raise_faults()
    return ConceptMap(phase, title, tuple(nodes))


def _node(table: Table) -> Node:
    node = Node(
        id=table.matching("id", _ID, "lower-case words joined by hyphens"),
        title=table.text("title"),
        text=table.text("text"),
        days=table.integers("days"),
        to=table.texts("to"),
        row=table.integer("row", 1),
        column=table.integer("column", 1),
        line=table.line(),
        read=table.texts("read"),
    )
    for name, value, most in (
        ("row", node.row, MOST_ROWS),
        ("column", node.column, MOST_COLUMNS),
    ):
        if value > most:
            table.fault(name, f"at most {most}", str(value))
    if not node.days:
        table.fault("days", "one or more days", "none")
    table.finish("a box")
    return node
