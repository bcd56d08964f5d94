"""torch's own log messages, kept from the terminal while an X-ray runs: failures are told as such."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """Nothing is logged, and no warning from torch's modules is shown."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=r"torch\..*")
            yield
    finally:
        logging.disable(before)
