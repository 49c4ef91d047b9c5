"""Unary calls of gRPC: their methods, from .proto files or from a server, and their messages."""
