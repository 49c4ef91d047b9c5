//! Placeholders in the path, the header values and the body of a request. Their grammar:
//!
//! ```text
//! {random:1:10000}  {sequence:1}  {zipf:1:10000:1.1}  {choice:a,b,c}  {uuid}  {now}  {now:ms}  {now:s}
//! {{name}}          the text {name}
//! ${name}           itself: in studies, a variable of the environment
//! ```
//! A placeholder is `{`, a letter, more letters, digits, `_` or `.`, and then `}`, or `:`, arguments and `}`. Arguments
//! are on one line and have no braces. Any other brace is a brace: JSON needs nothing.

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
            match value(&written[1..written.len() - 1], names) {
                Ok(value) => {
                    if !fixed.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut fixed)));
                    }
                    pieces.push(Piece::Value(Placeholder {
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

/// Reads what is between the braces of a placeholder.
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
    let length = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))?;
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The pieces of a text, those of placeholders in angle brackets; or its faults.
    fn pieces(text: &str) -> Vec<String> {
        match parse(text, &[]) {
            Ok(pieces) => pieces
                .into_iter()
                .map(|piece| match piece {
                    Piece::Text(text) => text,
                    Piece::Value(value) => format!("<{}>", value.text),
                })
                .collect(),
            Err(faults) => faults,
        }
    }

    #[test]
    fn a_text_is_divided_at_its_placeholders() {
        assert_eq!(
            pieces("/items/{random:1:9}?n={sequence:1}"),
            ["/items/", "<{random:1:9}>", "?n=", "<{sequence:1}>"]
        );
        assert_eq!(pieces("{uuid}{now}"), ["<{uuid}>", "<{now}>"]);
        assert_eq!(pieces(""), [""]);
    }

    #[test]
    fn braces_that_are_no_placeholder_are_braces() {
        for text in [
            r#"{"a":{"b":[{}]},"c":{}}"#,
            "{ uuid }",
            "{1}",
            "{_a}",
            "{}",
            "{a b}",
            "a { b } }",
            "{é}",
            "{name",
            "{a:{",
            "{a:\n}",
            "${uuid} ${any:1}",
        ] {
            assert_eq!(pieces(text), [text]);
            assert_eq!(found_in(text, &[]), Ok(false), "{text}");
        }
    }

    #[test]
    fn doubled_braces_stand_for_the_text_of_a_placeholder() {
        assert_eq!(pieces("{{uuid}} {{any.name:1}}"), ["{uuid} {any.name:1}"]);
        assert_eq!(pieces("{{{uuid}}} ${{uuid}}"), ["{{uuid}} ${uuid}"]);
        assert_eq!(pieces("{{uuid}"), ["{", "<{uuid}>"]);
        assert_eq!(pieces("{uuid}}"), ["<{uuid}>", "}"]);
        assert_eq!(found_in("{{uuid}}", &[]), Ok(true));
    }

    #[test]
    fn faults_have_their_place_and_are_reported_together() {
        assert_eq!(
            pieces("/{id}/é{random:2:1}"),
            [
                "column 2: `{id}`: `id` is no placeholder: expected `{random:LOW:HIGH}`, `{sequence:START}`, `{zipf:LOW:HIGH:EXPONENT}`, `{choice:A,B,…}`, `{uuid}` or `{now}`; write `{{id}}` for the text itself",
                "column 8: `{random:2:1}`: expected LOW up to HIGH, as in `{random:1:10000}`",
            ]
        );
        assert_eq!(
            pieces("{\n  \"a\": {uuid:4}\n}"),
            ["line 2, column 8: `{uuid:4}`: expected no argument"]
        );
        assert_eq!(
            pieces("/{random:1:10"),
            ["column 2: `{random` is not closed: expected `}` on the same line"]
        );
        assert_eq!(pieces(&"{x}".repeat(50)).len(), MOST_FAULTS);
        let many = "{uuid}".repeat(MOST + 1);
        assert_eq!(
            pieces(&many),
            ["1001 placeholders: expected at most 1000".to_owned()]
        );
    }

    #[test]
    fn known_names_are_placeholders_without_arguments_and_are_listed_for_one_that_is_unknown() {
        let names: Vec<String> = (0..25).map(|number| format!("users.{number}")).collect();
        let pieces = parse("/{users.7}{uuid}", &names).unwrap();
        let [Piece::Text(_), Piece::Value(looked_up), Piece::Value(made)] = &pieces[..] else {
            panic!("{pieces:?}");
        };
        assert_eq!(
            (&looked_up.value, &made.value),
            (&Value::Named(7), &Value::Made(Kind::Uuid))
        );
        let faults = parse("{users.7:1} {users.email}", &names).unwrap_err();
        assert_eq!(faults[0], "column 1: `{users.7:1}`: expected no argument");
        let known = "or a known name: `{users.0}`, `{users.1}`";
        assert!(
            faults[1].starts_with("column 13: `{users.email}`: `users.email` is no placeholder")
        );
        assert!(faults[1].contains(known) && faults[1].contains("`{users.19}` and 5 more; write"));
        assert_eq!(found_in("{users.3}", &names), Ok(true));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic_and_nothing_of_it_is_lost(
            text in r#"([{}:,."a-z0-9é\n]|\{uuid\}|\{random:1:9\}|\{\{now\}\}){0,40}"#,
        ) {
            if let Ok(pieces) = parse(&text, &[]) {
                let again: String = pieces
                    .iter()
                    .map(|piece| match piece {
                        Piece::Text(text) => text.clone(),
                        Piece::Value(value) => value.text.clone(),
                    })
                    .collect();
                // Only braces that are doubled are gone.
                let gone = text.len() - again.len();
                prop_assert_eq!(gone % 2, 0);
                let escaped = text.matches("{{").count().min(text.matches("}}").count());
                prop_assert!(gone / 2 <= escaped);
            }
        }

        #[test]
        fn a_literal_text_is_sent_as_it_is(text in r"([{}:a1$]|\{uuid\}|\{now\}){0,20}") {
            prop_assert_eq!(parse(&literal(&text), &[]), Ok(vec![Piece::Text(text)]));
        }

        #[test]
        fn the_text_of_each_placeholder_is_a_placeholder(low in any::<i64>(), more in any::<u64>()) {
            let high = low.saturating_add_unsigned(more);
            let text = format!("{{random:{low}:{high}}}");
            prop_assert_eq!(pieces(&text), vec![format!("<{text}>")]);
            prop_assert_eq!(pieces(&format!("{{{text}}}")), vec![text]);
        }
    }
}
