"""The rows of the tables: kinds of work that suit one load generator more than another."""

from __future__ import annotations

from peers.generators.job import Row

CEILING = Row("keep-alive-64", "keep-alive, 64 connections", connections=64)

ROWS = (
    Row("keep-alive-1", "keep-alive, 1 connection", connections=1, likely_per_s=15_000),
    Row("keep-alive-16", "keep-alive, 16 connections", connections=16),
    CEILING,
    Row("keep-alive-256", "keep-alive, 256 connections", connections=256),
    Row("keep-alive-1000", "keep-alive, 1,000 connections", connections=1000),
    Row("keep-alive-10000", "keep-alive, 10,000 connections", connections=10_000, longer=3),
    Row("one-call", "one call a connection, 64 at once", calls=1, likely_per_s=12_000),
    Row("ten-calls", "10 calls a connection, 64 at once", calls=10, likely_per_s=40_000),
    Row("pipelined-16", "bursts of 16, 64 connections", burst=16, likely_per_s=300_000),
    Row("reply-50k", "replies of 50 KB, 64 connections", path="/50k", likely_per_s=20_000),
    Row("reply-550k", "replies of 550 KB, 64 connections", path="/550k", likely_per_s=3_000),
    Row("open-10", "open, 10 % of the own ceiling", share=0.10),
    Row("open-50", "open, 50 % of the own ceiling", share=0.50),
    Row("open-80", "open, 80 % of the own ceiling", share=0.80),
    Row("tls-keep-alive-64", "TLS 1.3, keep-alive, 64 connections", tls=True),
    Row("tls-one-call", "TLS 1.3, one call a connection, full handshakes", calls=1, tls=True),
    Row("h2c-1x1", "HTTP/2, 1 connection, 1 stream", connections=1, streams=1),
    Row("h2c-64x1", "HTTP/2, 64 connections, 1 stream on each", streams=1),
    Row("h2c-10x10", "HTTP/2, 10 connections, 10 streams on each", connections=10, streams=10),
    Row("h2c-1x100", "HTTP/2, 1 connection, 100 streams", connections=1, streams=100),
    Row("h2c-64x16", "HTTP/2, 64 connections, 16 streams on each", streams=16),
    Row("h2-10x10", "HTTP/2, TLS 1.3, 10 × 10", connections=10, streams=10, tls=True),
    Row("h2-1x100", "HTTP/2, TLS 1.3, 1 × 100", connections=1, streams=100, tls=True),
)

NGINX_ROWS = (
    *("keep-alive-64", "one-call", "ten-calls", "tls-keep-alive-64", "tls-one-call"),
    *("h2c-10x10", "h2-10x10", "h2-1x100"),
)
"""With nginx the server is the limit: a few rows are enough to show that the picture is the same.
The reference server has no TLS."""

PAGES = {"/pong": b"PONG", "/50k": b"x" * 50_000, "/550k": b"x" * 550_000}
POSTS = {"/": b"Hello, world!", "/FiringGeometry.png": b"x" * 50_000}
"""Pages that the command lines of the blog posts name; only the reference server has them."""
