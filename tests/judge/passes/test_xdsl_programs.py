"""Programs of xDSL after a pass: what the verifier does not see, and where one stops."""

import pytest
import torch

pytest.importorskip("xdsl")

from tutor.judge.cases.drawn_programs import arith
from tutor.judge.worker.subjects.subject import Stopped
from tutor.judge.worker.subjects.xdsl import Xdsl

TWO = arith(["%p = arith.muli %x, %y : i32", "%q = arith.addi %p, %x : i32"], "%q")
LOOP = """builtin.module {
  func.func @f(%n: index, %x: i32, %y: i32) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (i32) {
      %q = arith.remsi %x, %y : i32
      %s = arith.addi %a, %q : i32
      scf.yield %s : i32
    }
    func.return %r : i32
  }
}
"""
BLOCKS = """builtin.module {
  func.func @f(%x: i32) -> i32 {
    %p = arith.addi %x, %x : i32
    cf.br ^next
  ^next:
    func.return %p : i32
  }
}
"""


@pytest.fixture
def xdsl():
    return Xdsl()


def operations(program, name):
    return [op for op in program.walk() if op.name == name]


def test_what_a_value_is_computed_from_stands_before_it(xdsl):
    program = xdsl.parse(TWO, ())
    assert xdsl.check(program, TWO) is None
    (product,), (total,) = operations(program, "arith.muli"), operations(program, "arith.addi")
    product.detach()
    total.parent.insert_op_after(product, total)
    program.verify()  # xDSL finds nothing
    fault = xdsl.check(program, TWO)
    assert fault is not None
    assert (fault.reason, fault.code) == ("broken", "wrong-graph")
    assert "`arith.addi` reads `%p` of `arith.muli`, which is not computed before" in fault.sentence


def test_a_value_of_a_loop_stays_in_it(xdsl):
    program = xdsl.parse(LOOP, ())
    assert xdsl.check(program, LOOP) is None
    (total,), (loop,) = operations(program, "arith.addi"), operations(program, "scf.for")
    total.detach()
    loop.parent.insert_op_before(total, loop)
    fault = xdsl.check(program, LOOP)
    assert fault is not None
    assert "`arith.addi` reads `%a`, which" in fault.sentence


def test_a_function_of_several_blocks_is_in_order(xdsl):
    assert xdsl.check(xdsl.parse(BLOCKS, ()), BLOCKS) is None


def test_a_division_that_is_moved_out_of_an_empty_loop_stops(xdsl):
    inputs = tuple(torch.tensor([value]) for value in (0, 7, 0))
    program = xdsl.parse(LOOP, inputs)
    assert xdsl.run(program, inputs).seen[0][0][1].tolist() == [7]
    (rest,), (loop,) = operations(program, "arith.remsi"), operations(program, "scf.for")
    rest.detach()
    loop.parent.insert_op_before(rest, loop)
    assert xdsl.check(program, LOOP) is None
    with pytest.raises(Stopped) as stopped:
        xdsl.run(program, inputs)
    assert (stopped.value.operation, stopped.value.inputs) == ("arith.remsi", (0, 7, 0))
