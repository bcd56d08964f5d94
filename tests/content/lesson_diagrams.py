"""Pictures of lessons that show an arrangement. What a compiler decided stands here as constants;
`test_lesson_images.py` asks it again."""

import math

from card import BLUE, BODY, INK, LINE, PAPER, QUIET, RAISED, RED, SMALL, TITLE, YELLOW, Card, Point

C_ROWS, D_ROWS, ROW, D_BLOCKS = 4096, 16, 65536, 8  # Day 14's last table; blocks to a row of D
ROWS, COLUMNS, TILE_ROWS, LANES = 7, 781, 4, 1024  # Day 22's row_max
PROGRAMS = math.ceil(ROWS / TILE_ROWS)
PYTHON, GRAPHS = "Python", ("1", "2", "3", "4")
# Day 25's `broken`: indents, and parts of the text with what runs each: a graph, Python, or no call.
BROKEN = (
    (0, (("def broken(x, training=True):", ""),)),
    (1, (("y = ", ""), ("x.sin()", "1"))),
    (1, (("print", PYTHON), ('(f"norm: {', ""), ("x.norm()", "1"), (':.2f}")', ""))),
    (1, (("if", PYTHON), ("x.sum() > 0", "2"), (":", ""))),
    (2, (("y = ", ""), ("y * 2", "3"))),
    (1, (("return ", ""), ("sorted", PYTHON), ("([y, ", ""), ("y.cos()", "3"), ("],", ""))),
    (2, (("key=lambda each: ", ""), ("each.sum()", "4"), (")[0]", ""))),
)
RUNS = (
    ("1", "sin, norm"),
    (PYTHON, "break: formats, prints"),
    ("2", "sum, > 0"),
    (PYTHON, "break: chooses a branch"),
    ("3", "y * 2, cos"),
    (PYTHON, "break: sorts by keys"),
    ("4", "sum: the key, called twice"),
)


def day_14_rows_and_blocks() -> Card:
    """Why C of Day 14's table is one kernel and D is three: who holds a whole row."""
    card = Card(1296, 720)
    middle = 500
    card.text((30, 42), f"C: {C_ROWS} rows of {ROW}", INK, TITLE, bold=True)
    card.text((30, 80), "one block, one row: 1 kernel", QUIET, BODY)
    card.text((middle + 30, 42), f"D: {D_ROWS} rows of {ROW}", INK, TITLE, bold=True)
    card.text((middle + 30, 80), f"{D_BLOCKS} blocks share a row: 3 kernels", QUIET, BODY)
    card.line([(middle, 24), (middle, 696)], LINE, 2)

    # What one block reads, does and writes stands in one column.
    for left, right, row in ((30, 135, 0), (145, 250, 1), (325, 470, C_ROWS - 1)):
        centre = (left + right) / 2
        card.box(left, 118, right, 166, BLUE, radius=3)
        card.text((centre, 142), f"row {row}", PAPER, SMALL, "mm")
        card.arrow((centre, 170), (centre, 204), BLUE)
        card.box(left, 206, right, 596, RAISED, LINE)
        for k, word in enumerate(("sum,", "then", "divide")):
            card.text((centre, 361 + 40 * k), word, INK, BODY, "mm")
        card.arrow((centre, 600), (centre, 634), BLUE)
        card.box(left, 638, right, 686, BLUE, radius=3)
        card.text((centre, 662), "out", PAPER, SMALL, "mm")
    for y in (142, 401, 662):
        card.text((288, y - 8), "...", QUIET, BODY, "mm")

    first, last = middle + 180, 1266
    wide = (last - first) / D_BLOCKS
    centre = (first + last) / 2
    centres = [first + (k + 0.5) * wide for k in range(D_BLOCKS)]

    def pieces(top: float, bottom: float, fill: str, edge: str | None = None) -> None:
        for x in centres:
            card.box(x - wide / 2 + 2, top, x + wide / 2 - 2, bottom, fill, edge, radius=3)

    for y, name, colour in (
        (142, "row 0", BLUE),
        (234, "kernel 1", INK),
        (316, "in memory", BLUE),
        (408, "kernel 2", INK),
        (488, "in memory", BLUE),
        (576, "kernel 3", INK),
        (662, "out", BLUE),
    ):
        card.text((middle + 30, y), name, colour, BODY)
    pieces(118, 166, BLUE)
    pieces(206, 262, RAISED, LINE)
    for x in centres:
        card.arrow((x, 170), (x, 204), BLUE)
        card.text((x, 234), "sum", INK, SMALL, "mm")
        card.arrow((x, 264), (x, 298), BLUE)
        card.box(x - 16, 300, x + 16, 332, BLUE, radius=3)
        card.line([(x, 334), (x, 350)], BLUE, 2.5)
    card.line([(centres[0], 350), (centres[-1], 350)], BLUE, 2.5)
    card.arrow((centre, 350), (centre, 378), BLUE)
    card.box(centre - 1.5 * wide, 380, centre + 1.5 * wide, 436, RAISED, LINE)
    card.text((centre, 408), f"sum of {D_BLOCKS}", INK, SMALL, "mm")
    card.arrow((centre, 438), (centre, 470), BLUE)
    card.box(centre - 16, 472, centre + 16, 504, BLUE, radius=3)
    card.arrow((centre, 506), (centre, 546), BLUE)
    card.box(first + 2, 548, last - 2, 604, RAISED, LINE)
    card.text((centre, 576), "divide the row, read again, by its sum", INK, SMALL, "mm")
    card.arrow((centre, 606), (centre, 634), BLUE)
    card.box(first + 2, 638, last - 2, 686, BLUE, radius=3)
    return card


