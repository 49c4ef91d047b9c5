//! Placeholders in the path, the header values and the body of a request. Their grammar:
//!
//! ```text
//! {random:1:10000}  {sequence:1}  {zipf:1:10000:1.1}  {choice:a,b,c}  {uuid}  {now}  {now:ms}  {now:s}
//! {id=random:1:9}   a value with a name: the right answer may refer to it as {id}
//! {{name}}          the text {name}
//! ${name}           itself: in studies, a variable of the environment
//! ```
//! A placeholder is `{`, a letter, more letters, digits, `_` or `.`, and then `}`, or `:`, arguments and `}`; before it, a
//! name of its own and `=`. Arguments are on one line and have no braces. Any other brace is a brace: JSON needs nothing.

pub mod digits;
pub mod draws;
pub mod escape;
pub mod kind;
mod moment;
mod zipf;

use crate::plan::placeholders::kind::Kind;

/// Most placeholders of one text.
const MOST: usize = 1000;
/// Most faults of a text that are reported.
const MOST_FAULTS: usize = 10;
/// Most known names that a message lists.
const MOST_LISTED: usize = 20;
/// Most characters of a placeholder that a message repeats.
const SHOWN: usize = 60;

/// A part of a text with placeholders.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// It is sent as it is.
    Text(String),
    /// A value is sent in its place.
    Value(Placeholder),
}

/// A placeholder in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Placeholder {
    /// Its own name, which the right answer may refer to.
    pub name: Option<String>,
    pub value: Value,
    /// As it is written, braces included.
    pub text: String,
    pub at: Position,
}

/// The value of a placeholder.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// It is made from the number of the call.
    Made(Kind),
    /// It is looked up: the name with this index.
    Named(usize),
}

impl Value {
    /// False if it is never a JSON value.
    pub fn may_be_json(&self) -> bool {
        match self {
            Self::Made(kind) => kind.is_json(),
            Self::Named(_) => true,
        }
    }
}

/// A place in a text, for messages. Both count from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// `None`: the text has one line.
    pub line: Option<usize>,
    /// In characters.
    pub column: usize,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}, column {}", self.column),
            None => write!(f, "column {}", self.column),
        }
    }
}

/// Divides a text at its placeholders. No piece of text is followed by another. `names`: those that stand for values
/// besides the kinds.
///
/// # Errors
/// A message for each fault, which begins with its position.
pub fn parse(text: &str, names: &[String]) -> Result<Vec<Piece>, Vec<String>> {
    let mut pieces = Vec::new();
    let mut faults = Vec::new();
    let mut fixed = String::new();
    let mut at = 0;
    while let Some(brace) = text[at..].find('{').map(|found| at + found) {
        fixed.push_str(&text[at..brace]);
        let rest = &text[brace..];
        if let Some(inner) = rest.strip_prefix('{').and_then(braced)
            && rest[1 + inner.len()..].starts_with('}')
        {
            fixed.push_str(inner);
            at = brace + inner.len() + 2;
        } else if text[..brace].ends_with('$') {
            fixed.push('{');
            at = brace + 1;
        } else if let Some(written) = braced(rest) {
            let position = position(text, brace);
            match named(&written[1..written.len() - 1], names) {
                Ok((name, value)) => {
                    if !fixed.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut fixed)));
                    }
                    pieces.push(Piece::Value(Placeholder {
                        name,
                        value,
                        text: written.into(),
                        at: position,
                    }));
                }
                Err(fault) => faults.push(format!("{position}: `{}`: {fault}", shown(written))),
            }
            at = brace + written.len();
        } else if let Some(name) = Kind::begun(&rest[1..]) {
            let position = position(text, brace);
            faults.push(format!(
                "{position}: `{{{name}` is not closed: expected `}}` on the same line"
            ));
            at = brace + 1;
        } else {
            fixed.push('{');
            at = brace + 1;
        }
        if faults.len() >= MOST_FAULTS {
            break;
        }
    }
    fixed.push_str(&text[at..]);
    if !fixed.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(fixed));
    }
    let values = pieces.iter().filter(|p| matches!(p, Piece::Value(_)));
    let count = values.count();
    if count > MOST {
        faults.push(format!("{count} placeholders: expected at most {MOST}"));
    }
    if faults.is_empty() {
        Ok(pieces)
    } else {
        Err(faults)
    }
}

