import torch
import tvm
from tvm import relax
from tvm.relax.dpl import is_op, wildcard


class Npu:
    """The accelerator. Its tensors are known by numbers."""

    def __init__(self):
        self.memory = []

    def put(self, tensor: torch.Tensor) -> int:
        """Carry a tensor to the accelerator."""
        return self._keep(tensor.clone())

    def matmul(self, a: int, b: int) -> int:
        return self._keep(self.memory[a] @ self.memory[b])

    def add(self, a: int, b: int) -> int:
        return self._keep(self.memory[a] + self.memory[b])

    def subtract(self, a: int, b: int) -> int:
        return self._keep(self.memory[a] - self.memory[b])

    def relu(self, a: int) -> int:
        return self._keep(self.memory[a].relu())

    def get(self, a: int, out: torch.Tensor) -> None:
        """Carry a tensor back, into memory of the host."""
        out.copy_(self.memory[a])

    def _keep(self, tensor):
        self.memory.append(tensor)
        return len(self.memory) - 1


NPU = Npu()


def generate(functions, options, names) -> list:
    """Register a function of Python for each region."""
    for function in functions:
        name = str(function.attrs["global_symbol"])

        def compute(x, out):
            # Right for one region with one input,
            # whose only operation is relu.
            # Walk through the region instead.
            x, out = torch.from_dlpack(x), torch.from_dlpack(out)
            NPU.get(NPU.relu(NPU.put(x)), out)

        tvm.register_global_func(name, compute)
    return []


def partition(module: tvm.IRModule) -> tvm.IRModule:
    """The module with its regions. Leave this as it is."""
    product = is_op("relax.matmul")(wildcard(), wildcard())
    layer = is_op("relax.nn.relu")(is_op("relax.add")(product, wildcard()))
    others = {
        name: is_op(f"relax.{name}")(*(wildcard() for _ in range(count)))
        for name, count in (("matmul", 2), ("add", 2), ("subtract", 2), ("nn.relu", 1))
    }
    patterns = [("npu.layer", layer)]
    patterns += [(f"npu.{name}", each) for name, each in others.items()]
    module = relax.transform.FuseOpsByPattern(patterns)(module)
    return relax.transform.MergeCompositeFunctions()(module)


def byoc_codegen(source: str, *tensors: torch.Tensor) -> torch.Tensor:
    """Return what main returns. Leave this as it is."""
    tvm.register_global_func("relax.ext.npu", generate, override=True)
    module = partition(tvm.script.from_source(source))
    module = relax.transform.RunCodegen()(module)
    built = tvm.compile(module, target="llvm")
    machine = relax.VirtualMachine(built, tvm.cpu())
    given = [tvm.runtime.from_dlpack(each.clone()) for each in tensors]
    return torch.from_dlpack(machine["main"](*given))
