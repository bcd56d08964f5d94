"""One home folder for all tests of this folder; processes that they start find it by TUTOR_HOME."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from run_home import share_judge


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = share_judge(tmp_path_factory.mktemp("home"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TUTOR_HOME", str(folder))
        yield folder
