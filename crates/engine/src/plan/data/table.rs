//! The rows of a data file in memory.

use driver::{prefetch, use_huge_pages};

/// Most bytes of one row.
pub const LONGEST: usize = 1 << 20;
/// Most columns of a data file.
pub const MOST_COLUMNS: usize = 1000;
/// Most values of a data file.
const MOST_VALUES: usize = 1 << 28;
/// The rows of a data file: one string of bytes, and the end of each value.
#[derive(Debug, Default)]
pub struct Table {
    pub columns: Vec<String>,
    bytes: Vec<u8>,
    ends: Vec<u32>,
    rows: u64,
    /// The line on which the last row begins.
    pub last_line: u64,
}

impl Table {
    /// The number of rows.
    #[inline]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The value of a column in a row.
    #[inline]
    pub fn value(&self, row: u64, column: u32) -> &[u8] {
        let at = self.index(row, column);
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[from as usize..self.ends[at] as usize]
    }

    /// Prepares the table for reads of rows at random, as far as the kernel allows it.
    pub fn use_huge_pages(&self) {
        let _ = (use_huge_pages(&self.ends), use_huge_pages(&self.bytes));
    }

    /// Begins to load the ends of a value into the caches of the processor.
    #[inline]
    pub fn prefetch_ends(&self, row: u64, column: u32) {
        let at = self.index(row, column);
        prefetch(&self.ends[at.saturating_sub(1)]);
        prefetch(&self.ends[at]);
    }

    /// Begins to load a value into the caches of the processor, by its ends.
    #[inline]
    pub fn prefetch_value(&self, row: u64, column: u32) {
        if let Some(first) = self.value(row, column).first() {
            prefetch(first);
        }
    }

    /// The place of a value among all.
    #[inline]
    fn index(&self, row: u64, column: u32) -> usize {
        row as usize * self.columns.len() + column as usize
    }

    /// Names the columns.
    ///
    /// # Errors
    /// There are too many, or two have the same name.
    pub fn name_columns(&mut self, names: Vec<String>) -> Result<(), String> {
        if names.len() > MOST_COLUMNS {
            return Err(format!(
                "{} columns: expected at most {MOST_COLUMNS}",
                names.len()
            ));
        }
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!(
                "two columns have the name `{}`: expected one",
                twice[0].escape_debug()
            ));
        }
        self.columns = names;
        Ok(())
    }

    /// Adds a row that begins on this line.
    ///
    /// # Errors
    /// It has another number of values than the columns, or the table is full.
    pub fn add<'a>(
        &mut self,
        line: u64,
        values: impl ExactSizeIterator<Item = &'a [u8]>,
    ) -> Result<(), String> {
        let (count, columns) = (values.len(), self.columns.len());
        if count != columns {
            let (values, names) = (plural(count, "value"), plural(columns, "column"));
            return Err(format!("{values}, but {names}: expected one for each"));
        }
        if self.ends.len() + count > MOST_VALUES {
            return Err(format!("expected at most {MOST_VALUES} values"));
        }
        for value in values {
            self.bytes.extend_from_slice(value);
            let end = u32::try_from(self.bytes.len()).map_err(|_| "expected at most 4 GiB")?;
            self.ends.push(end);
        }
        self.rows += 1;
        self.last_line = line;
        Ok(())
    }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
