"""The pairs of torch and triton that the program is for, tried in turn: `make versions`. It takes hours.

Each pair is installed in a virtual environment of its own and tried without a GPU: the tests of the
X-ray, the quick tests of the judge, and a proof of the whole course. What came out is kept in
`tutor/doctor/tried_versions.toml`, which the doctor reads. Names of pairs and of steps as arguments,
as in `python -m tests.versions 2.14 xray`, try only these.
"""

import datetime
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tomli

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "tutor" / "doctor" / "tried_versions.toml"
CPU = "https://download.pytorch.org/whl/cpu"
# `===`: the build without a local suffix, which on Linux is for CUDA.
PAIRS = {
    "2.11": ("torch===2.11.0", "triton==3.6.*"),
    "2.13-cpu": ("torch==2.13.0+cpu", "triton==3.7.*", "--extra-index-url", CPU),
    "2.13": ("torch===2.13.0", "triton==3.7.*"),
    "2.14": ("torch==2.14.*", "triton==3.8.*"),
    "2.15": ("torch==2.15.*", "triton==3.9.*"),
}
STEPS = {
    "xray": ("-m", "pytest", "-q", "tests/xray"),
    "judge": ("-m", "pytest", "-q", "tests/judge", "-m", "not slow"),
    "course": ("-m", "tutor", "content", "check", "--all"),
}
_HEAD = """\
# Written by `make versions`: the steps that held and those that did not, without a GPU.
"""


def main(names: list[str]) -> int:
    """Try the named pairs and steps, or all; return 1 if a step did not hold."""
    unknown = [name for name in names if name not in (*PAIRS, *STEPS)]
    if unknown:
        print(f"no pair and no step: {', '.join(unknown)}; there are {', '.join((*PAIRS, *STEPS))}")
        return 2
    pairs = [name for name in PAIRS if name in names] or list(PAIRS)
    steps = [name for name in STEPS if name in names] or list(STEPS)
    wrong = False
    for name in pairs:
        with tempfile.TemporaryDirectory(prefix=f"tutor-{name}-") as folder:
            python = install(name, Path(folder))
            if python is None:
                wrong = True
                continue
            held = {step: run_step(python, step, Path(folder)) for step in steps}
            keep(versions_of(python), held)
            wrong = wrong or not all(held.values())
    return int(wrong)


def install(name: str, folder: Path) -> Path | None:
    """Install the pair and the program there; return its Python, None where it cannot be had."""
    python = folder / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    others = folder / "constraints.txt"
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    others.write_text("\n".join(x for x in lines if not x.startswith(("torch==", "triton=="))))
    pip = [python, "-m", "pip", "install", "-q"]
    for asked in (PAIRS[name], ("-c", others, "-e", f"{ROOT}[test]")):
        done = subprocess.run([*pip, *asked], check=False)
        if done.returncode:
            print(f"{name}: cannot be installed here", flush=True)
            return None
    return python


def run_step(python: Path, step: str, folder: Path) -> bool:
    """Run one step with a home of its own, without a GPU; say how long it took, and whether it held."""
    environment = {
        **os.environ,
        "TUTOR_HOME": str(folder / f"home-{step}"),
        "CUDA_VISIBLE_DEVICES": "",
    }
    started = time.monotonic()
    done = subprocess.run([python, *STEPS[step]], cwd=ROOT, env=environment, check=False)
    took = (time.monotonic() - started) / 60
    said = "holds" if not done.returncode else f"does not hold (status {done.returncode})"
    print(f"{versions_of(python)}: {step} {said}, {took:.0f} min", flush=True)
    return not done.returncode


def versions_of(python: Path) -> tuple[str, str]:
    """Return torch's and triton's versions there, such as ("2.14.1+cu130", "3.8.0")."""
    code = "import importlib.metadata as m, torch; print(torch.__version__, m.version('triton'))"
    output = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    torch, triton = output.split()
    return torch, triton


def keep(pair: tuple[str, str], held: dict[str, bool]) -> None:
    """Put the outcome in the place of the pair's last one. Steps that were left out keep theirs."""
    rows = tomli.loads(KEPT.read_text("utf-8")).get("tried", [])
    known = next((row for row in rows if (row["torch"], row["triton"]) == pair), None)
    before = {} if known is None else dict.fromkeys(known["holds"], True)
    if known is not None:
        before |= dict.fromkeys(known["fails"], False)
        rows.remove(known)
    both = before | held
    rows.append(
        {
            "torch": pair[0],
            "triton": pair[1],
            "day": datetime.date.today(),
            "holds": [step for step in STEPS if both.get(step)],
            "fails": [step for step in STEPS if both.get(step) is False],
        }
    )
    KEPT.write_text(_HEAD + "".join(map(_row, sorted(rows, key=lambda row: row["torch"]))))


def _row(row: dict[str, object]) -> str:
    lists = "".join(
        f"{name} = [{', '.join(repr(step) for step in row[name])}]\n".replace("'", '"')  # type: ignore[attr-defined]
        for name in ("holds", "fails")
    )
    return (
        f'\n[[tried]]\ntorch = "{row["torch"]}"\ntriton = "{row["triton"]}"\nday = {row["day"]}\n'
        f"{lists}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
