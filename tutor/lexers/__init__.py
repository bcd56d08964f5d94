"""Pygments lexers for what compilers print on the way from a PyTorch function to machine code.

They are `pygments.lexers` plug-ins: with this package installed, `pygmentize -l ptx` works. Each
works line by line (nothing carries over a line's end), so that one line of a long text can be
coloured by itself. Importing this module imports Pygments and nothing else.
"""

from tutor.lexers.amdgcn import AmdgcnLexer
from tutor.lexers.fx import FxLexer
from tutor.lexers.hlo import HloLexer
from tutor.lexers.mlir import MlirLexer, TritonIRLexer
from tutor.lexers.onnx import OnnxLexer
from tutor.lexers.ptx import PtxLexer
from tutor.lexers.sass import SassLexer

__all__ = [
    "AmdgcnLexer",
    "FxLexer",
    "HloLexer",
    "MlirLexer",
    "OnnxLexer",
    "PtxLexer",
    "SassLexer",
    "TritonIRLexer",
]
