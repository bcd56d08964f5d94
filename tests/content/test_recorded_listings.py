"""The listings of SASS that `missing_pass` reads are what the same Triton writes here."""

import json
from importlib import metadata

import pytest

from tests.content.record_listings import FILE, record


@pytest.mark.slow
def test_the_listings_are_those_of_this_triton():
    kept = json.loads(FILE.read_text("utf-8"))
    here = metadata.version("triton").partition("+")[0]
    if f"triton {here}" not in kept["versions"]:
        pytest.skip(f"recorded by {kept['versions']}")
    assert record()["listings"] == kept["listings"]
