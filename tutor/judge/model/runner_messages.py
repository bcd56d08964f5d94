"""The first messages between a caller and a runner (docs/runners.md). No torch.

What follows them is in `tutor.judge.model.caller_messages`.
"""

import hashlib
from functools import cache
from pathlib import Path

from msgspec import Struct

import tutor
from tutor.judge.model.message_format import MessageDecoder

PROTOCOL = 1
MARK = b"\0tutor judge 1\n"  # what a login shell prints stands before it
_SPOKEN = ("judge/model", "xray/model", "judge/spec.py")  # the code of all messages


class RunnerMessage(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A message between a caller and a runner, recognised by the name of its class."""


class Greeting(RunnerMessage, frozen=True):
    """The caller's first message."""

    protocol: int
    version: str


class Greeted(RunnerMessage, frozen=True):
    """The runner's answer. `messages` is a digest of the code of all messages; `clone` is the folder of
    a checkout, "" for an installed wheel; `nvidia` is True if NVIDIA's driver is there; `packages` are
    names and versions, "" for one that is missing."""

    protocol: int
    version: str
    messages: str
    host: str
    python: str
    clone: str
    nvidia: bool
    packages: dict[str, str]


TO_RUNNER: MessageDecoder[Greeting] = MessageDecoder(Greeting)
FROM_RUNNER: MessageDecoder[Greeted] = MessageDecoder(Greeted)


@cache
def messages_digest() -> str:
    """Return a digest of the code of all messages: two checkouts of one version may differ in it."""
    root = Path(tutor.__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for place in _SPOKEN:
        for file in sorted((root / place).glob("*.py")) or [root / place]:
            digest.update(file.read_bytes())
    return digest.hexdigest()
