"""The interpreter's report of a kernel's launches on one case. No torch, no Triton.

Offsets and elements count from a tensor's first element. A worker sends these records, and the
learner's code could forge them, so the types define what the server accepts.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Text = Annotated[str, Meta(max_length=1 << 16)]
Integer = Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)]
Line = Integer | None  # of the learner's file
Place = Text  # "" or, in a kernel of another file, `line 7 of kernels.py`; its `Line` launches it
Program = tuple[Integer, Integer, Integer]  # the program's ids


class LaunchArgument(Struct, frozen=True, forbid_unknown_fields=True):
    """An argument of a launch as plain values. `name` is that of a dtype, a kernel or an unknown type;
    `shape` is that of a tensor, or of a descriptor's block."""

    kind: Literal["tensor", "descriptor", "value", "dtype", "items", "kernel", "unknown"]
    name: Text = ""
    shape: tuple[Integer, ...] = ()
    value: bool | Integer | float | Text | None = None
    items: tuple["LaunchArgument", ...] = ()


class KernelLaunch(Struct, frozen=True, forbid_unknown_fields=True):
    """A launch from `line`. Launches with the same `key` differ only in sizes. `variant` names the
    parameters that a compilation fixes; `elements` is the number of elements of all tensors."""

    kernel: Text
    file: Text  # that the kernel is in
    defined: Integer  # its first line there
    line: Line
    args: dict[Text, LaunchArgument]
    variant: Text
    elements: Integer
    key: Text


class OutOfBoundsAccess(Struct, frozen=True, forbid_unknown_fields=True):
    """The first of `lanes` lanes, of `of` in all, that accessed memory outside. `tensor` is "" for a
    pointer that is in no tensor; otherwise the access was at element `first` of a tensor with
    `elements` elements. `tile` is the shape of the lanes, `lane` the index of the first one outside."""

    kind: Text  # "load" | "store"
    masked: bool
    line: Line
    lanes: Integer
    of: Integer
    program: Program
    lane: tuple[Integer, ...]
    tile: tuple[Integer, ...]
    tensor: Text = ""
    first: Integer = 0
    elements: Integer = 0
    place: Place = ""


class AccessConflict(Struct, frozen=True, forbid_unknown_fields=True):
    """Two programs that access the same element; at least one of them writes it."""

    tensor: Text
    element: Integer
    program: Program
    verb: Text
    line: Line
    other: Program
    other_verb: Text
    other_line: Line
    place: Place = ""
    other_place: Place = ""


class LaneConflict(Struct, frozen=True, forbid_unknown_fields=True):
    """Two lanes of one store that write different numbers to the same element."""

    tensor: Text
    element: Integer
    line: Line
    program: Program
    lane: tuple[Integer, ...]
    other: tuple[Integer, ...]
    place: Place = ""


class MaskedLanes(Struct, frozen=True, forbid_unknown_fields=True):
    """Lanes that a load masks off, in the first program that does. `fill` is what `other=` puts there,
    where that is one number."""

    line: Line
    lanes: Integer
    program: Program = (0, 0, 0)
    fill: float | None = None
    place: Place = ""


class SharedStore(Struct, frozen=True, forbid_unknown_fields=True):
    """A line with which all programs store to the same elements, `first` to `last`."""

    line: Line
    tensor: Text
    programs: Integer
    first: Integer
    last: Integer
    place: Place = ""


class WideLoad(Struct, frozen=True, forbid_unknown_fields=True):
    """A line that loads `lanes` elements at once in each program."""

    lanes: Integer
    kernel: Text
    tensor: Text
    line: Line
    place: Place = ""


class RepeatedLoad(Struct, frozen=True, forbid_unknown_fields=True):
    """An element that a program loads in `line` although it has loaded it, in `first_line`."""

    tensor: Text
    element: Integer
    program: Program
    line: Line
    first_line: Line
    place: Place = ""
    first_place: Place = ""


class AtomicOperation(Struct, frozen=True, forbid_unknown_fields=True):
    """A line with an atomic operation on a tensor."""

    kernel: Text
    tensor: Text
    line: Line
    place: Place = ""


class Product(Struct, frozen=True, forbid_unknown_fields=True):
    """What a `tl.dot` multiplies: "fp16", "bf16", "int8", "tf32", "fp32" or another dtype."""

    kernel: Text
    factors: Text
    line: Line
    place: Place = ""


class SketchedTile(Struct, frozen=True, forbid_unknown_fields=True):
    """The shape of the lanes of a load or store."""

    kind: Literal["load", "store"]
    shape: tuple[Integer, ...]
    line: Line


class LaunchSketch(Struct, frozen=True, forbid_unknown_fields=True):
    """The outline of a launch. `steps` is how often a program loads from one tensor, at most;
    `backwards` names what runs from the end to the beginning (`tutor.course.model.BACKWARDS`);
    `interleaved`: a program goes on behind where a later one begins; `turned`: the kinds of access
    where the second row of a tile lies among the elements of the first."""

    kernel: Text
    line: Line  # of the launch
    grid: Program
    tiles: tuple[SketchedTile, ...] = ()
    steps: Integer = 0
    backwards: tuple[Text, ...] = ()
    interleaved: bool = False
    turned: tuple[Text, ...] = ()

    @property
    def programs(self) -> int:
        x, y, z = self.grid
        return x * y * z


class KernelReport(Struct, frozen=True, forbid_unknown_fields=True):
    """All launches of one call. `loaded` and `stored` are the bytes that lanes requested; `..._once`
    counts each element once a launch, `fetched` loads once a wave of programs (0: not counted). An
    atomic operation counts as a store. `masked` are the bytes of `loaded` that loads with a mask
    requested, `sectors` those of the 32-byte sectors that each load and store of a tile touches;
    `repeated` is kept where the exercise asks for it. `unstored` counts the elements of
    the output that no launch stored (-1: unknown). `configuration` is one of an autotuner that stores
    other numbers than the one used, `unknown_key` a `key` that is no argument of the kernel."""

    launches: Integer = 0
    programs: Integer = 0
    loaded: Integer = 0
    stored: Integer = 0
    loaded_once: Integer = 0
    stored_once: Integer = 0
    fetched: Integer = 0
    out_of_bounds: tuple[OutOfBoundsAccess, ...] = ()
    races: tuple[AccessConflict, ...] = ()
    lanes: tuple[LaneConflict, ...] = ()
    clashes: tuple[AccessConflict, ...] = ()  # conflicts in which one of the two accesses is atomic
    undefined: tuple[MaskedLanes, ...] = ()  # masked lanes without `other`
    padded: tuple[MaskedLanes, ...] = ()  # masked lanes with `other`
    same_stores: tuple[SharedStore, ...] = ()
    kernels: tuple[KernelLaunch, ...] = ()
    masked: Integer = 0
    sectors: Integer = 0  # bytes; 0: not counted
    widest: tuple[WideLoad, ...] = ()  # of all loads, at most one
    repeated: tuple[RepeatedLoad, ...] = ()
    atomics: tuple[AtomicOperation, ...] = ()
    products: tuple[Product, ...] = ()  # one of each kernel and factors
    sketches: tuple[LaunchSketch, ...] = ()
    unstored: Integer = -1
    configuration: Text = ""
    unknown_key: Text = ""
    loading: Integer = 0  # programs that loaded something, in the launch with the most of them
