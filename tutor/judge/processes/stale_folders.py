"""The folders for workers' temporary files, and the removal of those that a killed judge left.

The process that makes a folder holds a lock on it (flock(2)), which ends with the process, however it
ends. A folder whose lock is free is nobody's.
"""

import contextlib
import fcntl
import os
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
            remove_tree(folder.path)
        except OSError:
            pass  # its owner lives
        finally:
            os.close(lock)


def remove_tree(folder: str) -> None:
    """Remove a folder with all that is in it, as far as that is allowed. Never raises.

    A learner's code may have made a tree deeper than Python's stack and longer than a path may be.
    So each folder is emptied from above: what it holds is moved up, and is one level below the top
    when its turn comes.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    with contextlib.suppress(OSError):
        top = os.open(folder, flags)
        try:
            _empty(top, flags)
        finally:
            os.close(top)
        os.rmdir(folder)


def _empty(top: int, flags: int) -> None:
    moved, left = 0, set[str]()  # names of folders that cannot be removed
    token = os.urandom(8).hex()  # nothing here has such a name yet
    while names := [name for name in _remove_files(top) if name not in left]:
        for name in names:
            try:
                os.chmod(name, 0o700, dir_fd=top)
                inner = os.open(name, flags, dir_fd=top)
            except OSError:
                left.add(name)
                continue
            try:
                for below in _remove_files(inner):
                    moved += 1
                    os.chmod(below, 0o700, dir_fd=inner)
                    os.rename(below, f"{token}-{moved}", src_dir_fd=inner, dst_dir_fd=top)
                os.rmdir(name, dir_fd=top)
            except OSError:
                left.add(name)
            finally:
                os.close(inner)


def _remove_files(folder: int) -> list[str]:
    """Remove what is no folder in an open folder. Return the names of the folders."""
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in found:
        if not is_folder:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in found if is_folder]
