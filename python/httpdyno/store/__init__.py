"""Measured runs on disk: SQLite by default; each trial is committed as soon as it is measured."""

from httpdyno.store.place import data_folder
from httpdyno.store.runs import NewRun, StoredRun, digest_of
from httpdyno.store.store import Store, open_store

__all__ = ["NewRun", "Store", "StoredRun", "data_folder", "digest_of", "open_store"]
