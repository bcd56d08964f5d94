"""What the application and its home do not import: each would delay the first paint."""

import subprocess
import sys

HEAVY = ("torch", "triton", "numpy", "markdown_it")


def test_home_imports_nothing_heavy() -> None:
    program = (
        "import sys\nimport tutor.__main__, tutor.ui.session, tutor.ui.home.home, tutor.ui.routes\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
