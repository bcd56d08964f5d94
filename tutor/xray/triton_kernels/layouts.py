"""The layouts that a TTGIR text names, each in a sentence. Pure.

Parameters as in `TritonGPUAttrDefs.td` of Triton 3.7 (include/triton/Dialect/TritonGPU/IR).
"""

from __future__ import annotations

import re

_DEFINITION = re.compile(r"^#(\w+) = #(ttn?g)\.(\w+)(?:<\{?(.*?)\}?>)?$", re.MULTILINE)
_LIST = re.compile(r"(\w+) = \[([^\]]*)\]")
_WORD = re.compile(r"(\w+) = ([\w.]+)")
_MOST = 12


def layout_notes(text: str) -> list[str]:
    """Return a sentence for each layout that the text defines, in its order."""
    return [
        f"#{name}: {_describe_layout(kind, inside)}"
        for name, _, kind, inside in _DEFINITION.findall(text)[:_MOST]
    ]


def _describe_layout(kind: str, inside: str) -> str:
    lists = {name: value.replace(" ", "") for name, value in _LIST.findall(inside)}
    words = dict(_WORD.findall(inside))
    if kind == "blocked":
        fastest = lists.get("order", "?").split(",")[0]
        return (
            f"a thread holds {_count_words(lists, 'sizePerThread', 'element')} side by side, a warp is "
            f"{_count_words(lists, 'threadsPerWarp', 'thread')}, a block "
            f"{_count_words(lists, 'warpsPerCTA', 'warp')}; dimension {fastest} runs fastest."
        )
    if kind == "nvidia_mma":
        version = {"2": "mma.sync", "3": "wgmma", "5": "tcgen05"}
        used = version.get(words.get("versionMajor", ""), "mma")
        return (
            f"the accumulator of {used}, tiles of {_times(lists, 'instrShape')}, "
            f"{_count_words(lists, 'warpsPerCTA', 'warp')}."
        )
    if kind == "amd_mfma":
        return (
            f"the accumulator of MFMA, tiles of {_times(lists, 'instrShape')}, "
            f"{_count_words(lists, 'warpsPerCTA', 'warp')}."
        )
    if kind == "dot_op":
        return (
            f"operand {words.get('opIdx', '?')} of a dot, as its tensor-core instruction wants it."
        )
    if kind == "slice":
        return f"the parent layout without dimension {words.get('dim', '?')}."
    if kind == "swizzled_shared":
        if words.get("maxPhase") == "1":
            fastest = lists.get("order", "?").split(",")[0]
            return f"shared memory, not swizzled; dimension {fastest} runs fastest."
        return (
            f"shared memory, swizzled: runs of {words.get('vec', '?')} elements, their order "
            f"changed every {words.get('perPhase', '?')} rows, {words.get('maxPhase', '?')} phases."
        )
    if kind == "nvmma_shared":
        width = words.get("swizzlingByteWidth", "?")
        return f"shared memory as wgmma and TMA read it, swizzled over {width} bytes."
    if kind == "shared_memory":
        return "the memory space of a block's shared memory."
    if kind == "tensor_memory":
        return "the memory space of tensor memory (Blackwell)."
    if kind == "tensor_memory_encoding":
        return "a block of tensor memory (Blackwell), where tcgen05 accumulates."
    if kind == "linear":
        return "linear: registers, lanes and warps to elements by the listed bases."
    return f"{kind.replace('_', ' ')}."


def _count_words(lists: dict[str, str], name: str, what: str) -> str:
    times = _times(lists, name)
    return f"{times} {what}" if times == "1" else f"{times} {what}s"


def _times(lists: dict[str, str], name: str) -> str:
    return "×".join(lists[name].split(",")) if name in lists else "?"
