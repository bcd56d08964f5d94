"""Hooks under the interpreter's loads, stores, atomic operations and launches.

The hooks pass each access to `memory_checks`, fill masked lanes (`poison`), change the order of
programs (`program_order`) and keep what happens in an `AccessReport`. The checks themselves are there.

Private names of Triton (3.6.0 and 3.7.1): `InterpreterBuilder`'s loads, stores (those of block
pointers too), atomic operations, `create_dot` and `set_grid_idx`, `GridExecutor.__call__`, `fn`,
`arg_names` and `constexprs`, `interpreter_semantic`, `TensorHandle`, and
`ir.INPUT_PRECISION`. Each module of this package lists those that it uses; `tests/judge/interpreter`
has a test for each.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
import triton.language as tl
import triton.runtime.interpreter as private
from triton._C.libtriton import ir

from tutor.judge.interpreter import memory_witness, program_order, triton_fixes
from tutor.judge.interpreter.access_recorder import AccessRecorder
from tutor.judge.interpreter.access_report import AccessReport, add_finding
from tutor.judge.interpreter.host_operations import HostOperations
from tutor.judge.interpreter.launch_sketch import SketchRecorder
from tutor.judge.interpreter.memory_checks import LaunchChecks, find_line
from tutor.judge.interpreter.memory_witness import MemoryWitness
from tutor.judge.interpreter.poison import fill_masked_lanes
from tutor.judge.interpreter.program_order import ProgramOrder
from tutor.judge.processes import launch_record
from tutor.judge.processes.worker_messages.kernel_report import KernelLaunch

MAX_HELD = 32  # tensors
_NUMBERS = ("fp16", "fp32", "fp64", "int8", "int16", "int32", "int64")  # kept as such by NumPy


class InterpreterHooks:
    """Watch the kernels of one learner's file. Call `install` once in a process, `begin` before a run.

    `held` has copies of the tensors that launches received while stores were withheld, `memory` the
    addresses of the storages that launches received, `host` what PyTorch does outside of launches.
    """

    def __init__(self, filename: str, *, compares: bool = True) -> None:
        self.filename = filename
        self.report = AccessReport()
        self.tracer: AccessRecorder | None = None  # keeps every access for the access map
        self.witness: MemoryWitness | None = None  # sees in memory what the tracer reads from masks
        self.programs = ProgramOrder()
        self.host = HostOperations()
        self.held: list[torch.Tensor] = []
        self.memory: set[int] = set()
        self._poison: str | None = None  # for masked lanes without `other`
        self._padding: float | None = None  # for all masked lanes
        self._withhold = False  # stores leave memory as it is
        self._checks: LaunchChecks | None = None  # of the running launch
        self._active = False
        self._padded_load = False  # a load that was given an `other` is running
        self._unchecked_tile = False  # a block pointer without `boundary_check` is used
        self._resting = False
        self._stored: dict[
            int, Any
        ] = {}  # elements that launches stored, by the first one's address
        self._trying = False  # an autotuner's trial is running
        self._trials = triton_fixes.ConfigurationTrials(
            self._run_uncounted, self.host.launch, compares
        )
        self.wave = 0  # programs that fetch together; 0: not counted
        self.sectors = False  # whether the sectors that are touched are counted
        self.without_products = False  # `tl.dot` adds nothing to its accumulator
        self.once: tuple[torch.Tensor, ...] = ()  # of which a program may load an element once
        self.given: tuple[torch.Tensor, ...] = ()  # the arguments of the call

    def begin(
        self,
        poison: str | None,
        padding: float | None = None,
        withhold: bool = False,
        order: int | None = None,
        *,
        known: bool = False,
    ) -> None:
        """Start a new report with these settings for the launches that follow. With `known` autotuners
        keep the choices of the call before, so that a launch with a known key makes no trial."""
        self.report, self._resting = AccessReport(), False
        self._stored = {}
        self._poison, self._padding, self.programs.order = poison, padding, order
        self._withhold, self.held, self.memory = withhold, [], set()
        self._trials.forget(choices=not known)

    def note_return(self, out: Any) -> None:
        """Look at what the function returned, and add to the report what its autotuners did."""
        self.report.unknown_key = self._trials.unknown_key
        if isinstance(out, torch.Tensor) and out.layout is torch.strided and not out.is_meta:
            self.report.configuration = self._trials.other_result(out)
            stored = self._stored.get(out.data_ptr())
            if stored is not None and stored.size == out.numel():
                self.report.unstored = int((~stored).sum())

    def trace(self, on: bool) -> None:
        """Start or stop the record of every access."""
        self.tracer = AccessRecorder() if on else None

    def watch_memory(self, on: bool) -> None:
        """Start or stop to see every access in memory itself."""
        self.witness = MemoryWitness(lambda: find_line(self.filename)) if on else None

    def rest(self) -> None:
        """Let launches run unwatched until the next `begin`."""
        self.tracer, self.witness, self._resting = None, None, True

    def install(self) -> None:
        """Replace the interpreter's functions by hooks that call them."""
        self._trials.install()
        memory_witness.install(self._open_witness)
        triton_fixes.convert_scalar_arguments()
        triton_fixes.convert_masks()
        self._hook_launches()
        self._hook_plain_accesses()
        self._hook_masked_accesses()
        self._hook_paddings()
        self._hook_block_pointers()
        self._hook_atomic_operations()
        self._hook_products()

    # --- hooks ------------------------------------------------------------------------------------

    def _hook_launches(self) -> None:
        hooks, builder = self, private.InterpreterBuilder
        call, place = private.GridExecutor.__call__, builder.set_grid_idx

        def set_grid_idx(self: Any, x: int, y: int, z: int) -> None:
            if hooks._checks:
                hooks._checks.races.begin_program()
            # The access map shows programs in the order of their numbers.
            recorded = hooks.tracer or hooks.witness
            place(self, *((x, y, z) if recorded else hooks.programs.next(x, y, z)))
            if hooks.witness:
                hooks.witness.begin_program(x, y, z)

        def launch(self: Any, *args: Any, **kwargs: Any) -> Any:
            with hooks.host.launch([*args, *kwargs.values()]):
                hooks._open(self, args, kwargs)
                try:
                    result = call(self, *args, **kwargs)
                    after = (
                        hooks._trials.note_trial if hooks._trying else hooks._trials.compare_trials
                    )
                    after([*args, *kwargs.values()])
                    return result
                finally:
                    hooks._close()

        builder.set_grid_idx = set_grid_idx
        private.GridExecutor.__call__ = launch

    def _hook_plain_accesses(self) -> None:
        hooks, builder = self, private.InterpreterBuilder
        load, store = builder.create_load, builder.create_store

        def create_load(self: Any, ptr: Any, *rest: Any) -> Any:
            hooks._check(ptr, None, "load")
            return hooks._run_unchecked(lambda: load(self, ptr, *rest))

        def create_store(self: Any, ptr: Any, value: Any, *rest: Any) -> Any:
            hooks._check(ptr, None, "store", value=value)
            return hooks._run_unchecked(lambda: store(self, ptr, value, *rest))

        builder.create_load, builder.create_store = create_load, create_store

    def _hook_masked_accesses(self) -> None:
        hooks, builder = self, private.InterpreterBuilder
        load, store = builder.create_masked_load, builder.create_masked_store

        def create_masked_load(
            self: Any, ptrs: Any, mask: Any, other: Any, *rest: Any, **kw: Any
        ) -> Any:
            hooks._check(ptrs, None if hooks._unchecked_tile else mask, "load")
            result = load(self, ptrs, mask, other, *rest, **kw)
            return hooks._fill(result, ptrs, mask, other is not None or hooks._padded_load)

        def create_masked_store(self: Any, ptrs: Any, value: Any, mask: Any, *rest: Any) -> Any:
            hooks._check(ptrs, None if hooks._unchecked_tile else mask, "store", value=value)
            return None if hooks._withhold else store(self, ptrs, value, mask, *rest)

        builder.create_masked_load = create_masked_load
        builder.create_masked_store = create_masked_store

    def _hook_paddings(self) -> None:
        """Tell `other=0` from none. The interpreter asks `if other`, and a single 0 (of a load of one
        lane) is false, so it hands on None. It loads 0 for that, too."""
        hooks, semantic = self, private.interpreter_semantic
        load = semantic.load

        def load_padded(ptr: Any, mask: Any, other: Any, *rest: Any, **kw: Any) -> Any:
            hooks._padded_load = other is not None
            try:
                return load(ptr, mask, other, *rest, **kw)
            finally:
                hooks._padded_load = False

        semantic.load = load_padded

    def _hook_block_pointers(self) -> None:
        """Count what goes through a block pointer as masked only with a `boundary_check`. Up to Triton
        3.7 the interpreter makes a mask in both cases; since 3.8 it has no such functions."""
        hooks, builder = self, private.InterpreterBuilder

        def watched(access: Callable[..., Any], at: int) -> Callable[..., Any]:
            def create(*args: Any) -> Any:
                hooks._unchecked_tile = not args[at]
                try:
                    return access(*args)
                finally:
                    hooks._unchecked_tile = False

            return create

        for name, at in (("create_tensor_pointer_load", 2), ("create_tensor_pointer_store", 3)):
            if access := getattr(builder, name, None):
                setattr(builder, name, watched(access, at))

    def _hook_atomic_operations(self) -> None:
        hooks, builder = self, private.InterpreterBuilder
        rmw, cas = builder.create_atomic_rmw, builder.create_atomic_cas

        def create_atomic_rmw(
            self: Any, op: Any, ptr: Any, value: Any, mask: Any, *rest: Any
        ) -> Any:
            hooks._check(ptr, mask, "store", atomic=True)
            if hooks._withhold:
                mask = private.TensorHandle(np.zeros_like(mask.data), mask.dtype)
            return rmw(self, op, ptr, value, mask, *rest)

        def create_atomic_cas(self: Any, ptr: Any, old: Any, new: Any, *rest: Any) -> Any:
            hooks._check(ptr, None, "store", atomic=True)
            return cas(self, ptr, old, old if hooks._withhold else new, *rest)

        builder.create_atomic_rmw, builder.create_atomic_cas = create_atomic_rmw, create_atomic_cas

    def _hook_products(self) -> None:
        hooks, builder = self, private.InterpreterBuilder
        dot = builder.create_dot

        def create_dot(self: Any, a: Any, b: Any, d: Any, *rest: Any) -> Any:
            if hooks._active and hooks._checks:
                hooks._checks.note_product(_factors(a, rest))
            if hooks.without_products:
                return private.TensorHandle(np.array(d.data), d.dtype.scalar)
            return dot(self, a, b, d, *rest)

        builder.create_dot = create_dot

    # --- a launch ---------------------------------------------------------------------------------

    def _open(self, executor: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self._resting:
            return
        given = dict(zip(executor.arg_names, args, strict=False)) | kwargs
        tensors = {name: t for key, value in given.items() for name, t in _tensors(key, value)}
        # The interpreter works on host copies of device tensors: their addresses are not known here.
        self._active = all(t.device.type == "cpu" for t in tensors.values())
        line = find_line(self.filename)
        self._checks = LaunchChecks(
            tensors,
            self.report,
            self.tracer,
            self.filename,
            executor.fn,
            wave=self.wave,
            once=self._find_once(tensors),
            sectors=self.sectors,
        )
        if not self._trying:
            self._checks.sketch = SketchRecorder(executor.fn.__name__, line)
        if self._withhold and len(self.held) < MAX_HELD:
            self.held += [t.detach().clone() for t in tensors.values()]
        self.memory |= {t.untyped_storage().data_ptr() for t in tensors.values()}
        self.report.launches += 1
        self._note_launch(
            launch_record.record_launch(executor.fn, executor.constexprs, args, kwargs, line)
        )
        program_order.clear_grid()
        held = {n: t for n, t in tensors.items() if t.numel()}
        if self.tracer:
            self.tracer.open(executor.fn.__name__, held)
        if self.witness and self._active:
            self.witness.open(executor.fn, held, given)

    def _find_once(self, tensors: dict[str, torch.Tensor]) -> frozenset[str]:
        """Return the names of those tensors of a launch of which a program may load an element once:
        those in `once` and views of them, and any as large that is in no argument of the call."""
        if not self.once:
            return frozenset()
        least = min(t.numel() for t in self.once)
        return frozenset(
            name
            for name, tensor in tensors.items()
            if _lies_in(tensor, self.once)
            or (tensor.numel() >= least and not _lies_in(tensor, self.given))
        )

    def _note_launch(self, launch: KernelLaunch) -> None:
        """Keep a launch; of those that differ only in sizes keep the largest."""
        kept = self.report.kernels
        for at, known in enumerate(kept):
            if known.key == launch.key:
                if known.elements < launch.elements:
                    kept[at] = launch
                return
        add_finding(kept, launch)

    def _close(self) -> None:
        self._active = False
        if self._checks:
            if self._checks.sketch:
                add_finding(self.report.sketches, self._checks.sketch.close(program_order.grid()))
            self._checks.close()
            for at, stored in self._checks.find_stored().items():
                known = self._stored.get(at)
                # Memory may come back as another tensor once one is freed.
                same = known is not None and known.size == stored.size
                self._stored[at] = stored | known if same else stored
        if self.tracer:
            self.tracer.close(program_order.grid())
        if self.witness:
            self.witness.close()
        self._checks = None

    # --- an access --------------------------------------------------------------------------------

    def _check(
        self, ptrs: Any, mask: Any, kind: str, atomic: bool = False, value: Any = None
    ) -> None:
        if self._active and self._checks:
            self._checks.check(ptrs, mask, kind, atomic, value)

    def _run_uncounted(self, run: Callable[[], Any]) -> None:
        """Run an autotuner's trial. Its accesses are checked; no count and no access map has them."""
        counts = {
            name: value for name, value in vars(self.report).items() if isinstance(value, int)
        }
        recorders = self.tracer, self.witness
        self.tracer, self.witness, self._trying = None, None, True
        try:
            run()
        finally:
            (self.tracer, self.witness), self._trying = recorders, False
            vars(self.report).update(counts)

    def _open_witness(self) -> MemoryWitness | None:
        return self.witness if self.witness and self.witness.is_open else None

    def _run_unchecked(self, run: Callable[[], Any]) -> Any:
        """Run a plain access, which the interpreter turns into a masked one and which is checked."""
        active, self._active = self._active, False
        try:
            return run()
        finally:
            self._active = active

    def _note_masked(self, off: np.ndarray, fill: float | None, padded: bool) -> None:
        """Note that a load masks these lanes off, once for each spot and value."""
        known = self.report.padded if padded else self.report.undefined
        assert self._checks
        at = {**self._checks.find_spot().as_fields(), "fill": fill}
        if not any(at.items() <= each.items() for each in known):
            program = program_order.program()
            add_finding(known, {**at, "lanes": int(off.sum()), "program": program})

    def _fill(self, result: Any, ptrs: Any, mask: Any, padded: bool) -> Any:
        """Fill the masked lanes of a load with a value on which a right program does not depend.
        `padded`: the load has an `other`."""
        if not self._active:
            return result
        off = ~np.broadcast_to(np.asarray(mask.data, bool), np.shape(result.data))
        if not off.any():
            return result
        self._note_masked(off, _one_number(result, ptrs, off) if padded else None, padded)
        value: str | float | None = self._padding
        if value is None and not padded:
            value = self._poison
        if value is not None:
            fill_masked_lanes(result, ptrs, off, value)
        return result


def _lies_in(tensor: torch.Tensor, others: Iterable[torch.Tensor]) -> bool:
    """Return True if a tensor begins within the elements of one of the others."""
    for other in others:
        extent = 1 + sum((n - 1) * s for n, s in zip(other.shape, other.stride(), strict=True))
        distance = tensor.data_ptr() - other.data_ptr()
        if 0 <= distance < extent * other.element_size():
            return True
    return False


def _one_number(result: Any, pointers: Any, off: np.ndarray) -> float | None:
    """Return the number in all lanes `off` of a loaded tile; None if they differ, or hold bits."""
    kind = getattr(pointers.dtype.scalar, "element_ty", None)
    lanes = np.asarray(result.data)[off]
    if str(kind) not in _NUMBERS or (lanes != lanes[0]).any():
        return None
    return float(lanes[0])


def _tensors(name: str, value: Any) -> list[tuple[str, torch.Tensor]]:
    """Return the tensors of a kernel argument: itself, a tuple's elements, or a descriptor's base."""
    if isinstance(value, torch.Tensor):
        return [(name, value)]
    if isinstance(value, tuple):
        return [t for i, item in enumerate(value) for t in _tensors(f"{name}[{i}]", item)]
    # TensorDescriptor and TensorWrapper (triton.reinterpret) keep theirs in `base`.
    base = getattr(value, "base", None)
    return [(name, base)] if isinstance(base, torch.Tensor) else []


def _factors(a: Any, rest: tuple[Any, ...]) -> str:
    """Name what a product multiplies, as `MATRIX_UNITS` of an exercise does."""
    if a.dtype == tl.float32:
        return "tf32" if rest[:1] == (ir.INPUT_PRECISION.TF32,) else "fp32"
    return str(a.dtype)
