//! Data files: each row has a value for every column. `{users.email}` is the column `email` of the file `users`.

mod csv;
mod file;
mod lines;
pub mod once;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::plan::data::once::Once;
use crate::plan::data::table::Table;
use crate::plan::keep::MOST_KEPT;
use crate::plan::placeholders::draws::{Draws, below};
use crate::plan::placeholders::escape::Place;
use crate::plan::{Plan, Request};

/// Most data files of a plan.
const MOST_FILES: usize = 20;

/// A data file, as the plan names it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataFile {
    /// The first part of the names of its placeholders.
    pub name: String,
    /// CSV with a header; lines of JSON if it ends in `.jsonl` or `.ndjson`.
    pub file: PathBuf,
    #[serde(default)]
    pub order: RowOrder,
}

/// The order in which calls take the rows of a data file, or sessions do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowOrder {
    /// As they are in the file, and again from the first one.
    #[default]
    InOrder,
    /// Any row, all equally likely.
    Random,
    /// Each row once. The run ends when there are no more.
    Once,
}

/// The data files of a plan, in memory.
#[derive(Debug, Default)]
pub struct Data {
    files: Vec<(DataFile, Table)>,
    /// The names of values that sessions keep, then those of all columns.
    names: Vec<String>,
    /// The file and the column of each name behind those of kept values.
    columns: Vec<(u32, u32)>,
    seed: u64,
    /// The number of a session chooses the row of all its calls.
    by_session: bool,
}

impl Data {
    /// Reads the data files of a plan, at most so many rows of each.
    ///
    /// # Errors
    /// A message for each file that cannot be used.
    pub fn read(plan: &Plan, most_rows: u64) -> Result<Self, Vec<String>> {
        let mut faults = name_faults(&plan.data);
        let kept = plan.requests.iter().flat_map(|request| &request.keep);
        let kept = kept.take(MOST_KEPT);
        let mut found = Self {
            names: kept.map(|keep| keep.name.clone()).collect(),
            seed: plan.seed,
            by_session: plan.load.sessions().is_some(),
            ..Self::default()
        };
        for file in &plan.data {
            match file::read(&file.file, most_rows) {
                Ok(table) => found.add(file.clone(), table),
                Err(fault) => faults.push(fault),
            }
        }
        if faults.is_empty() {
            Ok(found)
        } else {
            Err(faults)
        }
    }

    fn add(&mut self, file: DataFile, table: Table) {
        if file.order == RowOrder::Random {
            table.use_huge_pages();
        }
        let number = self.files.len() as u32;
        for (column, name) in (0..).zip(&table.columns) {
            self.names.push(format!("{}.{name}", file.name));
            self.columns.push((number, column));
        }
        self.files.push((file, table));
    }

    /// The names that placeholders may have: those of values that sessions keep, then those of all columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// True if the name with this index is that of a column.
    #[inline]
    pub fn has(&self, name: usize) -> bool {
        name >= self.kept()
    }

    /// The indices of the names whose values the calls of a request have, sent or not. Of another request than a session's,
    /// only placeholders choose a row; and a value that the reply itself has is not one that was sent.
    pub fn names_of(&self, request: &Request) -> Vec<usize> {
        let has_row = request.placeholders || self.by_session;
        let kept = |name: &usize| {
            let keep = &request.keep;
            keep.iter().any(|keep| keep.name == self.names[*name])
        };
        let names = 0..self.names.len();
        names
            .filter(|name| has_row && (self.has(*name) || !kept(name)))
            .collect()
    }

    /// True if there is no data file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The number of names of values that sessions keep.
    #[inline]
    fn kept(&self) -> usize {
        self.names.len() - self.columns.len()
    }

    /// Appends the value of the column with this index among the names, for a call: `number` is its own among the calls
    /// of this request, or that of its session.
    #[inline]
    pub fn write(&self, name: usize, place: Place, request: u32, number: u64, out: &mut Vec<u8>) {
        let (file, column) = self.columns[name - self.kept()];
        let (declared, table) = &self.files[file as usize];
        let row = match declared.order {
            RowOrder::InOrder | RowOrder::Once => number % table.rows(),
            RowOrder::Random => below(table.rows(), self.draws(file, request).first(number)),
        };
        place.write(table.value(row, column), out);
    }

