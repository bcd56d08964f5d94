"""The terminal, the folders and the disk."""

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tutor.base import paths
from tutor.base.config import Loaded
from tutor.base.terminal import is_terminal
from tutor.doctor.check_row import FAIL, OK, WARN, CheckRow

COLUMNS, ROWS = 80, 24
_LITTLE_SPACE, _NO_SPACE = 200 << 20, 10 << 20  # bytes

# SQLite's write-ahead log needs memory shared between processes, which these do not promise
# (sqlite.org/wal.html, "All processes using a database must be on the same host computer").
_REMOTE = (
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "afs",
    "ceph",
    "lustre",
    "beegfs",
    "glusterfs",
    "fuse.sshfs",
    "fuse.glusterfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.gcsfuse",
)
_SYNCED = ("dropbox", "onedrive", "google drive", "googledrive", "icloud", "nextcloud", "owncloud")


def check_terminal(environment: Mapping[str, str]) -> CheckRow:
    """Check that screens can be drawn on this terminal, by its variables, size and encoding."""
    if not is_terminal(sys.stdout):
        return CheckRow(
            "terminal", OK, "this is a pipe; run doctor in a terminal to have it looked at"
        )
    return check_drawing(environment, *shutil.get_terminal_size(), sys.stdout.encoding or "")


def check_drawing(
    environment: Mapping[str, str], columns: int, rows: int, encoding: str
) -> CheckRow:
    """Check that the application can draw on a terminal of this size."""
    name = environment.get("TERM", "")
    encoding = encoding.lower().replace("-", "")
    facts = f"{name or 'TERM is not set'}, {columns}×{rows}, {_colours(environment)}"
    if name in ("", "dumb"):
        remedy = "set TERM to what your terminal is, such as xterm-256color"
        return CheckRow("terminal", WARN, f"{facts}: the application cannot draw on it", remedy)
    if encoding != "utf8":
        remedy = "use a UTF-8 locale, such as LANG=C.UTF-8"
        return CheckRow("terminal", WARN, f"{facts}, encoding {encoding}: signs are lost", remedy)
    if columns < COLUMNS or rows < ROWS:
        remedy = f"make it {COLUMNS}×{ROWS} or larger, or the letters smaller"
        return CheckRow("terminal", WARN, f"{facts}: lines are cut", remedy)
    return CheckRow("terminal", OK, f"{facts}, UTF-8")


def _colours(environment: Mapping[str, str]) -> str:
    if environment.get("NO_COLOR"):
        return "no colours (NO_COLOR is set)"
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "16.7 million colours"
    return "256 colours" if "256" in environment.get("TERM", "") else "16 colours"


def check_folder(name: str, path: Path, needed: bool) -> CheckRow:
    """Check that a folder is writable and SQLite is safe there. `needed`: the program needs it."""
    kind = filesystem(path)
    facts = f"{path} ({kind})"
    if trouble := _write_trouble(path):
        remedy = "set TUTOR_HOME to a folder you own"
        return CheckRow(
            name, FAIL if needed else WARN, f"{facts} cannot be written: {trouble}", remedy
        )
    if kind in _REMOTE:
        remedy = "set TUTOR_HOME to a folder on a local disk"
        return CheckRow(
            name, WARN, f"{facts}: a network file system, where SQLite is not safe", remedy
        )
    if synced := next((p for p in path.parts if p.lower().startswith(_SYNCED)), None):
        remedy = "set TUTOR_HOME to a folder that is not synchronized"
        return CheckRow(name, WARN, f"{facts}: {synced} may copy the record half-written", remedy)
    return CheckRow(name, OK, facts)


def check_settings(loaded: Loaded) -> CheckRow:
    """Check `config.toml` for settings that have no effect."""
    file = paths.config_file()
    if loaded.faults:
        more = f" (and {len(loaded.faults) - 1} more)" if len(loaded.faults) > 1 else ""
        return CheckRow(
            "settings", WARN, f"{loaded.faults[0]}{more}", "correct that line, or delete it"
        )
    if not file.exists():
        return CheckRow("settings", OK, f"all default; yours would be in {file}")
    named = {"keys": loaded.config.keys, "theme": "theme" in loaded.places}
    apart = " and ".join(word for word, there in named.items() if there)
    known_later = f"; the application checks its {apart}" if apart else ""
    return CheckRow("settings", OK, f"{file}, without a mistake{known_later}")


def check_disk(path: Path) -> CheckRow:
    """Check that there is room for answers and for the compilers' caches where `path` lies."""
    free = shutil.disk_usage(_existing_parent(path)).free
    facts = f"{free / 2**30:.1f} GiB free where {path} lies"
    if free < _NO_SPACE:
        return CheckRow("disk", FAIL, f"{facts}: answers cannot be kept", "free some space")
    if free < _LITTLE_SPACE:
        return CheckRow("disk", WARN, f"{facts}: compilers' caches need more", "free some space")
    return CheckRow("disk", OK, facts)


def filesystem(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """The type of the file system that `path` is, or would be, on: "ext4", "nfs4", "unknown".

    Format: proc_pid_mountinfo(5). Of two mounts on the same point the later one counts.
    """
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
    except OSError:
        return "unknown"
    real = _existing_parent(path).resolve()
    best, kind = -1, "unknown"
    for line in lines:
        before, separator, after = line.partition(" - ")
        fields = before.split()
        if not separator or len(fields) < 5 or not after.split():
            continue
        point = Path(fields[4].replace("\\040", " "))  # a blank in the name
        if (real == point or point in real.parents) and len(point.parts) >= best:
            best, kind = len(point.parts), after.split()[0]
    return kind


def _write_trouble(path: Path) -> str:
    """Return the reason why nothing can be written there, or "". Leaves nothing behind."""
    existing = _existing_parent(path)
    if not existing.is_dir():
        return f"{existing} is not a folder"
    try:
        with tempfile.NamedTemporaryFile(dir=existing, prefix=".tutor-doctor-") as file:
            file.write(b"x")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _existing_parent(path: Path) -> Path:
    """`path`, or its nearest ancestor that exists."""
    return next(p for p in (path, *path.parents) if p.exists())
