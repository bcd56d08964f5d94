import torch
import torch.nn.functional as F

# One compilation for each new row count until `recompile_limit`, which is 4 here. The other six row
# counts find no code that fits and no permission to make any: they run in eager mode, in each of the
# three rounds, and nothing but a warning in the log says so. The four versions stay in use.
LIMITED_COMPILATIONS = 4
LIMITED_UNCOMPILED_CALLS = 3 * (10 - 4)


def fn(x: torch.Tensor) -> torch.Tensor:
    """Layer norm over the last dimension, eps = 1e-5, without affine."""
    # The row count flows into a tensor operation and nowhere else: no Python statement asks for its
    # value. The first call is compiled for its own size; at the second size that guard fails, the
    # dimension becomes a symbol, and the remaining eight sizes fit the second graph.
    #
    # Tensor has no method layer_norm; the functional form takes the normalised shape, here the
    # last dimension, which never changes and may stay a constant.
    return F.layer_norm(x, x.shape[-1:], eps=1e-5)
