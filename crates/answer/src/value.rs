//! Values in bodies, which later requests send: behind a JSON pointer (RFC 6901), or in the first group of a regular
//! expression.

use std::fmt;

use regex::bytes::{CaptureLocations, Regex};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::expression;
use crate::words::short;

/// Most bytes of a body that a value is searched in.
pub const MOST_SEARCHED: usize = 256 << 10;
/// Most bytes of a value.
pub const LONGEST_VALUE: usize = 4096;
/// Most bytes of a pointer, and most of its steps: the parser goes down 128 levels at most.
const LONGEST_POINTER: usize = 1000;
const MOST_STEPS: usize = 100;
/// Most bytes of a body that its beginning is made of.
const LONGEST_BEGINNING: usize = 1000;
/// The shortest run of letters and digits that is masked.
const LEAST_MASKED: usize = 16;

/// The place of a value in bodies.
#[derive(Clone, Debug)]
pub struct ValuePlace(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// The pointer, and its steps.
    Json(String, Vec<String>),
    Regex(Regex, CaptureLocations),
}

impl ValuePlace {
    /// Behind this JSON pointer.
    ///
    /// # Errors
    /// The fault of the pointer.
    pub fn json(pointer: &str) -> Result<Self, String> {
        let steps = steps(pointer).ok_or_else(|| {
            format!(
                "`{}` is no JSON pointer: expected one such as `/access_token` or `/items/0/id`, \
                 in which `~1` stands for `/` and `~0` for `~`",
                short(pointer)
            )
        })?;
        if pointer.len() > LONGEST_POINTER || steps.len() > MOST_STEPS {
            return Err(format!(
                "a JSON pointer of {} bytes and {} steps: expected at most {LONGEST_POINTER} and {MOST_STEPS}",
                pointer.len(),
                steps.len()
            ));
        }
        Ok(Self(Kind::Json(pointer.into(), steps)))
    }

    /// In the first group of the first match of this regular expression.
    ///
    /// # Errors
    /// The fault of the expression.
    pub fn regex(expression: &str) -> Result<Self, String> {
        let compiled = expression::compile(expression)?;
        if compiled.captures_len() < 2 {
            return Err(
                "the regular expression has no group: expected one around the value, as in \
                 `name=\"csrf\" value=\"([^\"]+)\"`"
                    .into(),
            );
        }
        let room = compiled.capture_locations();
        Ok(Self(Kind::Regex(compiled, room)))
    }

    /// Replaces `value` by the one in a body, of which only the first [`MOST_SEARCHED`] bytes count.
    ///
    /// # Errors
    /// The reason why there is none, in short and printable words.
    pub fn find(&mut self, body: &[u8], value: &mut Vec<u8>) -> Result<(), String> {
        value.clear();
        let body = &body[..body.len().min(MOST_SEARCHED)];
        match &mut self.0 {
            Kind::Json(pointer, steps) => json(steps, body, value)
                .map_err(|fault| format!("no value at `{}`: {fault}", short(pointer)))?,
            Kind::Regex(expression, room) => {
                let found = expression.captures_read(room, body).is_some();
                let group = room.get(1).filter(|_| found);
                let (from, to) = group.ok_or_else(|| {
                    format!(
                        "no match of `{}`: {}",
                        short(expression.as_str()),
                        beginning(body)
                    )
                })?;
                keep(&body[from..to], value)?;
            }
        }
        Ok(())
    }
}

/// Replaces `value` by this one, if it can be sent in any place of a request.
///
/// # Errors
/// The reason why it cannot.
pub fn keep(found: &[u8], value: &mut Vec<u8>) -> Result<(), String> {
    if found.len() > LONGEST_VALUE {
        return Err(format!(
            "a value of {} bytes: expected at most {LONGEST_VALUE}",
            found.len()
        ));
    }
    if found.iter().any(u8::is_ascii_control) {
        return Err("a value with a control character, which no header may have".into());
    }
    value.clear();
    value.extend_from_slice(found);
    Ok(())
}

