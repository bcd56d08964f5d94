"""A runner that does not keep to the protocol: `python evil_runner.py MODE …`, as a launch command.

`python evil_runner.py` alone is a soak outside the suite: it tries `tutor check` with each mode, and
says which ended badly: by a traceback, with another status than 1 to 3, or with a control code.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tutor
from tutor.judge.model.caller_messages import Done, Refused, ServerEvent
from tutor.judge.model.events import Progress
from tutor.judge.model.message_format import encode_message
from tutor.judge.model.runner_messages import MARK, PROTOCOL, Greeted, messages_digest
from tutor.judge.model.verdict import Diagnosis, Verdict

ESCAPES = "\x1b]52;c;ZXZpbA==\x07\x1b]0;pwn\x07\x1b[8m\u202e"


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


def send(event: ServerEvent) -> None:
    write(frame(encode_message(event)))


def read() -> bytes:
    header = sys.stdin.buffer.read(4)
    if len(header) < 4:
        sys.exit()
    return sys.stdin.buffer.read(int.from_bytes(header, "big"))


def for_ever(event: ServerEvent) -> None:
    while True:
        send(event)


def write_for_ever(data: bytes) -> None:
    while True:
        write(data)


def leave_with_noise() -> None:
    write(f"Welcome {ESCAPES}\n".encode() * 100)
    sys.exit(1)


def send_slowly() -> None:
    for byte in frame(encode_message(Done())):
        write(bytes([byte]))
        time.sleep(2)


def cause(message: str, line: int | None = None) -> Diagnosis:
    return Diagnosis(f"x{ESCAPES}", message, line=line)


def wrong(*causes: Diagnosis, **more: Any) -> Verdict:
    return Verdict("vector_add", False, f"cpu{ESCAPES}", (), causes, **more)


# What is done in place of the protocol, before the mark, in the greeting, and after a submission.
BEFORE: dict[str, Callable[[], object]] = {
    "nothing": lambda: time.sleep(1000),
    "login noise": lambda: leave_with_noise(),
    "endless noise": lambda: write_for_ever(b"x" * 65536),
    "stderr escapes": lambda: (sys.stderr.write(f"{ESCAPES} ssh: no route\n"), sys.exit(255)),
}
AFTER_MARK: dict[str, bytes] = {
    "half a frame": b"\0\0\x10\0abc",
    "a huge frame": b"\xff\xff\xff\xff" + b"x" * 1000,
    "31 MB of junk": (31 << 20).to_bytes(4, "big") + b"\x93" * (31 << 20),
    "deep msgpack": (1 << 20).to_bytes(4, "big") + b"\x91" * (1 << 20),
}
GREETINGS: dict[str, dict[str, Any]] = {
    "another version": {"version": f"0.0.1{ESCAPES}"},
    "another digest": {"messages": "x"},
    "a host of escapes": {"host": ESCAPES},
    "a clone that is a command": {"version": "0.0.1", "clone": "/c\nrm -rf ~"},
    "many packages": {"packages": {f"p{n}": "1" for n in range(50_000)}},
}
ANSWERS: dict[str, Callable[[], object]] = {
    "never": lambda: time.sleep(1000),
    "slow bytes": send_slowly,
    "dies": lambda: sys.exit(1),
    "refused with escapes": lambda: send(Refused(f"no {ESCAPES}", 3)),
    "refused with 30 MB": lambda: send(Refused("no" * (15 << 20), 3)),
    "refused with 2**40": lambda: send(Refused("no", 2**40)),
    "done only": lambda: None,
    "endless events": lambda: for_ever(Progress(f"still {ESCAPES}")),
    "big events": lambda: for_ever(Progress("z" * (30 << 20))),
    "a verdict of escapes": lambda: send(
        wrong(cause(f"says {ESCAPES}", 9), output=ESCAPES, versions={ESCAPES: ESCAPES})
    ),
    "another exercise": lambda: send(Verdict(f"nosuch{ESCAPES}", True, "cpu")),
    "right on no case": lambda: send(Verdict("vector_add", True, "cpu")),
    "lines that are none": lambda: send(wrong(cause("m", -5), cause("m", 10**18))),
    "a huge verdict": lambda: send(wrong(cause("m"), output="x" * (30 << 20))),
    "many causes": lambda: send(wrong(*[cause("m" * 100)] * 100_000)),
    "a record of no kind": lambda: write(frame(b"\x81\xa4type\xa9os.system")),
}


def serve(mode: str) -> None:
    BEFORE.get(mode, lambda: None)()
    write(MARK)
    if mode in AFTER_MARK:
        write(AFTER_MARK[mode])
        time.sleep(1000)
    read()
    about = Greeted(
        PROTOCOL, tutor.__version__, messages_digest(), "host", "/python", "", True, {"torch": "9"}
    )
    fields = {name: getattr(about, name) for name in about.__struct_fields__}
    write(frame(encode_message(Greeted(**fields | GREETINGS.get(mode, {})))))
    while True:
        if b"Submission" in read():
            ANSWERS.get(mode, lambda: None)()
        send(Done())


def soak() -> None:
    """Try every mode through the command line."""
    modes = [*BEFORE, *AFTER_MARK, *GREETINGS, *ANSWERS]
    with tempfile.TemporaryDirectory() as home:
        runners = [
            f"[runners.e{n}]\nlaunch = \"{sys.executable} {Path(__file__).resolve()} '{mode}'\"\n"
            for n, mode in enumerate(modes)
        ]
        Path(home, "config.toml").write_text("judge_timeout = 5\n" + "".join(runners))
        file = Path(tutor.__file__).parents[1] / "kernels" / "vector_add" / "solution.py"
        check = [sys.executable, "-m", "tutor", "check", "vector_add", str(file), "--no-timing"]
        bad = 0
        for number, mode in enumerate(modes):
            begun = time.monotonic()
            done = subprocess.run(
                [*check, "--runner", f"e{number}"],
                env={**os.environ, "TUTOR_HOME": home},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=120,
            )
            said = done.stdout + done.stderr
            found = b"Traceback" in said or b"\x1b" in said or "\u202e".encode() in said
            found = found or done.returncode not in (1, 2, 3) or len(said) > 100_000
            bad += found
            took = time.monotonic() - begun
            result = "BAD" if found else "ok "
            print(f"{result} {done.returncode} {took:5.1f} s  {mode}: {said[-150:]!r}")
        print(f"{len(modes)} modes, {bad} bad")


if __name__ == "__main__":
    serve(sys.argv[1]) if len(sys.argv) > 1 else soak()
