//! Reads lines of JSON: an object on each, with the keys of the first. Blank lines are skipped.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use serde_json::{Map, Value};

use crate::plan::data::table::{LONGEST, Table};

/// Begins a text in UTF-8 (RFC 3629 §6).
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads at most so many rows.
///
/// # Errors
/// The line, and the fault.
pub fn read(mut input: impl BufRead, most_rows: u64) -> Result<Table, String> {
    let mut table = Table::default();
    let mut line = Vec::new();
    let mut number = 0;
    while table.columns.is_empty() || table.rows() < most_rows {
        number += 1;
        line.clear();
        let mut bounded = input.by_ref().take(LONGEST as u64 + 1);
        let count = bounded
            .read_until(b'\n', &mut line)
            .map_err(|e| e.to_string())?;
        if count == 0 {
            break;
        }
        let text = line
            .strip_prefix(BYTE_ORDER_MARK)
            .unwrap_or(&line)
            .trim_ascii();
        let added = match text.is_empty() {
            _ if count > LONGEST => Err("it has more than 1 MiB".into()),
            true => Ok(()),
            false => add(number, text, &mut table),
        };
        added.map_err(|fault| format!("line {number}: {fault}"))?;
    }
    Ok(table)
}

fn add(number: u64, line: &[u8], table: &mut Table) -> Result<(), String> {
    let object: Map<String, Value> = serde_json::from_slice(line)
        .map_err(|_| r#"expected an object in JSON, such as {"email": "a@example.com"}"#)?;
    if table.columns.is_empty() {
        if object.is_empty() {
            return Err("expected an object with at least one key".into());
        }
        table.name_columns(object.keys().cloned().collect())?;
    }
    let mut values = Vec::with_capacity(table.columns.len());
    for name in &table.columns {
        let value = object.get(name).ok_or_else(|| {
            let name = name.escape_debug();
            format!("expected the key `{name}`, as on the first line")
        })?;
        values.push(text(value));
    }
    table.add(number, values.iter().map(|value| value.as_bytes()))
}

/// The text that is sent for a value; nothing for null.
fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        Value::Null => "".into(),
        other => other.to_string().into(),
    }
}
