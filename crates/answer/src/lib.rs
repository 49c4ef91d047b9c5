//! Right answers that are no fixed bytes: a JSON example, HTML, a regular expression. Pure: bytes in, a fault in words out.
//! And the values in bodies that later requests send.
//!
//! Bodies come from servers that may be hostile: each is judged in memory and time that its length limits, and words
//! about it are short and printable.

#![forbid(unsafe_code)]

mod expression;
mod html;
mod json;
pub mod value;
mod words;

use regex::bytes::Regex;

use crate::html::Page;
use crate::json::Example;

/// Longest body that is judged, in bytes, and longest example.
pub const MOST_BYTES: usize = 1 << 20;

/// The content of a body that counts as right.
#[derive(Debug)]
pub struct Answer(Kind);

#[derive(Debug)]
enum Kind {
    Json(Example),
    Html(Page),
    Regex(Regex),
}

impl Answer {
    /// A body that is equal to this example as JSON, or like it where it has wildcards.
    ///
    /// # Errors
    /// The fault of the example, with its place.
    pub fn json(example: &str) -> Result<Self, String> {
        Example::new(example).map(|example| Self(Kind::Json(example)))
    }

    /// A body that is equal to this example as HTML: however tags, attributes and character references are written.
    ///
    /// # Errors
    /// The fault of the example.
    pub fn html(example: &str) -> Result<Self, String> {
        Page::new(example).map(|page| Self(Kind::Html(page)))
    }

    /// A body that this regular expression matches anywhere.
    ///
    /// # Errors
    /// The fault of the expression.
    pub fn regex(expression: &str) -> Result<Self, String> {
        expression::compile(expression).map(|expression| Self(Kind::Regex(expression)))
    }

    /// The fault of a body; `None`: it is right.
    pub fn fault(&self, body: &[u8]) -> Option<String> {
        match &self.0 {
            _ if body.len() > MOST_BYTES => Some(too_long()),
            Kind::Json(example) => example.fault(body),
            Kind::Html(page) => page.fault(body),
            Kind::Regex(expression) if expression.is_match(body) => None,
            Kind::Regex(_) => Some(words::beginning(body)),
        }
    }

    /// The answer in words, behind "that is not": `like the JSON example`.
    pub fn words(&self) -> String {
        match &self.0 {
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
