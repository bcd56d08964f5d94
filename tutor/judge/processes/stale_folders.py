"""The folders for workers' temporary files, and the removal of those that a killed judge left.

The process that makes a folder holds a lock on it (flock(2)), which ends with the process, however it
ends. A folder whose lock is free is nobody's.
"""

import fcntl
import os
import shutil
import tempfile
import time

_PREFIX = "tutor-worker-"
_YOUNG_SECONDS = 60.0  # it may not be locked yet


def make_folder(place: str | None = None) -> tuple[str, int]:
    """Make a folder in `place`, None for this process's temporary folder. Returns its path and the
    descriptor that holds its lock."""
    folder = tempfile.mkdtemp(prefix=_PREFIX, dir=place)
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return folder, lock


def sweep_folders() -> None:
    """Remove the folders of this user whose owners are gone. Never raises."""
    try:
        folders = [
            folder
            for folder in os.scandir(tempfile.gettempdir())
            if folder.name.startswith(_PREFIX)
        ]
    except OSError:
        return
    for folder in folders:
        try:
            about = folder.stat(follow_symlinks=False)
            if about.st_uid != os.getuid() or time.time() - about.st_mtime < _YOUNG_SECONDS:
                continue
            lock = os.open(folder.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder.path, ignore_errors=True)
        except OSError:
            pass  # its owner lives
        finally:
            os.close(lock)