def day_22_two_masks() -> Card:
    """`row_max`: two programs of 4 x 1024 lanes laid over a tensor of 7 x 781."""
    card = Card(
        1296,
        596,
        f"{PROGRAMS} programs of {TILE_ROWS} by {LANES} lanes over a tensor of {ROWS} by {COLUMNS}",
    )
    left, top, per_column, tall = 96, 130, 1040 / LANES, 46
    edge, right = left + COLUMNS * per_column, left + LANES * per_column
    for name, at, anchor in (
        ("c = 0", left, "lm"),
        (f"{COLUMNS - 1}", edge - 8, "rm"),
        (f"{COLUMNS}", edge + 8, "lm"),
        (f"{LANES - 1}", right, "rm"),
    ):
        card.text((at, top - 26), name, QUIET, SMALL, anchor)

    def note(at: Point, words: str) -> None:
        half = card.width_of(words) / 2 + 8
        card.box(at[0] - half, at[1] - 17, at[0] + half, at[1] + 17, PAPER, radius=0)
        card.text(at, words, INK, SMALL, "mm")

    for program in range(PROGRAMS):
        start = top + program * (TILE_ROWS * tall + 26)
        live_rows = min(ROWS - program * TILE_ROWS, TILE_ROWS)
        for k in range(TILE_ROWS):
            r, y = program * TILE_ROWS + k, start + k * tall
            name = f"r = {r}" if r == 0 else f"{r}"
            card.text((left - 18, y + tall / 2), name, QUIET, SMALL, "rm")
            if k < live_rows:
                card.box(left, y + 2, edge - 2, y + tall - 2, BLUE, radius=2)
            card.hatched(edge if k < live_rows else left, y + 2, right, y + tall - 2, LINE)
        note(((edge + right) / 2, start + 1.5 * tall), f"c < {COLUMNS} fails")
        if live_rows < TILE_ROWS:
            note(((left + edge) / 2, start + (live_rows + 0.5) * tall), f"r < {ROWS} fails")
        words = (
            f"live: {live_rows} x {COLUMNS} = {live_rows * COLUMNS} of {TILE_ROWS * LANES} lanes"
        )
        card.text(((left + edge) / 2, start + 1.5 * tall), words, PAPER, BODY, "mm")
        bottom = start + TILE_ROWS * tall
        card.box(left - 6, start - 5, right + 6, bottom + 5, None, YELLOW, 6, 3)
        card.text((right + 20, (start + bottom) / 2), f"program {program}", YELLOW)
    share = f"{ROWS * COLUMNS} of {PROGRAMS * TILE_ROWS * LANES} lanes are live in all"
    card.text((left, 562), share, INK, BODY)
    return card


def day_25_four_graphs() -> Card:
    """`broken`, each part of its text with who runs it, and the order in which that happens."""
    card = Card(1296, 720, "broken(x) where x.sum() > 0: four graphs, and Python between them")
    for k, (indent, parts) in enumerate(BROKEN):
        x, y = 40.0 + 44 * indent, 124 + 85 * k
        for words, who in parts:
            wide = card.width_of(words, BODY)
            if who:
                x += 9
                _runner(card, (x - 6, y - 24, x + wide + 6, y + 24), who)
            card.text((x, y), words, PAPER if who in GRAPHS else INK, BODY, labelled=False)
            if who in GRAPHS:
                _badge(card, (x + wide + 10, y - 28), who, labelled=False)
            x += wide + (9 if who else 0)
    left, right = 640, 1256
    for k, (who, words) in enumerate(RUNS):
        y = 124 + 85 * k
        colour = PAPER if who in GRAPHS else INK
        _runner(card, (left, y - 28, right, y + 28), who)
        card.text((left + 24, y), "graph" if who in GRAPHS else who, colour, BODY, bold=True)
        if who in GRAPHS:
            _badge(card, (left + 130, y), who)
        card.text((left + 164, y), words, colour, BODY)
        if k:
            card.arrow(((left + right) / 2, y - 56), ((left + right) / 2, y - 30))
    return card


def _runner(card: Card, corners: tuple[float, float, float, float], who: str) -> None:
    if who in GRAPHS:
        card.box(*corners, BLUE)
    else:
        card.box(*corners, RAISED, RED, thick=3)


def _badge(card: Card, at: Point, number: str, *, labelled: bool = True) -> None:
    card.dot(at, YELLOW, 17)
    card.text(at, number, PAPER, SMALL, "mm", bold=True, labelled=labelled)
