"""Measured runs on disk: SQLite by default; each trial is committed as soon as it is measured."""

from httpdyno.store.listing import RunSummary, summaries
from httpdyno.store.place import data_folder
from httpdyno.store.runs import NewRun, StoredRun, digest_of
from httpdyno.store.store import Store, open_store
from httpdyno.store.transfer import ImportedRun, same_run, store_imported, trial_documents

__all__ = [
    "ImportedRun",
    "NewRun",
    "RunSummary",
    "Store",
    "StoredRun",
    "data_folder",
    "digest_of",
    "open_store",
    "same_run",
    "store_imported",
    "summaries",
    "trial_documents",
]
