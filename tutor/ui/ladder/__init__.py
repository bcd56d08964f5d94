"""The lowering ladder: every stage of a function from Python to machine code, side by side."""
