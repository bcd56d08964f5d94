"""A caller's connection to the judge of a runner, through the stdin and stdout of a launch command."""

import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress

import tutor
from tutor.base import config
from tutor.base.errors import CannotHere, JudgeLost
from tutor.base.runner_table import Runner
from tutor.judge.model.caller_messages import (
    FROM_SERVER,
    Cancel,
    Done,
    EndSession,
    ServerEvent,
    ServerRequest,
)
from tutor.judge.model.runner_messages import (
    FROM_RUNNER,
    MARK,
    PROTOCOL,
    Greeted,
    Greeting,
    messages_digest,
)
from tutor.judge.processes.wire import Closed, pair
from tutor.judge.runners.answer_bounds import CallBounds, Excess, find_fault_of_greeting
from tutor.judge.runners.slurm_queue import SlurmQueue

_LOOK_SECONDS = 0.2  # how often the launch command's words are looked at while it starts
_END_SECONDS = 1.0  # for the launch command to end by itself, and then once more by a signal
_MOST_BEFORE = 1 << 16  # bytes that a login shell may print before the mark
_LINE, _LINES = 300, 20  # of what the launch command says on stderr


class RemoteLink:
    """A connection, begun at once. `greeted` is what the runner says of itself, once it has answered.

    Raises `CannotHere` if the launch command is not found here.
    """

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.server = 0  # its process is on another machine
        self.greeted: Greeted | None = None
        self._closed = False
        self._bounds = CallBounds(Cancel())
        self._heard = time.monotonic()
        self._patience = config.load_config().config.judge_timeout  # seconds
        self._said: deque[str] = deque(maxlen=_LINES)
        self._queue = SlurmQueue(runner.launch)
        self.channel, theirs = pair()
        self.channel.settimeout(self._patience)  # for the rest of a message that has begun
        try:
            # A session of its own has no terminal, on which ssh would ask for a password.
            self._process = subprocess.Popen(
                runner.command,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            self.channel.close()
            raise CannotHere(
                f"runner {runner.name}: {runner.command[0]} does not start here ({error.strerror}); "
                "correct its launch in config.toml"
            ) from None
        finally:
            theirs.close()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        with suppress(Closed):  # `waiting` reports it
            self.channel.send(Greeting(PROTOCOL, tutor.__version__))

    def waiting(self) -> Iterator[str]:
        """Wait until the runner answers; yield what happens meanwhile. Raises `CannotHere`, or `Closed`
        once `close` was called."""
        told, before = "", b""
        while self.greeted is None:
            if not self.channel.may_receive(_LOOK_SECONDS):
                now = f"{self.runner.name}: {self._state()}"
                if now != told:
                    yield now
                told = now
                if not self._said:  # a launch command that waits, such as srun, says so
                    self.look_after()
                continue
            try:
                before += self.channel.receive_bytes(1)
                self._heard = time.monotonic()
                if before.endswith(MARK):
                    greeted, _ = self.channel.receive(FROM_RUNNER)
                    self._accept(greeted)
                    yield f"{self.runner.name}: connected, the judge starts"
                elif len(before) > _MOST_BEFORE:
                    raise Closed("no mark")
            except Closed:
                if self._closed:
                    raise
                raise JudgeLost(self._explain_failed_start(before)) from None

    def _accept(self, greeted: Greeted) -> None:
        name, here = self.runner.name, tutor.__version__
        if fault := find_fault_of_greeting(greeted):
            raise CannotHere(f"runner {name} cannot be believed: {fault}")
        if (greeted.protocol, greeted.version) != (PROTOCOL, here):
            install = (greeted.python, "-m", "pip", "install", f"tutor-ml-compilers=={here}")
            mend = ("git", "-C", greeted.clone, "pull") if greeted.clone else install
            raise CannotHere(
                f"runner {name} has tutor {greeted.version}, and this is {here}: "
                f"`{self.runner.there(*mend)}` brings the newest one there"
            )
        if greeted.messages != messages_digest():
            raise CannotHere(
                f"runner {name} has other code of tutor {here} than this machine: "
                f"check out the same commit in {greeted.clone or greeted.python} there"
            )
        self.greeted = greeted

    def _state(self) -> str:
        """Describe what the launch command does now, in a few words."""
        queued = self._queue.place(list(self._said))
        return queued or (self._said[-1] if self._said else "connecting")

    def _explain_failed_start(self, before: bytes) -> str:
        self._wait_for_last_words()
        said = self._said[-1] if self._said else _in_one_line(before[-_LINE:])
        if (status := self._process.poll()) is not None and not said:
            said = f"its launch command ended with status {status}"
        return (
            f"runner {self.runner.name} did not start: {said or 'it says nothing'}; "
            f"`tutor doctor --runner {self.runner.name}` looks into it"
        )

    def describe_loss(self) -> str:
        """Say that the connection was lost, and the launch command's last words."""
        self._wait_for_last_words()
        said = f" ({self._said[-1]})" if self._said else ""
        return f"runner {self.runner.name} was lost{said}"

    def _wait_for_last_words(self) -> None:
        """Give the launch command a moment to say why it ends."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        self._listener.join(_END_SECONDS)

    def _listen(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            while line := lines.readline(1 << 16):
                if text := _in_one_line(line):
                    self._said.append(text[:_LINE])

    def begin_call(self, request: ServerRequest) -> None:
        """Note what is asked, from which the bounds of the answer follow."""
        self._bounds = CallBounds(request)
        self._heard = time.monotonic()

    def look_after(self) -> None:
        """Raise `CannotHere` if the runner has said nothing for too long. Its own side looks after its
        judge."""
        if time.monotonic() - self._heard > self._patience:
            self.close()
            raise CannotHere(
                f"runner {self.runner.name} has said nothing for {self._patience} s (setting "
                f"judge_timeout); `tutor doctor --runner {self.runner.name}` looks into it"
            )

    def receive(self) -> ServerEvent:
        """Receive an event of the present call. Raises `Closed`, or `CannotHere` for what a runner may
        not send; then the connection has ended."""
        before = self.channel.received
        event, _ = self.channel.receive(FROM_SERVER)
        self._heard = time.monotonic()
        try:
            admitted: ServerEvent = self._bounds.admit(event, self.channel.received - before)
        except Excess as excess:
            self.close()
            raise CannotHere(
                f"runner {self.runner.name} cannot be believed: {excess}; nothing of it was kept"
            ) from None
        return admitted

    def is_lost(self) -> bool:
        """Return True if the launch command has ended."""
        ended = self.greeted is not None and self.channel.has_ended()
        return ended or self._process.poll() is not None

    def close(self) -> None:
        """End the launch command. The judge's server there ends with its connection, unless `Leave` was
        sent before."""
        self._closed = True
        self.channel.hang_up()
        for end in (self._process.terminate, self._process.kill):
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_SECONDS)
                return
            end()
        self._process.wait()


def _in_one_line(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    return "".join(c if c.isprintable() else " " for c in text).strip()


def round_trip(link: RemoteLink, seconds: float = 60.0) -> float:
    """Return the milliseconds from a message to its answer. Raises `Closed`."""
    link.channel.settimeout(seconds)
    begun = time.perf_counter()
    link.channel.send(EndSession(""))
    while not isinstance(link.channel.receive(FROM_SERVER)[0], Done):
        pass
    return (time.perf_counter() - begun) * 1e3
