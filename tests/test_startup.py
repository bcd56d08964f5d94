"""What the interface does without is really absent, and still there for whoever asks later."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from run_home import share_judge

from tests.bench.terminal import CTRL_Q, Terminal

AFTER = """
import gc, json, sys
from tutor import startup
startup.begin()
import asyncio, hashlib
found = {
    "loaded": [name for name in ("ssl", "_ssl", "_hashlib") if name in sys.modules],
    "collects": gc.isenabled(),
    "digest": hashlib.blake2b(b"tutor", digest_size=4).hexdigest(),
}
import ssl, _hashlib
found["later"] = [bool(ssl.OPENSSL_VERSION), hasattr(_hashlib, "openssl_sha256")]
print(json.dumps(found))
"""


def test_what_is_left_out_comes_when_it_is_asked_for() -> None:
    import hashlib

    said = subprocess.run(
        [sys.executable, "-c", AFTER], capture_output=True, text=True, check=True
    ).stdout
    assert json.loads(said) == {
        "loaded": [],
        "collects": False,
        "digest": hashlib.blake2b(b"tutor", digest_size=4).hexdigest(),
        "later": [True, True],
    }


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="Linux tells what is mapped")
def test_the_application_maps_no_openssl(tmp_path: Path) -> None:
    with Terminal(
        [sys.executable, "-m", "tutor"], os.environ | {"TUTOR_HOME": str(share_judge(tmp_path))}
    ) as terminal:
        terminal.until_painted("How would you like to begin?")
        maps = Path(f"/proc/{terminal.pid}/maps").read_text("utf-8")
        terminal.type(CTRL_Q)
        terminal.until_ended(30)
    assert "libpython" in maps or "/python" in maps
    assert "libcrypto" not in maps
    assert "libssl" not in maps


def test_home_reads_no_markdown() -> None:
    """Markdown's parser has 65 modules. Only pages with prose need it."""
    program = (
        "import sys\nimport tutor.ui.app, tutor.ui.home.home, tutor.ui.routes\n"
        "print([name for name in ('markdown_it', 'fsrs', 'torch') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
