//! Wildcards: values of a kind, such as `{int:1:10000}`.

use std::str::FromStr;

use regex::bytes::Regex;

use crate::expression;
use crate::sent::Name;
use crate::words::short;

/// Most names that a message lists.
const MOST_LISTED: usize = 20;

/// Any value of a kind.
#[derive(Debug)]
pub struct Wildcard {
    pub kind: Kind,
    /// Null is right, too.
    pub nullable: bool,
}

/// The kind of a value.
#[derive(Debug)]
pub enum Kind {
    Any,
    Bool,
    /// A whole number from the first to the last.
    Int(Range<i128>),
    Number(Range<f64>),
    /// With so many characters.
    Text(Lengths),
    Matching(Regex),
    Array(Lengths),
    Object,
}

/// The values from the first to the last; `None`: no bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range<T>(pub Option<T>, pub Option<T>);

/// Numbers of characters or elements.
pub type Lengths = Range<usize>;

impl<T: PartialOrd + Copy + FromStr + std::fmt::Display> Range<T> {
    /// The range behind a name: nothing for all, `:1:10`, `:1:` or `::10`.
    pub fn new(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(None, None));
        }
        let (first, last) = text.strip_prefix(':')?.split_once(':')?;
        let bound = |text: &str| match text {
            "" => Some(None),
            text => text.parse().ok().map(Some),
        };
        let range = Self(bound(first)?, bound(last)?);
        let ordered = match range {
            Self(Some(first), Some(last)) => first <= last,
            Self(first, last) => first.is_some() || last.is_some(),
        };
        ordered.then_some(range)
    }

    /// True if the value is neither below the first nor above the last.
    pub fn contains(&self, value: T) -> bool {
        self.0.is_none_or(|first| value >= first) && self.1.is_none_or(|last| value <= last)
    }

    /// ` from 1 to 10`, behind the kind of a value.
    fn bounds(&self) -> String {
        match self {
            Self(None, None) => String::new(),
            Self(Some(first), None) => format!(" from {first} on"),
            Self(None, Some(last)) => format!(" up to {last}"),
            Self(Some(first), Some(last)) => format!(" from {first} to {last}"),
        }
    }
}

impl Lengths {
    /// ` of 1 to 10 elements`, behind the kind of a value.
    pub fn words(&self, unit: &str) -> String {
        match self {
            Self(None, None) => String::new(),
            Self(Some(least), None) => format!(" of {least} {unit}s or more"),
            Self(None, Some(most)) => format!(" of at most {most} {unit}s"),
            Self(Some(least), Some(most)) if least == most => format!(" of {least} {unit}s"),
            Self(Some(least), Some(most)) => format!(" of {least} to {most} {unit}s"),
        }
    }
}

impl Wildcard {
    /// Reads the inside of the braces: `int`, `int:1:10000`, `null or string`. `names`: what may stand there besides
    /// wildcards.
    ///
    /// # Errors
    /// A message: it is none.
    pub fn new(inside: &str, names: &[Name]) -> Result<Self, String> {
        let (nullable, inside) = match inside.strip_prefix("null or ") {
            Some(rest) => (true, rest),
            None => (false, inside),
        };
        let (name, range) = inside.split_at(inside.find(':').unwrap_or(inside.len()));
        let kind = match name {
            "any" if range.is_empty() => Some(Kind::Any),
            "bool" if range.is_empty() => Some(Kind::Bool),
            "object" if range.is_empty() => Some(Kind::Object),
            "int" => Range::new(range).map(Kind::Int),
            "number" => Range::new(range).map(Kind::Number),
            "string" => Range::new(range).map(Kind::Text),
            "array" => Range::new(range).map(Kind::Array),
            "regex" if range.len() > 1 => Some(Kind::Matching(expression::compile(&range[1..])?)),
            _ => return Err(unknown(inside, names)),
        };
        let kind = kind.ok_or_else(|| wrong_range(name, range))?;
        Ok(Self { kind, nullable })
    }

    /// The wildcard in words, for a message.
    pub fn words(&self) -> String {
        let value = match &self.kind {
            Kind::Any => "any value".into(),
            Kind::Bool => "true or false".into(),
            Kind::Int(range) => format!("a whole number{}", range.bounds()),
            Kind::Number(range) => format!("a number{}", range.bounds()),
            Kind::Text(lengths) => format!("a string{}", lengths.words("character")),
            Kind::Matching(expression) => {
                format!("a string that matches `{}`", short(expression.as_str()))
            }
            Kind::Array(lengths) => format!("an array{}", lengths.words("element")),
            Kind::Object => "an object".into(),
        };
        if self.nullable {
            format!("null or {value}")
        } else {
            value
        }
    }
}

/// `1 element`, `3 elements`.
pub fn counted(elements: usize) -> String {
    let plural = if elements == 1 { "" } else { "s" };
    format!("{elements} element{plural}")
}

fn unknown(inside: &str, names: &[Name]) -> String {
    let inside = short(inside);
    format!(
        "`{{{inside}}}` is no wildcard: expected {{int}}, {{number}}, {{string}}, {{regex:…}}, {{bool}}, {{array}}, \
         {{object}} or {{any}}{}; the text itself is written `{{{{{inside}}}}}`",
        listed(names)
    )
}

/// The names of values that are sent, for a message.
fn listed(names: &[Name]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let shown = names.iter().take(MOST_LISTED);
    let shown: Vec<_> = shown
        .map(|name| format!("{{{}}}", short(name.text)))
        .collect();
    let more = match names.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(", or a value that is sent: {}{more}", shown.join(", "))
}

/// The fault of a range such as `:10:1`.
pub fn wrong_range(name: &str, range: &str) -> String {
    let range = short(range);
    format!(
        "`{{{name}{range}}}`: expected `{{{name}}}`, or from the least to the most: `{{{name}:1:10}}`"
    )
}
