"""A learner's file: its text, and a name that is free for a new one; each error is one sentence."""

from pathlib import Path

from tutor.base.errors import UsageError

MAX_SOURCE = 1 << 20  # bytes; a kernel is a few thousand


def read_learner_text(path: Path, hint: str = "") -> str:
    """The file's text. `hint` says what to do if it does not exist. Raises `UsageError`."""
    try:
        with path.open("rb") as file:  # a device or a pipe has no known size
            data = file.read(MAX_SOURCE + 1)
        if len(data) > MAX_SOURCE:
            raise UsageError(f"{path} is larger than {MAX_SOURCE >> 20} MiB; is it the right file?")
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist{f'; {hint}' if hint else ''}") from None
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path} cannot be read: {reason}") from None


def refuse_existing(path: Path | None) -> None:
    """Raise `UsageError` if a new file was named that is there already."""
    if path is not None and path.exists():
        raise UsageError(f"{path} exists already; name another file")
