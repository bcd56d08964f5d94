"""Course packs: courses of others, copied into the data folder (docs/packs.md).

A pack is a folder with `pack.toml`, `lessons/`, `quizzes/` and `kernels/`. It is added from such a
folder, from an archive or wheel that holds one, or from an installed package that names one by an entry
point of the group `tutor.packs`. Nothing of it runs while it is added.
"""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import tomli

from tutor.base import paths
from tutor.base.errors import UsageError

FILE = "pack.toml"
FORMAT = 1
GROUP = "tutor.packs"
_PARTS = ("lessons", "quizzes", "kernels")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_NEEDS = ("cuda", "g++")
_MOST_BYTES, _MOST_FILES = 64 << 20, 5000  # of a pack
_LONGEST = 200  # characters of a text


@dataclass(frozen=True)
class PackInfo:
    """The contents of `pack.toml`. `needs`: "cuda", "g++"."""

    name: str
    version: str
    licence: str
    about: str
    needs: tuple[str, ...] = ()


def read_pack(folder: Path) -> PackInfo:
    """Read `pack.toml`. Raises `UsageError` with the file and what it must say."""
    file = folder / FILE
    try:
        with file.open("rb") as opened:
            table = tomli.loads(opened.read(1 << 16).decode())
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read ({error.strerror}): a pack has this file"
        ) from None
    except (UnicodeDecodeError, tomli.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{file} is no TOML: {error}") from None
    if (given := table.pop("format", None)) != FORMAT:
        raise UsageError(f"{file}: format must be {FORMAT}, not {given!r:.20}; try a newer tutor")
    needs = table.pop("needs", [])
    if not isinstance(needs, list) or not all(need in _NEEDS for need in needs):
        raise UsageError(f"{file}: needs is a list of {' and '.join(_NEEDS)}")
    for key in ("name", "version", "licence", "about"):
        value = table.get(key)
        if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= _LONGEST:
            raise UsageError(f"{file}: {key} must be a text on one line")
    if unknown := set(table) - {"name", "version", "licence", "about"}:
        raise UsageError(f"{file}: no field {min(unknown)[:40]!r} is known")
    if not _NAME.fullmatch(table["name"]):
        raise UsageError(f"{file}: name takes small letters, digits and -, at most 40")
    return PackInfo(**table, needs=tuple(needs))


def list_added_packs() -> Iterator[PackInfo]:
    """Yield the packs that are there, by name."""
    folder = paths.packs_dir()
    for pack in sorted(folder.iterdir()) if folder.is_dir() else ():
        if (pack / "course" / FILE).is_file():
            yield read_pack(pack / "course")


def find_offered_packs() -> dict[str, Path]:
    """Return the packs that installed packages name: the entry point's name and the pack's folder."""
    offers = {}
    for point in importlib.metadata.entry_points(group=GROUP):
        spec = importlib.util.find_spec(point.value) if point.value.isidentifier() else None
        if spec and spec.submodule_search_locations:  # found without importing it
            offers[point.name] = Path(next(iter(spec.submodule_search_locations)))
    return offers


@contextmanager
def open_pack(given: str) -> Iterator[Path]:
    """Give the folder of a pack: of a folder, a `.zip` or `.whl` file, or an installed package."""
    path = Path(given)
    if path.is_dir():
        yield path
    elif path.suffix in (".zip", ".whl") and path.is_file():
        with tempfile.TemporaryDirectory(prefix="tutor-pack-") as folder:
            _unpack(path, Path(folder))
            tops = sorted(Path(folder).rglob(FILE), key=lambda top: len(top.parts))
            if not tops:
                raise UsageError(f"{path} holds no {FILE}")
            yield tops[0].parent
    elif given in (offers := find_offered_packs()):
        yield offers[given]
    else:
        raise UsageError(f"{given} is no folder, no .zip or .whl file and no installed pack")


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack files only, inside `folder` only, and no more than a pack may have."""
    try:
        with zipfile.ZipFile(archive) as given:
            entries = given.infolist()
            if len(entries) > _MOST_FILES:
                raise UsageError(f"{archive} holds more than {_MOST_FILES} files")
            left = _MOST_BYTES
            for entry in entries:
                kind = stat.S_IFMT(entry.external_attr >> 16)
                parts = PurePosixPath(entry.filename).parts
                if ".." in parts or entry.filename.startswith("/") or "\\" in entry.filename:
                    raise UsageError(
                        f"{archive} names a file outside itself: {entry.filename[:80]!r}"
                    )
                if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                    raise UsageError(f"{archive} holds a link or a device: {entry.filename[:80]!r}")
                if entry.is_dir():
                    continue
                target = folder.joinpath(*parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with given.open(entry) as source, target.open("xb") as out:
                    data = source.read(left + 1)  # what it says of its size is not believed
                    left -= len(data)
                    if left < 0:
                        raise UsageError(f"{archive} unpacks to more than {_MOST_BYTES >> 20} MiB")
                    out.write(data)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise UsageError(f"{archive} is no sound archive: {error}") from None
    except OSError as error:
        raise UsageError(f"{archive} cannot be unpacked: {error}") from None


def add_pack(folder: Path) -> Path:
    """Copy a pack into the data folder, in place of an earlier version. Returns where it is now."""
    info = read_pack(folder)
    home = paths.ensure(paths.packs_dir() / info.name)
    fresh, target, old = home / "course.new", home / "course", home / "course.old"
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    try:
        fresh.mkdir()
        shutil.copyfile(folder / FILE, fresh / FILE)
        for part in _PARTS:
            _copy_tree(folder / part, fresh / part)
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    except OSError as error:
        raise UsageError(f"{home} cannot be written: {error.strerror}") from None
    finally:
        for leftover in (fresh, old):
            shutil.rmtree(leftover, ignore_errors=True)
    return target


def _copy_tree(source: Path, target: Path) -> None:
    """Copy plain files. Links are left out, since they may lead anywhere. Raises `UsageError`."""
    left, count = _MOST_BYTES, 0
    for folder, names, files in os.walk(source):
        names[:] = [name for name in names if name != "__pycache__"]
        place = target / Path(folder).relative_to(source)
        place.mkdir(parents=True, exist_ok=True)
        for name in files:
            path = Path(folder) / name
            about = path.lstat()
            if not stat.S_ISREG(about.st_mode):
                continue
            left, count = left - about.st_size, count + 1
            if left < 0 or count > _MOST_FILES:
                raise UsageError(
                    f"{source} is larger than {_MOST_BYTES >> 20} MiB or {_MOST_FILES} files"
                )
            shutil.copyfile(path, place / name)


def remove_pack(name: str) -> Path:
    """Remove a pack's files. What was learnt with it stays in the folder that is returned."""
    home = paths.packs_dir() / name
    if not _NAME.fullmatch(name) or not (home / "course").is_dir():
        raise UsageError(f"there is no pack {name[:40]!r}; `tutor pack list` names those there are")
    shutil.rmtree(home / "course")
    return home
