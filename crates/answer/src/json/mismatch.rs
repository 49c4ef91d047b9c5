//! A value that is not like the example: its place in the document, what was expected, what was found.

use crate::words::short;

/// Most characters of a place; of a longer one, the end is shown.
const MOST_PLACE: usize = 200;

/// The first value that is not like the example.
#[derive(Debug)]
pub struct Mismatch {
    /// The keys and indices that lead to it, the innermost first.
    steps: Vec<String>,
    words: String,
}

impl Mismatch {
    /// A value that is not the expected one.
    pub fn new(expected: &str, found: &str) -> Self {
        Self::of(format!("expected {expected}, found {found}"))
    }

    /// A mismatch in these words.
    pub fn of(words: String) -> Self {
        let steps = Vec::new();
        Self { steps, words }
    }

    /// The value is inside another one, behind this key or index.
    pub fn inside(&mut self, step: &str) {
        // As in a JSON pointer (RFC 6901 §3).
        let step = short(step).replace('~', "~0").replace('/', "~1");
        self.steps.push(step);
    }

    /// `/items/3/price: expected a number, found "12"`.
    pub fn words(&self) -> String {
        if self.steps.is_empty() {
            return self.words.clone();
        }
        let steps = self.steps.iter().rev();
        let place: String = steps.flat_map(|step| ["/", step]).collect();
        let length = place.chars().count();
        if length <= MOST_PLACE {
            return format!("{place}: {}", self.words);
        }
        let end: String = place.chars().skip(length - MOST_PLACE).collect();
        format!("…{end}: {}", self.words)
    }
}

/// A text in quotes, as a message shows it.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", short(text))
}
