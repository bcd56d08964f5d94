"""How a message is written in msgpack. No torch.

A message is a record: a frozen dataclass, or a `msgspec.Struct` with a tag. It is written as a map of
its fields and of "type", the name of its class. Both ends of a connection agree on the classes
(`runner_messages.messages_digest`), so a reader takes only the fields that it knows.
"""

from typing import Any, Generic, TypeVar, get_args

from msgspec import Struct, ValidationError
from msgspec.msgpack import Decoder, Encoder

M = TypeVar("M")


class _Named(Struct):
    type: str


_ENCODER = Encoder()
_NAMED = Decoder(_Named)


def encode_message(message: object) -> bytes:
    """Return a record in msgpack."""
    if isinstance(message, Struct):
        return _ENCODER.encode(message)  # its tag is the name of its class
    return _ENCODER.encode({"type": type(message).__name__, **vars(message)})


class MessageDecoder(Generic[M]):
    """Reads messages of the type `messages`: a class of records, or a union of such classes."""

    def __init__(self, messages: Any) -> None:
        classes = get_args(messages) or (messages,)
        self._decoders = {kind.__name__: Decoder(kind) for kind in classes}

    def decode(self, body: bytes) -> M:
        """Return the message in `body`. Raises `ValueError` (msgspec's errors are such) or
        `RecursionError` for anything else."""
        name = _NAMED.decode(body).type
        if name not in self._decoders:
            raise ValidationError(f"no message of the type {name[:60]!r} is expected")
        message: M = self._decoders[name].decode(body)
        return message
