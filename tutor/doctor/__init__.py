"""Checks of this machine: rows of findings, each with the fix for what does not work.

torch and Triton are imported in another process (`tutor.doctor.probe_process`): one that is broken may
hang or crash, and the doctor has to say so.
"""
