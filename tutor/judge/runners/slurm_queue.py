"""The place of a waiting job in Slurm's queue, from what srun says and squeue lists."""

import re
import subprocess
import time
from contextlib import suppress
from pathlib import PurePath

_QUEUED = re.compile(r"srun: job (\d+) queued and waiting for resources")
_GIVEN = re.compile(r"srun: job (\d+) has been allocated resources")
_ASK_SECONDS, _ANSWER_SECONDS = 5.0, 10.0


class SlurmQueue:
    """`launch` are the words of a launch command. Without srun among them nothing is asked."""

    def __init__(self, launch: tuple[str, ...]) -> None:
        names = [PurePath(word).name for word in launch]
        # What stands before srun, such as `ssh login`, leads to the machine that knows squeue.
        self._before = list(launch[: names.index("srun")]) if "srun" in names else None
        self._asked, self._place = float("-inf"), ""

    def place(self, said: list[str]) -> str:
        """Return the state of the job that the lines of srun in `said` name; "" if they name none."""
        if self._before is None:
            return ""
        last = next((line for line in reversed(said) if line.startswith("srun: job ")), "")
        if _GIVEN.match(last):
            return "the job has its resources and starts"
        if not (match := _QUEUED.match(last)):
            return ""
        if time.monotonic() - self._asked >= _ASK_SECONDS:
            self._asked = time.monotonic()
            self._place = self._ask(match[1])
        return f"job {match[1]} is queued{self._place}"

    def _ask(self, job: str) -> str:
        """Return ", 3rd of 8 in partition gpu", or "" if squeue does not say."""
        assert self._before is not None
        command = [
            *self._before,
            "squeue",
            "--noheader",
            "--states=PENDING",
            "--sort=-p,i",
            "--format=%i|%P",
        ]
        with suppress(OSError, subprocess.TimeoutExpired):
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_ANSWER_SECONDS,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
            rows = [line.strip().partition("|")[::2] for line in done.stdout.splitlines()]
            where = next((partition for number, partition in rows if number == job), None)
            if where is not None:
                waiting = [number for number, partition in rows if partition == where]
                place = waiting.index(job) + 1
                return f", number {place} of {len(waiting)} that wait in partition {where}"
        return ""