/// True if the text has placeholders, or braces that stand for the text of one.
///
/// # Errors
/// A message for each fault, which begins with its position.
pub fn found_in(text: &str, names: &[String]) -> Result<bool, Vec<String>> {
    if !text.contains('{') {
        return Ok(false);
    }
    let pieces = parse(text, names)?;
    Ok(!matches!(&pieces[..], [Piece::Text(same)] if same == text))
}

/// The names of their own that placeholders of a text have. A text with faults has none.
pub fn own_names(text: &str, names: &[String]) -> Vec<String> {
    let pieces = parse(text, names).unwrap_or_default();
    let own = pieces.into_iter().filter_map(|piece| match piece {
        Piece::Value(placeholder) => placeholder.name,
        Piece::Text(_) => None,
    });
    own.collect()
}

/// A text that [`parse`] reads as this text: what would be a placeholder has doubled braces.
pub fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(brace) = text[at..].find('{').map(|found| at + found) {
        out.push_str(&text[at..brace]);
        let written = braced(&text[brace..]).filter(|_| !text[..brace].ends_with('$'));
        if let Some(written) = written {
            out.push('{');
            out.push_str(written);
        }
        out.push(if written.is_some() { '}' } else { '{' });
        at = brace + written.map_or(1, str::len);
    }
    out.push_str(&text[at..]);
    out
}

/// Reads what is between the braces of a placeholder: its own name, and its value.
fn named(written: &str, names: &[String]) -> Result<(Option<String>, Value), String> {
    let parts = written.split_once('=');
    let Some((name, of)) = parts.filter(|(name, _)| !name.contains(':')) else {
        return Ok((None, value(written, names)?));
    };
    if Kind::parse(name, None).is_some() || names.iter().any(|known| known == name) {
        return Err(format!(
            "`{name}` is a placeholder: expected another name before `=`"
        ));
    }
    if name.contains('.') {
        return Err(format!(
            "`{name}`: expected a name of letters, digits and `_` before `=`"
        ));
    }
    let value = value(of, names)?;
    if matches!(value, Value::Made(Kind::Now(_))) {
        return Err("the time of sending is not kept, so it has no name: expected `{now}`".into());
    }
    Ok((Some(name.into()), value))
}

/// Reads the value of a placeholder.
fn value(written: &str, names: &[String]) -> Result<Value, String> {
    let (name, arguments) = match written.split_once(':') {
        Some((name, arguments)) => (name, Some(arguments)),
        None => (written, None),
    };
    if let Some(kind) = Kind::parse(name, arguments) {
        return kind.map(Value::Made);
    }
    match names.iter().position(|known| known == name) {
        Some(_) if arguments.is_some() => Err("expected no argument".into()),
        Some(index) => Ok(Value::Named(index)),
        None => Err(format!(
            "`{name}` is no placeholder: expected `{{random:LOW:HIGH}}`, `{{sequence:START}}`, \
             `{{zipf:LOW:HIGH:EXPONENT}}`, `{{choice:A,B,…}}`, `{{uuid}}` or `{{now}}`{}; write `{{{{{written}}}}}` for the text itself",
            listed(names)
        )),
    }
}

/// The known names, for a message.
fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let first: Vec<_> = names.iter().take(MOST_LISTED).collect();
    let shown: Vec<_> = first.iter().map(|name| format!("`{{{name}}}`")).collect();
    let more = match names.len() - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(", or a known name: {}{more}", shown.join(", "))
}

/// The braces at the start of a text that have the form of a placeholder, with everything between them.
fn braced(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('{')?;
    let mut length = name_length(inner)?;
    if inner[length..].starts_with('=') {
        length += 1 + name_length(&inner[length + 1..])?;
    }
    let behind = &inner[length..];
    let arguments = if behind.starts_with(':') {
        behind.find(['{', '}', '\n', '\r'])?
    } else {
        0
    };
    let closed = behind[arguments..].starts_with('}');
    closed.then(|| &text[..length + arguments + 2])
}

/// The length of the name at the start of a text.
fn name_length(text: &str) -> Option<usize> {
    let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let length = text.find(|c| !of_name(c))?;
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        .then_some(length)
}

fn position(text: &str, at: usize) -> Position {
    let before = &text[..at];
    let line = before.rsplit('\n').next().unwrap_or_default();
    Position {
        line: text
            .trim_end()
            .contains('\n')
            .then(|| before.matches('\n').count() + 1),
        column: line.chars().count() + 1,
    }
}

/// The beginning of a placeholder, for a message.
fn shown(written: &str) -> String {
    match written.char_indices().nth(SHOWN) {
        None => written.into(),
        Some((end, _)) => format!("{}…", &written[..end]),
    }
}

#[cfg(test)]
mod tests;
