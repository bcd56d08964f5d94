"""Typed messages between the server and its workers and helpers; how they travel is `processes.wire`."""
