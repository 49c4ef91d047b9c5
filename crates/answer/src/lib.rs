//! Right answers that are no fixed bytes: a JSON example, HTML, a regular expression. Pure: bytes in, a fault in words out.
//! And the values in bodies that later requests send.
//!
//! Bodies come from servers that may be hostile: each is judged in memory and time that its length limits, and words
//! about it are short and printable.

#![forbid(unsafe_code)]

mod expression;
mod html;
mod json;
mod sent;
pub mod value;
mod words;

use regex::bytes::Regex;

use crate::html::Page;
use crate::json::Example;
pub use crate::sent::Name;
use crate::sent::Names;

/// Longest body that is judged, in bytes, and longest example.
pub const MOST_BYTES: usize = 1 << 20;

/// The content of a body that counts as right.
#[derive(Debug)]
pub struct Answer {
    kind: Kind,
    /// The indices of the names whose values it has.
    names: Vec<usize>,
}

#[derive(Debug)]
enum Kind {
    Json(Example),
    Html(Page),
    Regex(Regex),
}

impl Answer {
    /// A body that is equal to this example as JSON, or like it where it has wildcards. `names`: those of the values
    /// that a request sends, for which they stand in braces.
    ///
    /// # Errors
    /// The fault of the example, with its place.
    pub fn json(example: &str, names: &[Name]) -> Result<Self, String> {
        let mut names = Names::new(names);
        let kind = Kind::Json(Example::new(example, &mut names)?);
        let names = names.into_used();
        Ok(Self { kind, names })
    }

    /// A body that is equal to this example as HTML: however tags, attributes and character references are written.
    /// `names`: as in [`Answer::json`], in texts and in the values of attributes.
    ///
    /// # Errors
    /// The fault of the example.
    pub fn html(example: &str, names: &[Name]) -> Result<Self, String> {
        let mut names = Names::new(names);
        let kind = Kind::Html(Page::new(example, &mut names)?);
        let names = names.into_used();
        Ok(Self { kind, names })
    }

    /// A body that this regular expression matches anywhere.
    ///
    /// # Errors
    /// The fault of the expression.
    pub fn regex(expression: &str) -> Result<Self, String> {
        let kind = Kind::Regex(expression::compile(expression)?);
        let names = Vec::new();
        Ok(Self { kind, names })
    }

    /// The indices of the names that the answer has.
    pub fn names(&self) -> &[usize] {
        &self.names
    }

    /// The fault of a body; `None`: it is right. `values`: those of [`Answer::names`], as they were sent.
    pub fn fault(&self, body: &[u8], values: &[String]) -> Option<String> {
        match &self.kind {
            _ if body.len() > MOST_BYTES => Some(too_long()),
            Kind::Json(example) => example.fault(body, values),
            Kind::Html(page) => page.fault(body, values),
            Kind::Regex(expression) if expression.is_match(body) => None,
            Kind::Regex(_) => Some(words::beginning(body)),
        }
    }

    /// The answer in words, behind "that is not": `like the JSON example`.
    pub fn words(&self) -> String {
        match &self.kind {
            Kind::Json(_) => "like the JSON example".into(),
            Kind::Html(_) => "equal to the HTML example".into(),
            Kind::Regex(expression) => format!(
                "matched by the regular expression `{}`",
                words::short(expression.as_str())
            ),
        }
    }
}

/// The fault of a body that is longer than [`MOST_BYTES`].
pub fn too_long() -> String {
    "it has more than 1 MiB (1,048,576 bytes), the most that is judged".into()
}
