"""The layout of a concept map on a grid of characters: boxes and orthogonal arrows, not drawn here."""

from dataclasses import dataclass, field

from tutor.course.catalog.concept_map import ConceptMap, Node

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
# Which character joins which sides; one side alone is drawn as the whole line.
_LINES = " │─└││┌├─┘─┴┐┤┬┼"
_STEPS = {NORTH: (0, -1), EAST: (1, 0), SOUTH: (0, 1), WEST: (-1, 0)}
_BACK = {NORTH: SOUTH, EAST: WEST, SOUTH: NORTH, WEST: EAST}
_HEADS = {NORTH: "▲", EAST: "▶", SOUTH: "▼", WEST: "◀"}

Cell = tuple[int, int]  # column, row


@dataclass(frozen=True)
class Box:
    """The place of a node: its top left character and its size with borders."""

    node: Node
    x: int
    y: int
    width: int
    lines: tuple[str, ...]

    @property
    def height(self) -> int:
        return len(self.lines) + 2

    @property
    def middle(self) -> int:
        return self.x + self.width // 2


@dataclass(frozen=True)
class Arrow:
    """An arrow. Its `cells` go from the first after the source to the last before the target."""

    source: str
    target: str
    cells: tuple[Cell, ...]
    head: str


@dataclass(frozen=True)
class Chart:
    """A layout of `width` × `height` characters: where each idea's box stands, and how the arrows
    run."""

    width: int
    height: int
    boxes: dict[str, Box]
    arrows: tuple[Arrow, ...]
    lines: dict[Cell, str] = field(default_factory=dict)  # every arrow's characters, joined


def lay_out_map(chart: ConceptMap, width: int, gap: int = 1) -> Chart:
    """Lay out the map in `width` columns with `gap` rows (at least 1) between two rows of boxes."""
    columns = max(node.column for node in chart.nodes)
    between = 3 if columns * 14 <= width else 2
    box = max(6, min(22, (width - between * (columns + 1)) // columns))
    width = max(width, columns * (box + between) + between)  # on a narrow screen it is cut off
    titles = {node.id: _wrap(node.title, box - 2) for node in chart.nodes}
    high = max(map(len, titles.values()))
    boxes = {
        node.id: Box(
            node,
            between + (node.column - 1) * (box + between),
            (node.row - 1) * (high + 2 + gap),
            box,
            tuple(titles[node.id] + [""] * (high - len(titles[node.id]))),
        )
        for node in chart.nodes
    }
    arrows = tuple(
        _arrow(boxes[node.id], boxes[target], between) for node in chart.nodes for target in node.to
    )
    rows = max(node.row for node in chart.nodes)
    height = rows * (high + 2 + gap)
    return Chart(width, height, boxes, arrows, join_arrows(arrows))


def _wrap(title: str, width: int) -> list[str]:
    """Wrap the title into at most two lines. A longer title ends in an ellipsis."""
    lines = [""]
    for word in title.split():
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > 2:
        lines = [lines[0], " ".join(lines[1:])]
    return [line if len(line) <= width else line[: width - 1] + "…" for line in lines]


def _arrow(a: Box, b: Box, between: int) -> Arrow:
    """Route an arrow from `a` to `b`.

    It goes sideways to a neighbour. Otherwise it goes down into the free row below `a`, along that row,
    and to `b`. It passes other rows in the free column to the left of `b`, downwards or upwards.
    """
    aisle = a.y + a.height  # the first row of space below `a`
    if a.node.row == b.node.row and abs(a.node.column - b.node.column) == 1:
        y = a.y + a.height // 2
        if a.x < b.x:
            return _path(a, b, [(a.x + a.width, y), (b.x - 1, y)])
        return _path(a, b, [(a.x - 1, y), (b.x + b.width, y)])
    start = (a.middle, aisle)
    if b.node.row == a.node.row + 1:
        return _path(a, b, [start, (b.middle, aisle), (b.middle, b.y - 1)])
    side = b.x - (between + 1) // 2
    if b.node.row == a.node.row:  # boxes lie between: use the free row below
        return _path(a, b, [start, (b.middle, aisle), (b.middle, b.y + b.height)])
    if b.y > a.y:
        return _path(a, b, [start, (side, aisle), (side, b.y - 1), (b.middle, b.y - 1)])
    below = b.y + b.height
    return _path(a, b, [start, (side, aisle), (side, below), (b.middle, below)])


def _path(a: Box, b: Box, corners: list[Cell]) -> Arrow:
    cells = [corners[0]]
    for x, y in corners[1:]:
        while cells[-1] != (x, y):
            here = cells[-1]
            step = (x > here[0]) - (x < here[0]), (y > here[1]) - (y < here[1])
            # one leg at a time: corners differ in one coordinate
            cells.append((here[0] + step[0], here[1] + step[1]))
    last = cells[-1]
    if b.x <= last[0] < b.x + b.width:
        head = _HEADS[SOUTH] if last[1] < b.y else _HEADS[NORTH]
    else:
        head = _HEADS[EAST] if last[0] < b.x else _HEADS[WEST]
    return Arrow(a.node.id, b.node.id, tuple(cells), head)


def join_arrows(arrows: tuple[Arrow, ...]) -> dict[Cell, str]:
    """The characters of all arrows. Lines are joined where they meet; heads are drawn over lines."""
    sides: dict[Cell, int] = {}
    heads: dict[Cell, str] = {}
    for arrow in arrows:
        for here, there in zip(arrow.cells, arrow.cells[1:], strict=False):
            way = next(d for d, (x, y) in _STEPS.items() if (here[0] + x, here[1] + y) == there)
            sides[here] = sides.get(here, 0) | way
            sides[there] = sides.get(there, 0) | _BACK[way]
        first = arrow.cells[0]
        if arrow.head in "▼▲":  # it leaves the source downwards
            sides[first] = sides.get(first, 0) | NORTH
        heads[arrow.cells[-1]] = arrow.head
    return {cell: _LINES[mask] for cell, mask in sides.items()} | heads


def neighbour(chart: Chart, here: str, way: int) -> str:
    """The nearest box in the given direction from `here`; `here` if there is none."""
    start = chart.boxes[here].node
    x, y = _STEPS[way]
    best, rank = here, None
    for box in chart.boxes.values():
        across, down = box.node.column - start.column, box.node.row - start.row
        ahead, aside = (across * x, abs(down)) if x else (down * y, abs(across))
        if ahead <= 0:
            continue
        this = (ahead + 2 * aside, aside, box.node.row, box.node.column)
        if rank is None or this < rank:
            best, rank = box.node.id, this
    return best
