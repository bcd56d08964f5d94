"""Concept maps: where boxes and arrows lie, and walking them with the arrow keys."""

import pytest
from doing import SMALL, TINY, seen, show, until
from hypothesis import given
from hypothesis import strategies as st
from remembering import Reader, reader  # noqa: F401

from tutor.course.catalog.concept_map import ConceptMap, Node
from tutor.ui.home.concept_layout import EAST, NORTH, SOUTH, WEST, lay_out_map, neighbour
from tutor.ui.home.concept_map import ConceptMapScreen, drawing


@st.composite
def maps(draw: st.DrawFn) -> ConceptMap:
    places = draw(
        st.lists(
            st.tuples(st.integers(1, 6), st.integers(1, 5)), min_size=2, max_size=12, unique=True
        )
    )
    ids = [f"n{i}" for i in range(len(places))]
    nodes = []
    for name, (row, column) in zip(ids, places, strict=True):
        others = [other for other in ids if other != name]
        to = draw(st.lists(st.sampled_from(others), max_size=3, unique=True))
        title = draw(st.text("abc ", min_size=1, max_size=40).filter(str.strip))
        nodes.append(Node(name, title, "Text.", (1,), tuple(to), row, column))
    return ConceptMap(1, "Map", tuple(nodes))


@pytest.mark.slow
@given(maps(), st.sampled_from([78, 118]), st.sampled_from([1, 2]))
def test_every_box_is_whole_and_every_arrow_arrives(
    concepts: ConceptMap, width: int, gap: int
) -> None:
    chart = lay_out_map(concepts, width, gap)
    taken = {
        (x, y)
        for box in chart.boxes.values()
        for x in range(box.x, box.x + box.width)
        for y in range(box.y, box.y + box.height)
    }
    assert len(taken) == sum(box.width * box.height for box in chart.boxes.values())
    assert all(0 <= x < width and 0 <= y < chart.height for x, y in taken)
    assert len(chart.arrows) == sum(len(node.to) for node in concepts.nodes)
    for arrow in chart.arrows:
        assert not taken & set(arrow.cells)  # beside the boxes, never through one
        assert all(0 <= x < width and 0 <= y < chart.height for x, y in arrow.cells)
        for (x, y), (u, v) in zip(arrow.cells, arrow.cells[1:], strict=False):
            assert abs(x - u) + abs(y - v) == 1
        for end, id_ in ((arrow.cells[0], arrow.source), (arrow.cells[-1], arrow.target)):
            box = chart.boxes[id_]
            across = max(box.x - end[0], end[0] - box.x - box.width + 1, 0)
            down = max(box.y - end[1], end[1] - box.y - box.height + 1, 0)
            assert across + down == 1
    assert drawing(chart, "n0").plain.count("\n") == chart.height - 1


@pytest.mark.slow
@given(maps(), st.integers(0, 1))
def test_arrows_that_stand_out_are_still_joined(concepts: ConceptMap, at: int) -> None:
    chart = lay_out_map(concepts, 78)
    rows = drawing(chart, concepts.nodes[at].id).plain.split("\n")
    assert all(rows[y][x] == line for (x, y), line in chart.lines.items())


@pytest.mark.slow
@given(maps())
def test_walking_stays_on_the_map_and_goes_the_right_way(concepts: ConceptMap) -> None:
    chart = lay_out_map(concepts, 78)
    for node in concepts.nodes:
        for way, sign, field in (
            (NORTH, -1, "row"),
            (SOUTH, 1, "row"),
            (WEST, -1, "column"),
            (EAST, 1, "column"),
        ):
            there = concepts.node(neighbour(chart, node.id, way))
            step = getattr(there, field) - getattr(node, field)
            assert there == node or step * sign > 0


async def test_a_map_is_walked_and_opens_a_day(reader: Reader) -> None:  # noqa: F811
    concepts = reader.course.concept_map(1)
    assert concepts is not None
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, ConceptMapScreen(concepts))
        text = seen(reader)
        assert "From bytes to roofs" in text
        assert "What moves is counted first." in text
        assert "→ The roof over both of them, Look back" in text
        assert "▼" in text
        await pilot.press("down")
        await until(pilot, lambda: "The lower of two limits." in seen(reader))
        await pilot.press("right")
        await until(pilot, lambda: "What is computed" in seen(reader))
        await pilot.press("left", "down", "j")
        await until(pilot, lambda: "Then measure." in seen(reader))
        assert "← Bytes, The roof over both of them" in seen(reader)
        await pilot.press("enter")
        assert reader.opened == [22]


async def test_a_tiny_screen_does_not_crash(reader: Reader) -> None:  # noqa: F811
    concepts = reader.course.concept_map(1)
    assert concepts is not None
    async with reader.run_test(size=TINY) as pilot:
        await show(pilot, ConceptMapScreen(concepts))
        await pilot.press("down", "up", "right")


async def test_a_checkpoint_asks_before_an_idea_is_told(reader: Reader) -> None:  # noqa: F811
    concepts = reader.course.concept_map(1)
    assert concepts is not None
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, ConceptMapScreen(concepts, asking=True))
        await until(pilot, lambda: "Say what this idea means" in seen(reader))
        assert "What moves is counted first." not in seen(reader)
        assert "0 of 4 ideas" in seen(reader)
        await pilot.press("space")
        await until(pilot, lambda: "What moves is counted first." in seen(reader))
        assert "1 of 4 ideas" in seen(reader)
        await pilot.press("down")
        await until(pilot, lambda: "Say what this idea means" in seen(reader))
        assert "The lower of two limits." not in seen(reader)
        await pilot.press("up")  # what was shown stays so
        await until(pilot, lambda: "What moves is counted first." in seen(reader))


async def test_the_space_key_begins_to_ask_on_a_map_that_tells(reader: Reader) -> None:  # noqa: F811
    concepts = reader.course.concept_map(1)
    assert concepts is not None
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, ConceptMapScreen(concepts))
        assert "What moves is counted first." in seen(reader)
        await pilot.press("space")
        await until(pilot, lambda: "What moves is counted first." not in seen(reader))


async def test_an_idea_opens_the_section_that_teaches_it(reader: Reader) -> None:  # noqa: F811
    places: list[str] = []
    reader.open = lambda target, *_, **__: places.append(target)  # type: ignore[method-assign]
    nodes = (
        Node(
            "a", "Bytes", "Text.", (1, 4), ("b",), 1, 1, read=("lesson:1/twice", "lesson:4/banks")
        ),
        Node("b", "Roofs", "Text.", (5,), (), 2, 1),
    )
    async with reader.run_test(size=SMALL) as pilot:
        await show(pilot, ConceptMapScreen(ConceptMap(1, "Map", nodes)))
        reader.record.activity.section_read(1, 0)
        await pilot.press("up", "enter", "down", "enter")
        assert places == ["lesson:1/twice", "lesson:5"]
