"""Messages on the wire, and what happens to bytes that are none."""

import json
import math
import os
import socket
import threading
import time
from dataclasses import is_dataclass
from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.msgpack import Encoder

from tutor.judge.model import caller_messages as caller_messages
from tutor.judge.model.events import CellDone
from tutor.judge.model.message_format import MessageDecoder
from tutor.judge.model.verdict import Diagnosis, Verdict
from tutor.judge.processes.wire import MAX_MESSAGE, Channel, Closed, Malformed, decode_message, pair
from tutor.judge.processes.worker_messages import answers, helpers, records
from tutor.judge.processes.worker_messages import questions as asked


class Note(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    n: int = 0
    values: dict[str, Any] = {}
    text: str = ""


NOTE: MessageDecoder[Note] = MessageDecoder(Note)
INTEGERS = st.integers(-(1 << 63), (1 << 64) - 1)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
scalars = st.none() | st.booleans() | INTEGERS | st.floats(allow_nan=False) | texts
notes = st.builds(
    Note,
    n=st.integers(-(1 << 63), (1 << 63) - 1),
    values=st.dictionaries(
        texts,
        st.recursive(scalars, lambda each: st.lists(each, max_size=4), max_leaves=10),
        max_size=5,
    ),
)


@given(sent=st.lists(notes, min_size=1, max_size=4))
@settings(max_examples=60)
def test_messages_arrive_as_they_were_sent_and_in_order(sent):
    ours, theirs = pair()
    for message in sent:
        ours.send(message)
    assert [theirs.receive(NOTE) for _ in sent] == [(message, []) for message in sent]
    ours.close()
    theirs.close()


def test_floats_that_json_lacks_arrive():
    ours, theirs = pair()
    ours.send(Note(values={"a": math.inf, "b": -math.inf, "c": math.nan}))
    values = theirs.receive(NOTE)[0].values
    assert (values["a"], values["b"], math.isnan(values["c"])) == (math.inf, -math.inf, True)


def test_a_message_larger_than_the_socket_holds_arrives_whole():
    ours, theirs = pair()
    text = "ä\0\ud7ff" * 500_000
    sender = threading.Thread(target=ours.send, args=(Note(text=text),))
    sender.start()
    message, _ = theirs.receive(NOTE)
    sender.join()
    assert message.text == text


def test_descriptors_travel_with_their_message():
    ours, theirs = pair()
    fds = [os.memfd_create("a"), os.memfd_create("b")]
    os.write(fds[0], b"first")
    os.write(fds[1], b"second")
    ours.send(Note(1), tuple(fds))
    ours.send(Note(2))
    message, got = theirs.receive(NOTE)
    assert message == Note(1)
    assert [os.pread(fd, 10, 0) for fd in got] == [b"first", b"second"]
    assert not set(got) & set(fds)
    assert theirs.receive(NOTE) == (Note(2), [])
    for fd in (*fds, *got):
        os.close(fd)


@given(integer=st.integers(-(1 << 200), 1 << 200), text=texts)
def test_a_record_arrives_as_itself(integer, text):
    """Without a wrapper, and with numbers that msgpack lacks."""
    ours, theirs = pair()
    sent = (
        Diagnosis("crash", text, 3),
        Verdict("vector_add", False, "cpu", diagnosis=(Diagnosis("crash", text, 3),)),
        CellDone(ok=True, values_json=json.dumps({"x": integer})),
    )
    for record in sent:
        ours.send(record)
        assert theirs.receive(caller_messages.FROM_SERVER) == (record, [])
    assert sent[-1].values == {"x": integer}
    ours.close()
    theirs.close()


def frame(body: bytes, size: int | None = None) -> bytes:
    return (len(body) if size is None else size).to_bytes(4, "big") + body


NONSENSE = {
    "nothing": b"",
    "half a header": b"\0\0",
    "less than announced": frame(b'{"a": 1}', 100),
    "longer than allowed": frame(b"{}", MAX_MESSAGE + 1),
    "as long as the header can say": frame(b"{}", 0xFFFFFFFF),
    "not msgpack": frame(b"\xc1hello"),
    "JSON": frame(b'{"type": "Note", "n": 1}'),
    "not UTF-8": frame(b"\x82\xa4type\xa4Note\xa4text\xa1\xff"),
    "half a surrogate pair": frame(b"\x82\xa4type\xa4Note\xa4text\xa3\xed\xa0\x80"),
    "not an object": frame(b"\x91\x01"),
    "of another type": frame(b"\x81\xa4type\xa4Noun"),
    "a field too many": frame(b"\x82\xa4type\xa4Note\xa1m\x01"),
    "nothing for a number": frame(b"\x82\xa4type\xa4Note\xa1n\xc0"),
    "a list that says it is endless": frame(b"\x82\xa4type\xa4Note\xa1n\xdd\xff\xff\xff\xff"),
    "a map that says it is endless": frame(b"\xdf\xff\xff\xff\xff\xa4type\xa4Note"),
    "nested without end": frame(b"\x82\xa4type\xa4Note\xa6values\x81\xa1a" + b"\x91" * 200_000),
    "empty": frame(b""),
}


@pytest.mark.parametrize("raw", NONSENSE.values(), ids=NONSENSE.keys())
def test_nonsense_is_taken_for_the_end(raw):
    ours, theirs = socket.socketpair()
    ours.sendall(raw)
    ours.close()
    with pytest.raises(Closed):
        Channel(theirs).receive(NOTE)


@given(raw=st.binary(max_size=60))
@settings(max_examples=100)
def test_any_bytes_are_a_message_or_the_end(raw):
    ours, theirs = socket.socketpair()
    ours.sendall(raw)
    ours.close()
    channel = Channel(theirs)
    try:
        message, _ = channel.receive(NOTE)
    except Closed:
        pass
    else:
        assert isinstance(message, Note)
    channel.close()


def test_descriptors_of_a_broken_message_are_closed():
    def open_now() -> set[str]:
        return set(os.listdir("/proc/self/fd"))

    for raw in (frame(b"\x91\x01"), frame(b"nonsense"), frame(b"\x81\xa4", 50)):
        ours, theirs = socket.socketpair()
        channel = Channel(theirs)
        fd = os.memfd_create("left behind")
        socket.send_fds(ours, [raw], [fd])
        ours.close()
        os.close(fd)
        before = open_now()
        with pytest.raises(Closed):
            channel.receive(NOTE)
        assert open_now() <= before
        channel.close()


def test_sending_to_nobody_is_the_end_too():
    ours, theirs = pair()
    theirs.close()
    with pytest.raises(Closed):
        ours.send(Note(text="x" * 1_000_000))


def test_hanging_up_wakes_a_reader_in_another_thread():
    ours, theirs = pair()
    ended = threading.Event()

    def read() -> None:
        with pytest.raises(Closed):
            ours.receive(NOTE)
        ended.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    assert not ended.wait(0.1)
    ours.hang_up()
    assert ended.wait(5)
    theirs.close()


# --- every message of the judge ---------------------------------------------------------------------


def questions() -> list[type]:
    return [
        each
        for each in vars(asked).values()
        if isinstance(each, type)
        and issubclass(each, records.WorkerQuestion)
        and each is not records.WorkerQuestion
    ]


DECODERS = {
    **{kind.__name__: asked.decoder_of_kind(kind) for kind in questions()},
    **{
        name: each
        for module in (records, answers, asked, helpers, caller_messages)
        for name, each in vars(module).items()
        if isinstance(each, MessageDecoder)
    },
}
KINDS = tuple(
    each
    for module in (records, answers, asked, helpers, caller_messages)
    for each in vars(module).values()
    if isinstance(each, type) and (issubclass(each, msgspec.Struct) or is_dataclass(each))
)
NAMES = sorted({name for kind in KINDS for name in (kind.__name__, *get_type_hints(kind))})
plain = st.recursive(
    st.none()
    | st.booleans()
    | INTEGERS
    | st.floats()
    | st.text(max_size=8).map(lambda text: text.encode("utf-8", "replace").decode())
    | st.binary(max_size=8)
    | st.sampled_from(NAMES)
    | st.builds(msgspec.msgpack.Ext, st.integers(-128, 127), st.binary(max_size=8)),
    lambda each: (
        st.lists(each, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.integers(0, 9), each, max_size=5)
    ),
    max_leaves=12,
)
forged = st.builds(
    lambda tag, fields: {**fields, "type": tag},
    st.sampled_from([kind.__name__ for kind in KINDS]),
    st.dictionaries(st.sampled_from(NAMES), plain, max_size=6),
)


def is_read_or_refused(body: bytes) -> None:
    for decoder in DECODERS.values():
        try:
            message = decode_message(body, decoder)
        except Malformed:
            continue
        assert isinstance(message, KINDS)


def test_every_question_and_every_side_has_a_decoder():
    assert {"Load", "RunCase", "RunXray", "CompileLaunch", "TO_SERVER", "FROM_SERVER"} <= set(
        DECODERS
    )
    assert len(DECODERS) > 20


@given(body=st.binary(max_size=80))
@settings(max_examples=300)
def test_any_bytes_are_a_message_or_malformed(body):
    is_read_or_refused(body)


@pytest.mark.slow
@given(value=plain | forged)
@settings(max_examples=300, deadline=None)
def test_any_msgpack_is_a_message_or_malformed(value):
    is_read_or_refused(Encoder().encode(value))


LAUNCH = {
    "kernel": "k",
    "file": "k.py",
    "defined": 1,
    "line": None,
    "variant": "",
    "elements": 4,
    "key": "k",
    "args": {"x": {"kind": "tensor", "name": "float32", "shape": [4]}},
}
OUTPUT = {"shape": [4], "dtype": "float32", "device": "cpu", "alias": None}
LINK = {"source": "a", "source_line": 1, "target": "b", "target_line": 2, "kernel": "k"}
STAGE = {"type": "Stage", "name": "ptx", "title": "PTX", "language": "ptx", "text": "ret;"}
ANSWERS = {
    "Load": {"type": "ModuleLoaded", "constants": '{"B": 4}'},
    "RunCase": {
        "type": "CaseAnswer",
        "ms": 1.0,
        "launches": 1,
        "output": OUTPUT,
        "report": {"launches": 1, "kernels": [LAUNCH]},
    },
    "TimeRound": {"type": "RoundTimes", "ms": [0.5, 0.25]},
    "RunCell": {"type": "CellAnswer", "ok": True, "ms": 1.0, "values": '{"x": [1]}'},
    "RunXray": {"type": "Links", "links": [LINK]},
}


@pytest.mark.parametrize("question", ANSWERS)
def test_an_answer_is_read(question):
    message = decode_message(Encoder().encode(ANSWERS[question]), DECODERS[question])
    assert type(message).__name__ == ANSWERS[question]["type"]


BEYOND = {
    "no object": ("Load", {"constants": "[1]"}),
    "no JSON": ("Load", {"constants": "{"}),
    "JSON without end": ("Load", {"constants": "[" * 100_000}),
    "a field that nobody reads": ("Load", {"passed": True}),
    "the answer to another question": ("Load", {"type": "CellAnswer", "ok": True, "ms": 1.0}),
    "neither raised nor returned": ("RunCase", {"output": None}),
    "a length below zero": ("RunCase", {"output": {**OUTPUT, "shape": [-1]}}),
    "a text for a number": ("RunCase", {"launches": "1"}),
    "a truth for a number": ("RunCase", {"launches": True}),
    "a number beyond 62 bits": ("RunCase", {"launches": 1 << 63}),
    "a text of a megabyte": ("RunCase", {"wrong_type": "x" * (1 << 20)}),
    "a launch with an argument of no kind": (
        "RunCase",
        {"report": {"kernels": [{**LAUNCH, "args": {"x": {"kind": "file"}}}]}},
    ),
    "a trace of nothing": ("RunCase", {"trace": "{}"}),
    "no times": ("TimeRound", {"ms": []}),
    "a time below zero": ("TimeRound", {"ms": [1.0, -1.0]}),
    "a time without end": ("TimeRound", {"ms": [math.inf]}),
    "a time that is no number": ("TimeRound", {"ms": [math.nan]}),
    "a link without a line": ("RunXray", {"links": [{**LINK, "source_line": None}]}),
    "a stage of too many characters": ("RunXray", {**STAGE, "text": "x" * 4_000_001}),
    "a title of too many characters": ("RunXray", {**STAGE, "title": "x" * 70_000}),
    "a note of too many characters": ("RunXray", {**STAGE, "notes": ["x" * 70_000]}),
    "a count of too long a name": ("RunXray", {**STAGE, "counts": [["x" * 70_000, 1]]}),
    "a failure of too many characters": (
        "RunXray",
        {"type": "Failure", "stage": "", "sentence": "x" * 70_000},
    ),
    "an end on a device of no kind": ("RunXray", {"type": "XrayDone", "device": "", "status": 0}),
}


@pytest.mark.parametrize(("question", "change"), BEYOND.values(), ids=BEYOND.keys())
def test_what_no_worker_of_ours_sends_is_malformed(question, change):
    with pytest.raises(Malformed):
        decode_message(Encoder().encode({**ANSWERS[question], **change}), DECODERS[question])


def test_a_look_for_the_end_does_not_wait():
    """A receiver with a limit would wait that long."""
    ours, theirs = pair()
    ours.settimeout(60)
    begun = time.monotonic()
    assert not ours.has_ended()
    theirs.close()
    assert ours.has_ended()
    assert time.monotonic() - begun < 30
    ours.close()
    assert ours.has_ended()
