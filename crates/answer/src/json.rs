//! JSON examples. `docs/guides/check-answers.md` defines the notation of wildcards.

mod compile;
mod matching;
mod mismatch;
mod number;
mod wildcard;

use crate::json::number::Number;
use crate::json::wildcard::{Lengths, Wildcard};
use crate::sent::{Names, SentText};

/// So few keys are found sooner one after the other: most have another length.
const FEW_KEYS: usize = 16;

/// A JSON value whose parts may be wildcards.
#[derive(Debug)]
pub enum Example {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    /// A text with values that were sent. One that is the whole text may be a number, a boolean or null in the body.
    Sent(SentText),
    Array(Vec<Example>),
    /// An array of so many elements, each like the example.
    Each(Lengths, Box<Example>),
    Object(Object),
    Wildcard(Wildcard),
}

/// The keys of an object.
#[derive(Debug)]
pub struct Object {
    /// Sorted by their names.
    keys: Vec<Key>,
    others: Others,
}

/// The other keys of an object.
#[derive(Debug)]
enum Others {
    Wrong,
    /// Right with any value.
    Any,
    /// Right with such a value.
    Like(Box<Example>),
}

#[derive(Debug)]
struct Key {
    name: String,
    /// It may be missing.
    optional: bool,
    value: Example,
}

impl Example {
    /// Compiles an example.
    ///
    /// # Errors
    /// Its fault, with its place.
    pub fn new(text: &str, names: &mut Names) -> Result<Self, String> {
        compile::compile(text, names)
    }

    /// The fault of a body to a request with these values; `None`: it is like the example.
    pub fn fault(&self, body: &[u8], values: &[String]) -> Option<String> {
        matching::fault(self, body, values)
    }

    /// The example in words, for a message: `a whole number from 1 to 10`.
    fn words(&self, values: &[String]) -> String {
        match self {
            Self::Sent(text) => {
                format!("{}, as it was sent", mismatch::quoted(&text.shown(values)))
            }
            Self::Null => "null".into(),
            Self::Bool(value) => value.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => mismatch::quoted(text),
            Self::Array(parts) => format!("an array of {}", wildcard::counted(parts.len())),
            Self::Each(lengths, _) => format!("an array{}", lengths.words("element")),
            Self::Object(_) => "an object".into(),
            Self::Wildcard(wildcard) => wildcard.words(),
        }
    }
}

impl Object {
    /// The place of a key among the keys of the example.
    fn find(&self, name: &str) -> Option<usize> {
        let keys = &self.keys;
        if keys.len() <= FEW_KEYS {
            return keys.iter().position(|key| key.name == name);
        }
        keys.binary_search_by(|key| key.name.as_str().cmp(name))
            .ok()
    }
}
