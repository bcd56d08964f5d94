"""Modules that the interface leaves out, so that it starts sooner and takes less memory.

Called before Textual is imported. Nothing here changes what anything computes.
"""

import gc
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# What `hashlib` falls back to without OpenSSL. Some distributions build Python without them.
_OWN_DIGESTS = ("_blake2", "_md5", "_sha1", "_sha2" if sys.version_info >= (3, 12) else "_sha256")
_TLS = "ssl"
_OPENSSL_DIGESTS = "_hashlib"


def begin() -> None:
    """No search for garbage while modules are imported, and none of what they load for nothing:
    `asyncio` would bring TLS, which the interface never speaks, and `hashlib` OpenSSL's digests, of
    which it has its own. Both are written to go without (asyncio/sslproto.py and hashlib.py of
    CPython 3.11). It saves a sixth of the imports' time and 5 MiB of resident memory.
    """
    gc.disable()  # until `ui.garbage.start`
    with _absent(_TLS):
        import asyncio  # noqa: F401
    if all(map(importlib.util.find_spec, _OWN_DIGESTS)):
        with _absent(_OPENSSL_DIGESTS):
            import hashlib  # noqa: F401


@contextmanager
def _absent(module: str) -> Iterator[None]:
    """An import of it fails in here, and works again afterwards."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # as the import system has it
    try:
        yield
    finally:
        del sys.modules[module]
