//! Examples, compiled once.

use serde_json::{Map, Value};

use crate::MOST_BYTES;
use crate::json::mismatch::Mismatch;
use crate::json::number::Number;
use crate::json::wildcard::{Kind, Lengths, Wildcard, wrong_range};
use crate::json::{Example, Key, Object, Others};
use crate::sent::{Names, SentText};
use crate::words::short;

/// Most regular expressions of an example: each has memory of its own.
const MOST_EXPRESSIONS: usize = 100;

/// Compiles an example.
///
/// # Errors
/// Its fault, with its place.
pub fn compile(text: &str, names: &mut Names) -> Result<Example, String> {
    if text.len() > MOST_BYTES {
        return Err("the example has more than 1 MiB (1,048,576 bytes)".into());
    }
    let value: Value =
        serde_json::from_str(text).map_err(|fault| format!("the example is no JSON: {fault}"))?;
    let mut compiler = Compiler {
        names,
        expressions: 0,
    };
    let example = compiler.example(value);
    example.map_err(|fault| format!("in the example, {}", fault.words()))
}

/// Compiles the values of an example.
struct Compiler<'a, 'n> {
    /// The names of values that are sent.
    names: &'a mut Names<'n>,
    /// Regular expressions so far.
    expressions: usize,
}

impl Compiler<'_, '_> {
    fn example(&mut self, value: Value) -> Result<Example, Mismatch> {
        Ok(match value {
            Value::Null => Example::Null,
            Value::Bool(value) => Example::Bool(value),
            Value::Number(number) => Example::Number(Number::of(&number)),
            Value::String(text) => self.string(&text)?,
            Value::Array(parts) => self.array(parts)?,
            Value::Object(keys) => Example::Object(self.object(keys)?),
        })
    }

    fn string(&mut self, text: &str) -> Result<Example, Mismatch> {
        let wildcard = inside(text).filter(|inside| !self.names.has(inside));
        let Some(inside) = wildcard else {
            let sent = SentText::new(text, self.names, literal)?.filter(SentText::has_values);
            return match sent {
                Some(sent) => Ok(Example::Sent(sent)),
                None => literal(text).map(Example::Text),
            };
        };
        if inside == "each" || inside.starts_with("each:") {
            let words = "`{each}` is the first of two elements: `[\"{each}\", EXAMPLE]`";
            return Err(Mismatch::of(words.into()));
        }
        let wildcard = Wildcard::new(inside, self.names.known()).map_err(Mismatch::of)?;
        self.expressions += usize::from(matches!(wildcard.kind, Kind::Matching(_)));
        if self.expressions > MOST_EXPRESSIONS {
            let words = format!("expected at most {MOST_EXPRESSIONS} regular expressions");
            return Err(Mismatch::of(words));
        }
        Ok(Example::Wildcard(wildcard))
    }

    fn array(&mut self, parts: Vec<Value>) -> Result<Example, Mismatch> {
        if let [Value::String(first), _] = &parts[..]
            && let Some(range) = inside(first).and_then(|inside| inside.strip_prefix("each"))
        {
            let fault = || at("0", Mismatch::of(wrong_range("each", range)));
            let lengths = Lengths::new(range).ok_or_else(fault)?;
            let each = parts.into_iter().next_back().unwrap_or_default();
            let each = self.example(each).map_err(|fault| at("1", fault))?;
            return Ok(Example::Each(lengths, each.into()));
        }
        let parts = parts.into_iter().enumerate();
        let compiled = parts.map(|(index, part)| {
            let part = self.example(part);
            part.map_err(|fault| at(&index.to_string(), fault))
        });
        compiled.collect::<Result<_, _>>().map(Example::Array)
    }

    fn object(&mut self, table: Map<String, Value>) -> Result<Object, Mismatch> {
        let mut others = Others::Wrong;
        let mut keys: Vec<Key> = Vec::new();
        for (name, value) in table {
            let value = self.example(value).map_err(|fault| at(&name, fault))?;
            let (name, optional) = match inside(&name) {
                Some("others") => {
                    others = others_like(value);
                    continue;
                }
                Some(inside) => match inside.strip_prefix("optional:") {
                    Some(name) if !name.is_empty() => (name.to_owned(), true),
                    _ => return Err(unknown_key(&name)),
                },
                None => (literal(&name)?, false),
            };
            keys.push(Key {
                name,
                optional,
                value,
            });
        }
        keys.sort_by(|one, other| one.name.cmp(&other.name));
        if let Some(pair) = keys.windows(2).find(|pair| pair[0].name == pair[1].name) {
            let name = short(&pair[0].name);
            return Err(Mismatch::of(format!("the key `{name}` is there twice")));
        }
        Ok(Object { keys, others })
    }
}

fn others_like(value: Example) -> Others {
    match value {
        Example::Wildcard(Wildcard {
            kind: Kind::Any, ..
        }) => Others::Any,
        value => Others::Like(value.into()),
    }
}

fn unknown_key(name: &str) -> Mismatch {
    let name = short(name);
    Mismatch::of(format!(
        "the key `{name}` is no wildcard: expected {{others}} or {{optional:NAME}}; the text itself is written \
         `{{{name}}}`"
    ))
}

fn at(step: &str, mut fault: Mismatch) -> Mismatch {
    fault.inside(step);
    fault
}

/// The inside of a text that is a wildcard as a whole: braces around something that begins with a letter.
fn inside(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('{')?.strip_suffix('}')?;
    let named = inside.starts_with(|first: char| first.is_ascii_alphabetic());
    // `{a} and {b}` is not one wildcard; the expression of `{regex:…}` may have braces.
    let whole = inside.contains("regex:") || !inside.contains(['{', '}']);
    (named && whole).then_some(inside)
}

/// A text without wildcards: `{{name}}` is `{name}`, and other braces are themselves.
fn literal(text: &str) -> Result<String, Mismatch> {
    let mut literal = String::new();
    let mut rest = text;
    while let Some(brace) = rest.find('{') {
        literal.push_str(&rest[..brace]);
        rest = &rest[brace..];
        let taken = match name(rest) {
            Some((written, length)) => {
                literal.push_str(written);
                length
            }
            None if inner(rest, 1).is_some() => {
                let words = format!(
                    "`{}` has a wildcard inside: expected one that is the whole string; a brace before a name is \
                     written `{{{{name}}}}`, and `{{regex:…}}` describes parts of a string",
                    short(text)
                );
                return Err(Mismatch::of(words));
            }
            None => {
                literal.push('{');
                1
            }
        };
        rest = &rest[taken..];
    }
    literal.push_str(rest);
    Ok(literal)
}

/// `{{name}}` at the start of a text: `{name}`, and the length of what was written.
fn name(text: &str) -> Option<(&str, usize)> {
    let end = text.starts_with("{{").then(|| inner(text, 2)).flatten()?;
    text[end..]
        .starts_with("}}")
        .then(|| (&text[1..=end], end + 2))
}

/// The place of the brace behind a name (with arguments, perhaps) that begins there.
fn inner(text: &str, start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    let named = rest.starts_with(|first: char| first.is_ascii_alphabetic());
    let end = rest.find(['{', '}']).filter(|_| named)?;
    let of_name = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '.';
    let name = rest[..end].split(':').next().unwrap_or_default();
    (rest[end..].starts_with('}') && name.chars().all(of_name)).then_some(start + end)
}
