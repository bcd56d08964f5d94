"""An sshd and a Slurm cluster for the tests of this folder, and runners that lead through them."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from slurm_cluster import SlurmCluster
from ssh_server import SshServer

from tutor.base.runner_table import Runner
from tutor.judge.connection import identity, link

PROGRAM = (sys.executable, "-m", "tutor")


def surroundings() -> list[str]:
    """The words of env(1) by which a login has this test run's warm judge and home."""
    names = (*identity._READ_ONCE, "XDG_RUNTIME_DIR", "TUTOR_HOME", "PATH")
    given = {k: v for k, v in link.environment().items() if k.startswith(names)}
    return ["env", *(shlex.quote(f"{name}={value}") for name, value in given.items())]


@pytest.fixture(scope="session")
def ssh_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    server = SshServer(tmp_path_factory.mktemp("ssh"))
    yield server
    server.close()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmCluster]:
    made = SlurmCluster(tmp_path_factory.mktemp("slurm"), nodes=2)
    yield made
    made.close()


@pytest.fixture
def lab(ssh_server: SshServer, home: Path) -> Runner:
    return Runner("lab", (*ssh_server.words, *surroundings()), PROGRAM)


@pytest.fixture
def srun(cluster: SlurmCluster, home: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    for name in ("PATH", "SLURM_CONF"):
        monkeypatch.setenv(name, cluster.environment[name])
    return Runner("cluster", ("srun", "--unbuffered", "--ntasks=1"), PROGRAM)
