"""C slots of torch.Tensor and its subclasses that CPython fills when a method is replaced, and keeps.

`torch.tensor` takes a value for a sequence if the value's type has the slot `sq_item`. Tensors have
none, so `torch.tensor([a, b])` of two tensors with one number each is a vector. Python fills the slot
once `Tensor.__getitem__` is set, and deleting the attribute does not empty it: `len() of a 0-d tensor`.
"""

import ctypes
import sys
from collections.abc import Iterator

import torch

_POINTER = ctypes.sizeof(ctypes.c_void_p)
# PyTypeObject (CPython 3.10 to 3.14): a head of variable size, ten pointers, then tp_as_sequence. Of
# PySequenceMethods the fourth to sixth pointer are sq_item, one that is not used, and sq_ass_item.
_AS_SEQUENCE = object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t) + 10 * _POINTER
_ITEM = 3 * _POINTER
_Slots = ctypes.c_void_p * 3


class SequenceSlots:
    """The slots as they are when this object is made; `put_back` gives them to the types again."""

    def __init__(self) -> None:
        known = sys.implementation.name == "cpython" and _slots(list)[0] is not None
        self._kept = [(each, list(_slots(each))) for each in _tensor_types()] if known else []

    def put_back(self) -> None:
        for each, kept in self._kept:
            _slots(each)[:] = kept


def _slots(cls: type) -> "ctypes.Array[ctypes.c_void_p]":
    methods = ctypes.c_void_p.from_address(id(cls) + _AS_SEQUENCE).value
    return _Slots.from_address(methods + _ITEM) if methods else _Slots()


def _tensor_types() -> Iterator[type]:
    open_ones: list[type] = [torch.Tensor]
    while open_ones:
        each = open_ones.pop()
        yield each
        open_ones += each.__subclasses__()
