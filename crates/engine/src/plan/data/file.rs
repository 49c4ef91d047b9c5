//! Reads data files.

use std::fs::{File, metadata};
use std::io::{BufReader, Read};
use std::path::Path;

use crate::plan::data::table::Table;
use crate::plan::data::{csv, lines};

/// Most bytes of a data file.
const MOST_BYTES: u64 = 1 << 30;
const BUFFER: usize = 1 << 16;

/// Reads a data file, at most so many rows of it.
///
/// # Errors
/// A message that names the file, and the line of its first fault.
pub fn read(path: &Path, most_rows: u64) -> Result<Table, String> {
    let shown = path.display();
    let unreadable = |e| format!("`{shown}` cannot be read: {e}");
    let found = metadata(path).map_err(unreadable)?;
    if !found.is_file() {
        // Opening a FIFO waits for its writer.
        return Err(format!(
            "`{shown}` is no regular file: expected one with CSV or lines of JSON"
        ));
    }
    let size = found.len();
    if size > MOST_BYTES {
        return Err(format!(
            "`{shown}` has {size} bytes: expected at most 1 GiB"
        ));
    }
    let file = File::open(path).map_err(unreadable)?;
    // It may grow while it is read.
    let input = BufReader::with_capacity(BUFFER, file.take(MOST_BYTES));
    let is_json = path.extension().is_some_and(|extension| {
        ["jsonl", "ndjson"]
            .iter()
            .any(|one| extension.eq_ignore_ascii_case(one))
    });
    let read = if is_json {
        lines::read(input, most_rows)
    } else {
        csv::read(input, most_rows)
    };
    let table = read.map_err(|fault| format!("`{shown}`, {fault}"))?;
    if table.columns.is_empty() {
        return Err(format!(
            "`{shown}` is empty: expected the names of columns, then rows"
        ));
    }
    if table.rows() == 0 {
        return Err(format!(
            "`{shown}` has no row below the names of its columns"
        ));
    }
    Ok(table)
}
