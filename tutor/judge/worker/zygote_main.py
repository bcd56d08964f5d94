"""A warm process that forks workers: torch and Triton are imported, but nothing of any exercise.

The server starts it as `python -m tutor.judge.worker.zygote_main FD MODE`. Its messages are in
`tutor.judge.processes.worker_messages.helpers`; it reports each worker's end. When the server ends, for
whatever reason, the channel closes. Then the zygote kills every descendant and ends.

Each worker starts in a separate folder, which also holds its temporary files. The folder is removed
when the worker has ended.

Modes: "interpret" (Triton interprets, CPU), "offline" (interpreted kernels are compiled for a GPU,
which this machine may lack), "compile" (torch.compile), "cuda", "lower" (X-rays: Dynamo, Inductor
and Triton's compiler have run once), "xray" (one X-ray: nothing is imported in advance).
"""

import contextlib
import gc
import os
import select
import shutil
import signal
import sys
import tempfile
import traceback
from typing import Any, TextIO

from tutor.judge.processes import process_control
from tutor.judge.processes.wire import Channel, Closed, close_all, readable
from tutor.judge.processes.worker_messages.helpers import (
    TO_ZYGOTE,
    CannotImport,
    Exited,
    Forked,
    ZygoteReady,
)


def main() -> None:
    fd, mode = int(sys.argv[1]), sys.argv[2]
    channel = Channel.from_fd(fd)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the owner handles it and ends this process
    process_control.adopt_orphans()
    process_control.die_with_parent(os.getppid())  # it does not listen while it warms up
    try:
        _warm(mode)
    except ImportError as error:
        channel.send(CannotImport(readable(str(error))))
        return
    gc.collect()
    gc.freeze()  # the children's collectors must not touch shared pages
    folder = tempfile.mkdtemp(prefix="tutor-judge-")
    process_control.outlive_parent()  # from here on the channel's end reports it
    try:
        channel.send(ZygoteReady(folder))
        _serve(channel, mode, folder)
    except Closed:
        pass  # the server is gone, perhaps between a worker's end and its report
    finally:
        for pid in process_control.descendants(os.getpid()):
            process_control.kill(pid)
        shutil.rmtree(folder, ignore_errors=True)


def _warm(mode: str) -> None:
    if mode == "xray":
        return  # for one question: the worker imports only what it needs
    if mode == "interpret":
        os.environ["TRITON_INTERPRET"] = "1"  # @triton.jit reads it, so before the import
    import torch

    torch.set_num_threads(1)  # no thread pool may exist when this process forks
    import triton.language  # noqa: F401  (imported here so that no worker has to)

    from tutor.judge.worker import main as worker

    if mode == "interpret":
        worker.warm_interpreter()
    elif mode == "compile":
        from tutor.judge.worker import graph_capture, inductor_setup  # noqa: F401  (Dynamo and Inductor, imported once)

        inductor_setup.keep_headers()
    elif mode == "lower":
        from tutor.judge.worker import xray_worker

        xray_worker.warm()
    elif mode == "offline":
        from tutor.judge.worker import compile_worker

        compile_worker.warm()


def _serve(channel: Channel, mode: str, folder: str) -> None:
    """Fork on request until the channel ends; then raise `Closed`."""
    wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write)
    workers: dict[int, str] = {}  # process id to folder
    number = 0
    asked = [_ask_compiler(workers)] if mode == "compile" else []
    while True:
        ready, _, _ = select.select([channel.fileno(), wake_read, *asked], [], [])
        if asked and asked[0] in ready:
            asked.pop().take()
        if wake_read in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake_read, 4096)
            _reap(channel, workers)
        if channel.fileno() in ready:
            _, fds = channel.receive(TO_ZYGOTE)
            number += 1
            own = os.path.join(folder, str(number))
            zygote, pid = os.getpid(), os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                channel.close()
                close_all([each.fileno() for each in asked])
                _become_worker(fds[0], fds[1], mode, zygote, own)
            workers[pid] = own
            close_all(fds)
            channel.send(Forked(pid))


def _ask_compiler(workers: dict[int, str]) -> Any:
    from tutor.judge.worker import inductor_setup

    answers = inductor_setup.Answers()
    workers[answers.ask_ahead()] = ""  # not a stray process
    return answers


def _reap(channel: Channel, workers: dict[int, str]) -> None:
    ended = _ended()
    folders = [(pid, status, workers.pop(pid, "")) for pid, status in ended]
    # Processes that a worker left behind became children of this process: kill them, and those that
    # they leave behind in turn.
    for stray in set(process_control.children(os.getpid())) - workers.keys():
        for each in (*process_control.descendants(stray), stray):
            process_control.kill(each)
    for pid, status, folder in folders:
        if folder:
            channel.send(Exited(pid, status))
            _remove(folder, workers)


def _ended() -> list[tuple[int, int]]:
    """Yield children that have ended, with their wait status."""
    found = []
    with contextlib.suppress(ChildProcessError):
        while (one := os.waitpid(-1, os.WNOHANG))[0]:
            found.append(one)
    return found


def _remove(folder: str, workers: dict[int, str]) -> None:
    """Remove a worker's folder. If it has content, a separate process removes it, because that may
    take long and a verdict may be waiting for the next worker."""
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        pass
    except OSError:
        cleaner = os.fork()
        if cleaner == 0:
            with contextlib.suppress(BaseException):
                shutil.rmtree(folder, ignore_errors=True)
            os._exit(0)
        workers[cleaner] = ""  # not a stray process


def _become_worker(channel_fd: int, output_fd: int, mode: str, zygote: int, folder: str) -> None:
    """Set up the forked child: a new session and the standard streams on the pipe; then serve once."""
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        process_control.die_with_parent(zygote)
        process_control.adopt_orphans()  # its child processes stay below it, where they are counted
        process_control.no_core_files()
        os.mkdir(folder, 0o700)
        if mode != "xray":  # (mode "xray" runs in its caller's folder: the path may be relative)
            os.chdir(folder)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(output_fd, 1)
        os.dup2(output_fd, 2)
        os.close(output_fd)
        sys.stdout, sys.stderr = _text(1), _text(2)
        if mode in ("lower", "xray"):
            from tutor.judge.worker import xray_worker

            xray_worker.serve(Channel.from_fd(channel_fd))
        elif mode == "offline":
            from tutor.judge.worker import compile_worker

            compile_worker.serve(Channel.from_fd(channel_fd))
        else:
            from tutor.judge.worker import main as worker

            worker.serve(Channel.from_fd(channel_fd), mode)
        status = 0
    except BaseException:
        traceback.print_exc()  # to the pipe: the verdict shows it as printed output
    finally:
        os._exit(status)


def _text(fd: int) -> TextIO:
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


if __name__ == "__main__":
    main()
