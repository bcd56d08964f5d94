"""A lesson and a lab say at once which page opens, and are complete a moment later."""

import pytest
from doing import Host, seen, until

from tutor.ui.kit.widgets.header import Bar
from tutor.ui.lab.screen import LabScreen
from tutor.ui.lesson.screen import LessonScreen


@pytest.mark.parametrize(
    ("screen", "title"),
    [(LessonScreen(22), "Day 22"), (LabScreen("add_ten"), "add_ten")],
    ids=["lesson", "lab"],
)
async def test_the_first_paint_names_what_opens(
    host: Host, monkeypatch: pytest.MonkeyPatch, screen: LessonScreen | LabScreen, title: str
) -> None:
    painted: list[str] = []
    display = host._display

    def noted(shown: object, renderable: object) -> None:
        display(shown, renderable)  # type: ignore[arg-type]
        if shown is screen and screen.query(Bar):
            painted.append(seen(host).splitlines()[0])

    async with host.run_test(size=(120, 40)) as pilot:
        monkeypatch.setattr(host, "_display", noted)
        host.push_screen(screen)
        await until(pilot, lambda: painted and "opening …" not in painted[-1])
        assert painted[0].split() == [*title.split(), "opening", "…"]
