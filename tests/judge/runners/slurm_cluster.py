"""A Slurm cluster on this machine, as root: munged, slurmctld and a slurmd for each virtual node."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

_PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "squeue", "sbatch")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class SlurmCluster:
    """Nodes of one slot each. Skips where Slurm is not installed or does not start."""

    def __init__(self, folder: Path, nodes: int) -> None:
        self.folder = folder
        path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
        if lacking := [each for each in _PROGRAMS if shutil.which(each, path=path) is None]:
            pytest.skip(
                f"no {lacking[0]} here: apt-get install slurmctld slurmd slurm-client munge"
            )
        if os.getuid() != 0:
            pytest.skip("Slurm's slurmd starts as root only")
        self.environment = {**os.environ, "PATH": path, "SLURM_CONF": str(folder / "slurm.conf")}
        self._processes: list[subprocess.Popen[bytes]] = []
        folder.chmod(0o755)  # munged refuses others
        key, munge = folder / "key", folder / "munge.socket"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        names = [f"n{number}" for number in range(1, nodes + 1)]
        hosts = "\n".join(
            f"NodeName={name} NodeHostname={socket.gethostname()} NodeAddr=127.0.0.1 "
            f"Port={_free_port()} CPUs=1 State=UNKNOWN"
            for name in names
        )
        (folder / "slurm.conf").write_text(
            f"""ClusterName=tests
SlurmctldHost={socket.gethostname()}(127.0.0.1)
SlurmctldPort={_free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={munge}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1
ReturnToService=2
MpiDefault=none
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
{hosts}
PartitionName=tests Nodes=ALL Default=YES State=UP
"""
        )
        for each in ("state", *(f"spool-{name}" for name in names)):
            (folder / each).mkdir()
        self._start(
            "munged",
            "-F",
            "--force",
            f"--key-file={key}",
            f"--socket={munge}",
            f"--pid-file={folder}/munged.pid",
            f"--log-file={folder}/munged.log",
            f"--seed-file={folder}/munged.seed",
        )
        self._until(munge.exists, "munged")
        self._start("slurmctld", "-D", "-c")
        for name in names:
            self._start("slurmd", "-D", "-N", name)
        self._until(lambda: self._idle() == len(names), "slurmctld")

    def _start(self, *command: str) -> None:
        with (self.folder / "log").open("ab") as log:
            self._processes.append(
                subprocess.Popen(
                    command,
                    env=self.environment,
                    stdout=log,
                    stderr=log,
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                )
            )

    def _idle(self) -> int:
        return self.run("sinfo", "--noheader", "--Node", "--states=idle").count("\n")

    def _until(self, true, what: str, seconds: float = 20.0) -> None:
        deadline = time.monotonic() + seconds
        while not true():
            if time.monotonic() > deadline or any(
                each.poll() is not None for each in self._processes
            ):
                self.close()
                logs = [*self.folder.glob("*.log"), self.folder / "log"]
                said = " | ".join(file.read_text()[-300:] for file in logs if file.exists())
                pytest.skip(f"{what} does not start here: {said}")
            time.sleep(0.1)

    def run(self, *command: str) -> str:
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        return done.stdout

    def close(self) -> None:
        for each in reversed(self._processes):
            each.terminate()
        for each in self._processes:
            try:
                each.wait(5)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()
