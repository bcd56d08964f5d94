"""Modules that the interface leaves out, so that it starts sooner and takes less memory.

This runs before Textual is imported and changes no result. Without it, home's first paint takes 6 %
longer and 3 to 10 % more processor time, and the process has 4.4 MiB more of 36.5 (medians of 15 and
25 pairs of starts in turn, Linux on two cores).
"""

import gc
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Modules that `hashlib` uses without OpenSSL. Some distributions build Python without them.
_OWN_DIGESTS = ("_blake2", "_md5", "_sha1", "_sha2" if sys.version_info >= (3, 12) else "_sha256")
_TLS = "ssl"
_OPENSSL_DIGESTS = "_hashlib"


def begin() -> None:
    """Stop garbage collection during the imports, and import `asyncio` and `hashlib` without OpenSSL.

    `asyncio` would import TLS, which the interface does not use, and `hashlib` would import OpenSSL's
    digests, although it has others. Both modules support this (asyncio/sslproto.py and hashlib.py of
    CPython 3.11).
    """
    gc.disable()  # until `gc_tuning.start`
    with _absent(_TLS):
        import asyncio  # noqa: F401
    if all(map(importlib.util.find_spec, _OWN_DIGESTS)):
        with _absent(_OPENSSL_DIGESTS):
            import hashlib  # noqa: F401


@contextmanager
def _absent(module: str) -> Iterator[None]:
    """Make imports of `module` fail inside the block."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # the import system reads None as "missing"
    try:
        yield
    finally:
        del sys.modules[module]
