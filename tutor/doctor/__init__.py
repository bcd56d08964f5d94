"""What works on this machine: rows of findings, each with how to mend what does not.

torch and Triton are imported in processes of their own (`tutor.doctor.probe_main`): one that is
broken may hang or crash, and the doctor has to say so.
"""