/// The first characters of a body in a sentence. Long runs of letters and digits are masked: they may be secrets.
pub fn beginning(body: &[u8]) -> String {
    if body.is_empty() {
        return "it is empty".into();
    }
    let text = String::from_utf8_lossy(&body[..body.len().min(LONGEST_BEGINNING)]);
    let mut shown = String::new();
    let mut rest = &*text;
    while let Some(first) = rest.chars().next() {
        let run = rest.find(|c| !is_of_token(c)).unwrap_or(rest.len());
        let taken = run.max(first.len_utf8());
        shown.push_str(if run >= LEAST_MASKED {
            "***"
        } else {
            &rest[..taken]
        });
        rest = &rest[taken..];
    }
    format!("it begins with \"{}\"", short(&shown))
}

/// True for the characters of tokens in Base64, in JSON Web Tokens and in UUIDs.
fn is_of_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+/=_-.~".contains(c)
}

/// The steps of a pointer; `None`: it is none.
fn steps(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let steps = pointer.strip_prefix('/')?.split('/');
    let read = |step: &str| {
        let escapes = step.matches("~0").count() + step.matches("~1").count();
        let sound = step.matches('~').count() == escapes;
        sound.then(|| step.replace("~1", "/").replace("~0", "~"))
    };
    steps.map(read).collect()
}

fn json(steps: &[String], body: &[u8], value: &mut Vec<u8>) -> Result<(), String> {
    let mut parser = serde_json::Deserializer::from_slice(body);
    let mut found = None;
    let at = At {
        steps,
        found: &mut found,
    };
    let parsed = at.deserialize(&mut parser).and_then(|()| parser.end());
    if body.len() == MOST_SEARCHED && parsed.is_err() {
        return Err(format!(
            "the body has more than {} KiB, the most that is searched",
            MOST_SEARCHED >> 10
        ));
    }
    parsed.map_err(|fault| match fault.to_string() {
        _ if body.is_empty() => beginning(body),
        words => format!("no JSON ({words}), {}", beginning(body)),
    })?;
    let text = found.ok_or_else(|| beginning(body))?.get();
    match text.as_bytes() {
        [b'"', inside @ .., b'"'] if !inside.contains(&b'\\') => keep(inside, value),
        [b'"', ..] => {
            let text: String = serde_json::from_str(text).map_err(|fault| fault.to_string())?;
            keep(text.as_bytes(), value)
        }
        [b'{', ..] => Err("an object is there: expected a text, a number, true or false".into()),
        [b'[', ..] => Err("an array is there: expected a text, a number, true or false".into()),
        b"null" => Err("null is there: expected a text, a number, true or false".into()),
        plain => keep(plain, value),
    }
}

/// Finds the value behind these steps, while everything else is parsed and forgotten.
struct At<'a, 'de> {
    steps: &'a [String],
    found: &'a mut Option<&'de RawValue>,
}

impl<'de> DeserializeSeed<'de> for At<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        if self.steps.is_empty() {
            *self.found = Some(serde::Deserialize::deserialize(parser)?);
            return Ok(());
        }
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for At<'_, 'de> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        let (step, rest) = (&self.steps[0], &self.steps[1..]);
        // RFC 6901 §4: an index has no leading zeros.
        let index: Option<usize> = step
            .parse()
            .ok()
            .filter(|index: &usize| index.to_string() == *step);
        for at in 0.. {
            let more = if Some(at) == index {
                let found = &mut *self.found;
                array.next_element_seed(At { steps: rest, found })?
            } else {
                array.next_element::<IgnoredAny>()?.map(|_| ())
            };
            if more.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let (step, rest) = (&self.steps[0], &self.steps[1..]);
        while let Some(is_step) = object.next_key_seed(Is(step))? {
            if is_step {
                // Of a key that comes twice, the last one counts.
                *self.found = None;
                let found = &mut *self.found;
                object.next_value_seed(At { steps: rest, found })?;
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// True for this key.
struct Is<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<bool, D::Error> {
        parser.deserialize_str(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<bool, E> {
        Ok(key == self.0)
    }
}
