"""tutor: learn how a line of PyTorch becomes GPU instructions, in the terminal."""

__version__ = "0.1.0"
