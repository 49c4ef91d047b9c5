"""What was measured, on disk: SQLite by default; each trial is committed as soon as it is known."""

from httpdyno.store.place import data_folder
from httpdyno.store.store import NewRun, Store, StoredRun, open_store

__all__ = ["NewRun", "Store", "StoredRun", "data_folder", "open_store"]
