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
# PyTypeObject (CPython 3.10 to 3.14): a head of variable size, tp_name, tp_basicsize, eight more fields
# of a pointer's size, then tp_as_sequence. Of PySequenceMethods the fourth to sixth pointer are sq_item,
# one that is not used, and sq_ass_item. `_is_layout_known` looks whether this Python has it so.
_NAME = object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)
_AS_SEQUENCE = _NAME + 10 * _POINTER
_ITEM = 3 * _POINTER
_Slots = ctypes.c_void_p * 3


class SequenceSlots:
    """The slots as they are when this object is made; `put_back` gives them to the types again.

    Where this Python's types are laid out in another way, nothing is read or written.
    """

    def __init__(self) -> None:
        types = _tensor_types() if _is_layout_known() else ()
        self._kept = [(kind, list(_slots(kind))) for kind in types]

    def put_back(self) -> None:
        for kind, kept in self._kept:
            _slots(kind)[:] = kept


def _is_layout_known() -> bool:
    """Compare fields of built-in types with what Python says of them. Each is read only if those before
    it agree, and lies within the type's own object."""
    metatype: type = type
    if sys.implementation.name != "cpython" or metatype.__basicsize__ < _AS_SEQUENCE + _POINTER:
        return False
    for kind in (list, tuple, dict):
        fields = id(kind) + _NAME
        if ctypes.c_ssize_t.from_address(fields + _POINTER).value != kind.__basicsize__:
            return False
        if ctypes.c_char_p.from_address(fields).value != kind.__name__.encode():
            return False
    methods = [ctypes.c_void_p.from_address(id(t) + _AS_SEQUENCE).value for t in (list, int)]
    if methods[0] is None or methods[1] is not None:  # a number is no sequence
        return False
    item, unused, _ = _slots(list)
    return item is not None and unused is None and _slots(tuple)[2] is None


def _slots(cls: type) -> "ctypes.Array[ctypes.c_void_p]":
    methods = ctypes.c_void_p.from_address(id(cls) + _AS_SEQUENCE).value
    return _Slots.from_address(methods + _ITEM) if methods else _Slots()


def _tensor_types() -> Iterator[type]:
    open_ones: list[type] = [torch.Tensor]
    while open_ones:
        kind = open_ones.pop()
        yield kind
        open_ones += kind.__subclasses__()
