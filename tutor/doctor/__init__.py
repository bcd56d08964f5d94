"""Checks of this machine: rows of findings, each with the fix for what does not work.

torch and Triton are imported in separate processes (`tutor.doctor.probe_main`): one that is
broken may hang or crash, and the doctor has to say so.
"""
