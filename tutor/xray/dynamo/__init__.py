"""Stages that Dynamo makes: bytecode, graphs, guards, breaks; nothing after the graph."""
