"""An sshd of Debian's on the loopback address, with keys, a port and a folder of its own."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest


class SshServer:
    """A running sshd. `words` are the words of `ssh` that lead to it. Skips without openssh-server."""

    def __init__(self, folder: Path) -> None:
        sshd = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin")
        if sshd is None or shutil.which("ssh") is None:
            pytest.skip("no sshd here: apt-get install openssh-server")
        for name in ("host", "user"):
            file = str(folder / name)
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file], check=True)
        (folder / "authorized").write_bytes((folder / "user.pub").read_bytes())
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        (folder / "config").write_text(
            f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {folder}/host\nStrictModes no\n"
            f"AuthorizedKeysFile {folder}/authorized\nUsePAM no\nPidFile none\n"
            f"PermitRootLogin prohibit-password\nPasswordAuthentication no\n"
        )
        if os.getuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)  # sshd(8) wants it for its unprivileged process
        with (folder / "log").open("wb") as log:
            command = [sshd, "-D", "-e", "-f", str(folder / "config")]
            self._process = subprocess.Popen(command, stderr=log, start_new_session=True)
        self.words = [
            "ssh",
            "-T",
            "-p",
            str(port),
            "-i",
            str(folder / "user"),
            "-o",
            "BatchMode=yes",
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            f"UserKnownHostsFile={folder}/known",
            "-F",
            "none",
            "127.0.0.1",
        ]
        deadline = time.monotonic() + 10
        while subprocess.run([*self.words, "true"], capture_output=True).returncode:
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.close()
                pytest.skip(f"sshd does not start here: {(folder / 'log').read_text()[-300:]}")
            time.sleep(0.1)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(10)
