"""Search over the whole course: to build the index, to open it, and to answer queries."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

from tests.bench.harness import Times, rounded
from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.memory.record import open_record
from tutor.search.index import forget_index
from tutor.search.passages import passages
from tutor.search.search import Finder

_HITS = 40  # as many as the application asks for


@dataclass(frozen=True)
class SearchTimes:
    """`build` and `opening`: seconds, with reading the course and without."""

    passages: int
    build: float
    opening: float
    query: Times

    def to_json(self) -> dict[str, float]:
        return {
            "passages": self.passages,
            "build_ms": rounded(self.build * 1e3),
            "open_ms": rounded(self.opening * 1e3),
            "p50_ms": rounded(self.query.percentile(50)),
            "p95_ms": rounded(self.query.percentile(95)),
        }

    def lines(self) -> list[str]:
        return [
            f"query        {self.query.percentiles()}, over {self.passages} passages",
            f"the index    {self.build * 1e3:.0f} ms to build, {self.opening * 1e3:.0f} ms to open",
        ]


def measure(queries: int) -> SearchTimes:
    """Search for one to three words of the course, of which the last one may be incomplete."""
    record = open_record(paths.record_file())
    try:
        fresh = open_course()
        forget_index(fresh)
        started = time.perf_counter()
        Finder(fresh, record).close()
        built = time.perf_counter()
        finder = Finder(open_course(), record)
        opened = time.perf_counter()
        texts = [passage.text for passage in passages(fresh)]
        taken = []
        for typed in _type(texts, queries):
            begun = time.perf_counter()
            finder.find(typed, _HITS)
            taken.append(time.perf_counter() - begun)
        finder.close()
    finally:
        record.close()
    return SearchTimes(len(texts), built - started, opened - built, Times.of(taken))


def _type(texts: list[str], count: int) -> Iterator[str]:
    """Yield queries, the same for every run over the same course."""
    random_ = random.Random(0)
    words = [text.split() for text in texts if len(text.split()) > 3]
    for _ in range(count):
        text = random_.choice(words)
        start = random_.randrange(len(text) - 3)
        picked = text[start : start + random_.randint(1, 3)]
        end = random_.randint(1, len(picked[-1]))
        yield " ".join([*picked[:-1], picked[-1][:end]])
