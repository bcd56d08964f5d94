import os
import socket
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.judge.processes.wire import MAX_MESSAGE, Channel, Closed, pair

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40)
)
messages = st.dictionaries(
    st.text(max_size=10),
    st.recursive(scalars, lambda each: st.lists(each, max_size=4), max_leaves=10),
    max_size=5,
)


@given(sent=st.lists(messages, min_size=1, max_size=4))
@settings(max_examples=60)
def test_messages_arrive_as_they_were_sent_and_in_order(sent):
    ours, theirs = pair()
    for message in sent:
        ours.send(message)
    assert [theirs.receive() for _ in sent] == [(message, []) for message in sent]
    ours.close()
    theirs.close()


def test_a_message_larger_than_the_socket_holds_arrives_whole():
    ours, theirs = pair()
    text = "ä\0\ud800" * 500_000
    sender = threading.Thread(target=ours.send, args=({"text": text},))
    sender.start()
    message, _ = theirs.receive()
    sender.join()
    assert message["text"] == text


def test_descriptors_travel_with_their_message():
    ours, theirs = pair()
    fds = [os.memfd_create("a"), os.memfd_create("b")]
    os.write(fds[0], b"first")
    os.write(fds[1], b"second")
    ours.send({"n": 1}, tuple(fds))
    ours.send({"n": 2})
    message, got = theirs.receive()
    assert message == {"n": 1}
    assert [os.pread(fd, 10, 0) for fd in got] == [b"first", b"second"]
    assert not set(got) & set(fds)
    assert theirs.receive() == ({"n": 2}, [])
    for fd in (*fds, *got):
        os.close(fd)


def frame(body: bytes, size: int | None = None) -> bytes:
    return (len(body) if size is None else size).to_bytes(4, "big") + body


NONSENSE = {
    "nothing": b"",
    "half a header": b"\0\0",
    "less than announced": frame(b'{"a": 1}', 100),
    "longer than allowed": frame(b"{}", MAX_MESSAGE + 1),
    "as long as the header can say": frame(b"{}", 0xFFFFFFFF),
    "not JSON": frame(b"hello"),
    "not UTF-8": frame(b'{"a": "\xff"}'),
    "not an object": frame(b"[1]"),
    "a number of too many digits": frame(b'{"a": ' + b"9" * 10_000 + b"}"),
    "nested without end": frame(b"[" * 200_000),
    "empty": frame(b""),
}


@pytest.mark.parametrize("raw", NONSENSE.values(), ids=NONSENSE.keys())
def test_nonsense_is_taken_for_the_end(raw):
    ours, theirs = socket.socketpair()
    ours.sendall(raw)
    ours.close()
    with pytest.raises(Closed):
        Channel(theirs).receive()


@given(raw=st.binary(max_size=60))
@settings(max_examples=100)
def test_any_bytes_are_a_message_or_the_end(raw):
    ours, theirs = socket.socketpair()
    ours.sendall(raw)
    ours.close()
    channel = Channel(theirs)
    try:
        message, _ = channel.receive()
    except Closed:
        pass
    else:
        assert isinstance(message, dict)
    channel.close()


def test_descriptors_of_a_broken_message_are_closed():
    def open_now() -> set[str]:
        return set(os.listdir("/proc/self/fd"))

    for raw in (frame(b"[1]"), frame(b"nonsense"), frame(b'{"a"', 50)):
        ours, theirs = socket.socketpair()
        channel = Channel(theirs)
        fd = os.memfd_create("left behind")
        socket.send_fds(ours, [raw], [fd])
        ours.close()
        os.close(fd)
        before = open_now()
        with pytest.raises(Closed):
            channel.receive()
        assert open_now() <= before
        channel.close()


def test_sending_to_nobody_is_the_end_too():
    ours, theirs = pair()
    theirs.close()
    with pytest.raises(Closed):
        ours.send({"text": "x" * 1_000_000})


def test_hanging_up_wakes_a_reader_in_another_thread():
    ours, theirs = pair()
    ended = threading.Event()

    def read() -> None:
        with pytest.raises(Closed):
            ours.receive()
        ended.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    assert not ended.wait(0.1)
    ours.hang_up()
    assert ended.wait(5)
    theirs.close()
