//! Reads CSV (RFC 4180): a header, then rows. Blank lines are skipped.

use std::io::BufRead;

use csv_core::{ReadRecordResult, Reader};

use crate::plan::data::table::{LONGEST, MOST_COLUMNS, Table};

/// Reads at most so many rows.
///
/// # Errors
/// The line, and the fault.
pub fn read(mut input: impl BufRead, most_rows: u64) -> Result<Table, String> {
    let mut table = Table::default();
    let mut reader = Reader::new();
    let mut row = Row::new();
    while table.columns.is_empty() || table.rows() < most_rows {
        let bytes = input.fill_buf().map_err(|e| e.to_string())?;
        let at_end = bytes.is_empty();
        // One more line break ends the last row, unless a quote is open.
        let bytes = if at_end { b"\n" } else { bytes };
        if !row.begun {
            row.line = reader.line() + leading_lines(bytes);
        }
        let (result, taken, written, ended) = reader.read_record(
            bytes,
            &mut row.bytes[row.length..],
            &mut row.ends[row.values..],
        );
        row.begun |= bytes[..taken].iter().any(|byte| !is_break(*byte));
        row.length += written;
        row.values += ended;
        let done = match result {
            ReadRecordResult::Record => row.add(&mut table).map(|()| false),
            ReadRecordResult::OutputFull => {
                Err("a row has more than 1 MiB; is a quote open?".into())
            }
            ReadRecordResult::OutputEndsFull => {
                Err(format!("expected at most {MOST_COLUMNS} values"))
            }
            ReadRecordResult::InputEmpty | ReadRecordResult::End => match (at_end, row.begun) {
                (true, true) => Err("a quote is not closed".into()),
                (at_end, _) => Ok(at_end),
            },
        };
        if done.map_err(|fault| format!("line {}: {fault}", row.line))? {
            break;
        }
        if !at_end {
            input.consume(taken);
        }
    }
    Ok(table)
}

/// The line breaks before the first other byte.
fn leading_lines(bytes: &[u8]) -> u64 {
    let leading = bytes.iter().take_while(|byte| is_break(**byte));
    leading.filter(|byte| **byte == b'\n').count() as u64
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// A row, as far as it is read.
struct Row {
    /// It has bytes, which may be quotes only.
    begun: bool,
    /// The line on which it begins.
    line: u64,
    bytes: Vec<u8>,
    length: usize,
    ends: Vec<usize>,
    values: usize,
}

impl Row {
    fn new() -> Self {
        Self {
            begun: false,
            line: 1,
            bytes: vec![0; LONGEST],
            length: 0,
            ends: vec![0; MOST_COLUMNS + 1],
            values: 0,
        }
    }

    /// Adds the row to a table, or names its columns, and begins the next one.
    fn add(&mut self, table: &mut Table) -> Result<(), String> {
        let text = std::str::from_utf8(&self.bytes[..self.length]);
        let text = text.map_err(|_| "expected text in UTF-8")?;
        let ends = &self.ends[..self.values];
        let from = |index: usize| index.checked_sub(1).map_or(0, |before| ends[before]);
        let values = ends
            .iter()
            .enumerate()
            .map(|(index, &end)| &text[from(index)..end]);
        if table.columns.is_empty() {
            table.name_columns(values.map(|name| name.trim().to_owned()).collect())?;
        } else {
            table.add(self.line, values.map(str::as_bytes))?;
        }
        (self.begun, self.length, self.values) = (false, 0, 0);
        Ok(())
    }
}
