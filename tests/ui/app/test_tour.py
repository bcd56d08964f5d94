"""The README's pictures: small, whole in themselves, and what the program shows.

After a change that is meant, `python tests/ui/tour.py [NAME …]` takes them again; look at them.
"""

import re
from pathlib import Path

import pytest
from tour import LARGEST, STOPS, environment, image, rows, taken

pytestmark = pytest.mark.slow

README = Path(__file__).resolve().parents[3] / "README.md"


def test_the_readme_shows_each_of_them_once_and_says_what_it_is() -> None:
    shown = re.findall(r"!\[(.*?)\]\((.*?)\)", README.read_text(encoding="utf-8"))
    files = [README.parent / path for _, path in shown]
    assert sorted(files) == sorted(map(image, STOPS))
    assert set(image("home").parent.iterdir()) == set(files)
    assert all(len(words) > 60 for words, _ in shown)


@pytest.mark.parametrize("name", STOPS)
def test_a_picture_needs_nothing_but_itself(name: str) -> None:
    file = image(name)
    assert file.stat().st_size <= LARGEST
    drawn = file.read_text(encoding="utf-8")
    assert len(rows(drawn)) > 10
    named = set(re.findall(r"\w+://[^\s\"'<>)]*|@font-face|@import|href", drawn))
    assert named <= {"http://www.w3.org/2000/svg", "https://www.textualize.io"}


# The others take the judge's time, and tests of its own keep what they show.
@pytest.mark.parametrize("name", ["home", "quiz", "statistics"])
async def test_a_picture_shows_what_the_program_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in environment(tmp_path).items():
        monkeypatch.setenv(variable, value)
    assert rows(await taken(name)) == rows(image(name).read_text(encoding="utf-8"))


async def test_the_lab_names_the_cause_that_its_picture_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judged again: all rows but for times and errors, which differ from machine to machine."""
    for variable, value in environment(tmp_path).items():
        monkeypatch.setenv(variable, value)
    kept, now = (
        [re.sub(r"\d[\d.:e+-]*(m?s$)?", "#", row) for row in rows(drawn)]
        for drawn in (image("lab").read_text(encoding="utf-8"), await taken("lab"))
    )
    assert now == kept
    assert any("Twoaccessesmeetinoneplace" in row for row in kept)
