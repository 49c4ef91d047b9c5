"""Measured runs: in a SQLite file, or in a PostgreSQL database that a team shares.

Each trial is committed as soon as it is measured.
"""

from httpdyno.store.copying import CopyOutcome, copy_run
from httpdyno.store.listing import RunSummary, study_labels, summaries
from httpdyno.store.patience import PATIENCE_S, Patience
from httpdyno.store.place import data_folder
from httpdyno.store.runs import Home, KnownStudy, NewRun, StoredRun
from httpdyno.store.store import Store, open_store
from httpdyno.store.transfer import ImportedRun, same_run, store_imported, trial_documents

__all__ = [
    "PATIENCE_S",
    "CopyOutcome",
    "Home",
    "ImportedRun",
    "KnownStudy",
    "NewRun",
    "Patience",
    "RunSummary",
    "Store",
    "StoredRun",
    "copy_run",
    "data_folder",
    "open_store",
    "same_run",
    "store_imported",
    "study_labels",
    "summaries",
    "trial_documents",
]
