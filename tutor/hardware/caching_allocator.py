"""PyTorch's caching allocator for a GPU in small: segments, blocks, and what is free in them.

Day 9 plays it, since it needs no GPU. The rules are those of torch 2.13 with its default settings, but
for one: of a block of more than 1 MiB a rest of 1 MiB or less is split off here, too.
"""

from dataclasses import dataclass, field

MiB = 2**20
SMALL_SEGMENT, LARGE_SEGMENT = 2 * MiB, 20 * MiB


@dataclass
class Block:
    """A stretch of a segment, in bytes; `owner` is "" while it is free."""

    size: int
    owner: str = ""


@dataclass
class CachingAllocator:
    """Hands out blocks of segments, and keeps what is given back.

    The smallest free block that fits is split, and neighbouring free blocks are joined. Requests are
    rounded up to 512 bytes. Those of up to 1 MiB share segments of 2 MiB, those below 10 MiB segments
    of 20 MiB, and larger ones get one of their own, a multiple of 2 MiB.
    """

    segments: list[list[Block]] = field(default_factory=list)

    def take(self, owner: str, size: int) -> None:
        """Hand out `size` bytes, from a new segment if no free block fits."""
        size = _round_up(size, 512)
        small = size <= MiB
        fitting = [
            block
            for blocks in self.segments
            if (_length(blocks) == SMALL_SEGMENT) == small
            for block in blocks
            if not block.owner and block.size >= size
        ]
        if not fitting:
            fitting = [Block(_segment_for(size))]
            self.segments.append(list(fitting))
        block = min(fitting, key=lambda each: each.size)
        blocks = next(each for each in self.segments if any(b is block for b in each))
        place = next(k for k, each in enumerate(blocks) if each is block)
        if block.size > size:
            blocks.insert(place + 1, Block(block.size - size))
        block.size, block.owner = size, owner

    def give(self, owner: str) -> None:
        """Take back what `owner` holds. The segments stay."""
        for blocks in self.segments:
            for block in blocks:
                if block.owner == owner:
                    block.owner = ""
            for k in range(len(blocks) - 1, 0, -1):
                if not blocks[k].owner and not blocks[k - 1].owner:
                    blocks[k - 1].size += blocks.pop(k).size

    @property
    def allocated(self) -> float:
        """MiB in use."""
        return sum(b.size for blocks in self.segments for b in blocks if b.owner) / MiB

    @property
    def reserved(self) -> float:
        """MiB of all segments."""
        return sum(map(_length, self.segments)) / MiB

    @property
    def free_blocks(self) -> list[float]:
        """MiB of each free block."""
        return [b.size / MiB for blocks in self.segments for b in blocks if not b.owner]

    def drawing(self) -> str:
        """Return a row for each segment: its owners' first letters, one for each MiB, "." where free."""
        rows = []
        for blocks in self.segments:
            cells = [b.owner[:1] or "." for b in blocks for _ in range(max(1, b.size // MiB))]
            rows.append(f"[{''.join(cells)}] {_length(blocks) // MiB} MiB")
        return "\n".join(rows)

    def spans(self) -> dict[str, list[tuple[float, float, str]]]:
        """Return a lane for each segment, with its blocks as `bars=` draws them: from, to in MiB, and
        "in use" or "free". Those in use come first, and with them the fuller look."""
        lanes: dict[str, list[tuple[float, float, str]]] = {}
        for number, blocks in enumerate(self.segments, 1):
            lane = lanes.setdefault(f"segment {number}", [])
            at = 0.0
            for block in blocks:
                end = at + block.size / MiB
                lane.append((at, end, "in use" if block.owner else "free"))
                at = end
            lane.sort(key=lambda span: (span[2] == "free", span[0]))
        return lanes


def _length(blocks: list[Block]) -> int:
    return sum(block.size for block in blocks)


def _round_up(size: int, step: int) -> int:
    return -(-size // step) * step


def _segment_for(size: int) -> int:
    if size <= MiB:
        return SMALL_SEGMENT
    return LARGE_SEGMENT if size < 10 * MiB else _round_up(size, 2 * MiB)
