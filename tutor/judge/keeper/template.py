"""A process that is warm for one mode and forks zygotes, one for each server that asks.

The keeper forks it and sends `StartZygote`. It holds nothing of any exercise or caller. When the keeper
ends, it ends; the zygotes end with their servers.
"""

import gc
import os
import select
import signal
import sys
import tempfile
from contextlib import suppress
from functools import partial

from tutor.judge.keeper import inheritance
from tutor.judge.processes import process_control
from tutor.judge.processes.children import Children
from tutor.judge.processes.wire import Channel, Closed, close_all, readable
from tutor.judge.processes.worker_messages.helpers import (
    TO_TEMPLATE,
    CannotImport,
    StartZygote,
    TemplateWarm,
)
from tutor.judge.worker import modes, zygote

_REFUSING_SECONDS = 1.0


def serve(channel: Channel, mode: str) -> None:
    """Warm up, then fork on request until the channel ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        modes.warm(mode)
    except ImportError as error:
        _refuse(channel, readable(str(error)))
        return
    gc.collect()
    gc.freeze()  # the children's collectors must not touch shared pages
    children = Children()
    answers = modes.begin(mode, children)
    try:
        channel.send(TemplateWarm())
        while True:
            ready, _, _ = select.select([channel, children, *answers], [], [])
            if answers and answers[0] in ready and not answers[0].take():
                answers.pop()
            if children in ready:
                children.reap()
            if channel in ready:
                message, fds = channel.receive(TO_TEMPLATE)
                own = [channel.fileno(), *(each.fileno() for each in answers)]
                children.fork(partial(_become_zygote, message, fds, own, mode))
                close_all(fds)
    except Closed:
        pass


def _become_zygote(message: StartZygote, fds: list[int], template: list[int], mode: str) -> None:
    os.setsid()
    process_control.name_process(f"tutor {mode}")
    close_all(template)
    inheritance.apply(message.surroundings)
    process_control.log_to(fds[1])
    modes.adopt_environment(mode)
    tempfile.tempdir = None  # TMPDIR may be another one
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()  # callers must not get each other's numbers
    zygote.serve(Channel.from_fd(fds[0]), mode)


def _refuse(channel: Channel, error: str) -> None:
    """Answer the servers that wait; the keeper starts another template for later ones."""
    while select.select([channel], [], [], _REFUSING_SECONDS)[0]:
        try:
            _, fds = channel.receive(TO_TEMPLATE)
        except Closed:
            return
        server = Channel.from_fd(fds[0])
        close_all(fds[1:])
        with suppress(Closed):
            server.send(CannotImport(error))
        server.close()