    /// Begins to load what the next two calls of the same request, `step` numbers apart, have of a column. Rows at random are
    /// in no cache, and each call would wait for the memory twice: for the ends of its value, and then for the value.
    #[inline]
    pub fn prefetch(&self, name: usize, request: u32, number: u64, step: u64) {
        let (file, column) = self.columns[name - self.kept()];
        let (declared, table) = &self.files[file as usize];
        if declared.order == RowOrder::Random {
            let draws = self.draws(file, request);
            let row = |ahead| below(table.rows(), draws.first(number.wrapping_add(ahead)));
            table.prefetch_ends(row(2 * step), column);
            table.prefetch_value(row(step), column);
        }
    }

    /// The random numbers that choose rows of a file.
    #[inline]
    fn draws(&self, file: u32, request: u32) -> Draws {
        let request = if self.by_session { u32::MAX } else { request };
        // Placeholders count from 0 on.
        Draws::new(self.seed, request, u32::MAX - file)
    }

    /// The rows that are used once. `used`: for each request, the indices of the names that it has.
    ///
    /// # Errors
    /// A message: several requests would use each row.
    pub fn once(&self, used: &[Vec<usize>]) -> Result<Vec<Once>, String> {
        let mut users: BTreeMap<u32, u32> = BTreeMap::new();
        let mut found = Vec::new();
        let each = |(request, names): (u32, &Vec<usize>)| {
            let names: Vec<usize> = names
                .iter()
                .copied()
                .filter(|&name| self.has(name))
                .collect();
            names.into_iter().map(move |name| (request, name))
        };
        for (request, name) in (0..).zip(used).flat_map(each) {
            let (number, _) = self.columns[name - self.kept()];
            let (declared, table) = &self.files[number as usize];
            if declared.order != RowOrder::Once {
                continue;
            }
            let file = declared.file.display().to_string();
            match users.insert(number, request) {
                None => found.push(Once {
                    request: (!self.by_session).then_some(request),
                    rows: table.rows(),
                    file,
                }),
                Some(other) if other != request && !self.by_session => {
                    return Err(format!(
                        "each row of `{file}` is used once, but several requests have values of it: \
                         expected one of them, or a session of them all"
                    ));
                }
                Some(_) => {}
            }
        }
        Ok(found)
    }

    /// The fault of the first value of a column that cannot be sent in a place. A kept value has none yet.
    ///
    /// # Errors
    /// A message that names the file, the line and the column, but not the value.
    pub fn check(&self, name: usize, place: Place) -> Result<(), String> {
        if !self.has(name) {
            return Ok(());
        }
        let (file, column) = self.columns[name - self.kept()];
        let (declared, table) = &self.files[file as usize];
        let Some((row, expected)) = (0..table.rows()).find_map(|row| {
            let fault = place.fault(table.value(row, column))?;
            Some((row, fault))
        }) else {
            return Ok(());
        };
        let line = file::read(&declared.file, row + 1)?.last_line;
        let name = &table.columns[column as usize];
        let shown = declared.file.display();
        Err(format!(
            "`{shown}`, line {line}, column `{name}`: {expected}"
        ))
    }
}

/// The names of the columns of a data file.
///
/// # Errors
/// A message: the file cannot be read, or its first row is wrong.
pub fn columns_of(path: &Path) -> Result<Vec<String>, String> {
    file::read(path, 1).map(|table| table.columns)
}

/// The faults of the names of data files.
fn name_faults(files: &[DataFile]) -> Vec<String> {
    let mut faults = Vec::new();
    if files.len() > MOST_FILES {
        faults.push(format!(
            "{} data files: expected at most {MOST_FILES}",
            files.len()
        ));
    }
    for (index, DataFile { name, .. }) in files.iter().enumerate() {
        if !is_name(name) {
            faults.push(format!(
                "the name of a data file is `{name}`: expected a letter, then letters, digits and `_`"
            ));
        }
        if files[..index].iter().any(|other| other.name == *name) {
            faults.push(format!(
                "two data files have the name `{name}`: expected one"
            ));
        }
    }
    faults
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests;
