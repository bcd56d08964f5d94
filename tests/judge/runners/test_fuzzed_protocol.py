"""Bytes that nobody sane would send: each is refused, and none costs time or memory without bound.

`TUTOR_FUZZED=1000000 pytest tests/judge/runners/test_fuzzed_protocol.py -k changed` tries a million.
"""

import contextlib
import os
import random
import resource
import struct
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seen_programs import seen_addition

from tutor.judge.connection import link
from tutor.judge.model import caller_messages as messages
from tutor.judge.model import runner_messages
from tutor.judge.model.access_map import AccessMap
from tutor.judge.model.events import CellDone, Progress, Started
from tutor.judge.model.message_format import encode_message
from tutor.judge.model.verdict import CaseResult, Diagnosis, Verdict
from tutor.judge.processes.wire import (
    MAX_MESSAGE,
    Closed,
    Malformed,
    decode_message,
    frame_message,
    pair,
)
from tutor.judge.spec import Work
from tutor.xray.model.stages import Link, Links

COUNT = int(os.environ.get("TUTOR_FUZZED", "20000"))
DECODERS = (
    messages.TO_SERVER,
    messages.FROM_SERVER,
    messages.CANCEL,
    runner_messages.TO_RUNNER,
    runner_messages.FROM_RUNNER,
)
CASE = CaseResult("one", "f32[1]", True, 0.0, 1e-6)
REAL = tuple(
    encode_message(each)
    for each in (
        messages.Submission("vector_add", "def add(x, y): ...", "x.py"),
        messages.CellRequest("s", "1", "cell_1.py", 10.0, evaluate=("x",)),
        messages.AccessRequest("vector_add", "def add(x, y): ...", "x.py", ""),
        messages.ProgramRequest("vector_add", "def add(x, y): ...", "x.py"),
        seen_addition(),
        CASE,
        Diagnosis("crash", "It crashed.", 3),
        Verdict("vector_add", True, "cpu", (CASE,)),
        Progress("warm"),
        Started("cpu"),
        CellDone(True, values_json='{"x": [1, 2]}'),
        Links((Link("ttir", 1, "ttgir", 2, "k"),)),
        messages.TimedInputs(("f32[1]",), Work(bytes=4, flops=1)),
        messages.Refused("no", 2),
        runner_messages.Greeting(1, "0.1.0"),
        runner_messages.Greeted(1, "0.1.0", "ab", "host", "python", "", False, {"torch": "2.13"}),
    )
)


def taken(body: bytes) -> None:
    """Take a message as each side of a connection would."""
    for decoder in DECODERS:
        with contextlib.suppress(Malformed):
            decode_message(body, decoder)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(body: bytes) -> None:
    taken(body)


@pytest.mark.slow
@given(
    st.dictionaries(
        st.sampled_from(
            ["type", "ok", "values_json", "links", "exercise", "source", "passed", "x"]
        ),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers(-(2**63), 2**64 - 1)
            | st.floats()
            | st.text()
            | st.binary()
            | st.sampled_from(["Links", "CellDone", "Submission", "Verdict"]),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=8,
        ),
    )
)
def test_any_map_is_refused_or_is_a_message(fields: dict[str, object]) -> None:
    taken(msgspec.msgpack.encode(fields))


def test_changed_messages_are_refused_in_bounded_memory() -> None:
    """Cut, overwritten, doubled and spliced: with the lengths that msgpack declares, up to 4 GiB."""
    generator = random.Random(20261124)
    lengths = (
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
        b"\xdb\x7f\xff\xff\xff",
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(COUNT):
        body = bytearray(generator.choice(REAL))
        for _ in range(generator.randrange(1, 4)):
            at = generator.randrange(len(body) + 1)
            match generator.randrange(4):
                case 0:
                    del body[at:]
                case 1:
                    body[at : at + 1] = generator.randbytes(1)
                case 2:
                    other = generator.choice(REAL)
                    body[at:at] = other[generator.randrange(len(other)) :]
                case 3:
                    body[at:at] = generator.choice(lengths)
        taken(bytes(body))
    taken(b"\x91" * 1_000_000)  # a million lists in each other
    taken(b"\xa0" + b"\x81" * 100_000)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 64 << 10, f"{grown >> 10} MiB"


def test_values_of_a_cell_that_are_no_values_are_refused() -> None:
    for values in ("[" * 100_000, "3", "", '{"x": ' * 5000):
        body = msgspec.msgpack.encode({"type": "CellDone", "ok": True, "values_json": values})
        with pytest.raises(Malformed):
            decode_message(body, messages.FROM_SERVER)


def test_a_record_of_another_name_or_without_its_fields_is_refused() -> None:
    for name in ("NoSuchRecord", AccessMap.__name__, "Submission"):
        with pytest.raises(Malformed):
            decode_message(msgspec.msgpack.encode({"type": name}), messages.FROM_SERVER)


def test_a_frame_longer_than_the_limit_is_not_read() -> None:
    ours, theirs = pair()
    os.write(theirs.fileno(), struct.pack("!I", MAX_MESSAGE + 1) + b"x" * 1000)
    with pytest.raises(Closed, match=f"message of {MAX_MESSAGE + 1} bytes"):
        ours.receive(messages.FROM_SERVER)
    ours.close()
    theirs.close()


@pytest.mark.slow
def test_a_runner_refuses_what_is_no_greeting(home: Path) -> None:
    greeting = frame_message(runner_messages.Greeting(1, "0.1.0"))
    for said in (b"GET / HTTP/1.1\r\n\r\n", b"", greeting[:-1], struct.pack("!I", 5) + b"12345"):
        done = subprocess.run(
            [sys.executable, "-m", "tutor", "judge", "serve"],
            input=said,
            env=link.environment(),
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == 2
        assert done.stdout == b""
        assert b"not a caller's greeting" in done.stderr
        assert b"Traceback" not in done.stderr
    other = frame_message(runner_messages.Greeting(99, "0.1.0"))
    done = subprocess.run(
        [sys.executable, "-m", "tutor", "judge", "serve"],
        input=other,
        env=link.environment(),
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0
    assert done.stdout.startswith(runner_messages.MARK)
