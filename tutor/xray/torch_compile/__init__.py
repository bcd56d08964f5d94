"""Stages that AOTAutograd and Inductor make of a graph, up to Triton source; not PTX or SASS."""
