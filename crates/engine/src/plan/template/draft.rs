//! Compiles requests with placeholders: a mark stands for each value while a request is encoded.

use crate::plan::cookies::CookiePlace;
use crate::plan::encode::{Parts, body};
use crate::plan::placeholders::draws::Draws;
use crate::plan::placeholders::escape::{JsonText, Place};
use crate::plan::placeholders::{Piece, Placeholder, Value, parse};
use crate::plan::template::sent::SentValue;
use crate::plan::template::{Slot, Template, What};
use crate::plan::{Body, Request};

/// The beginning of what stands for a value: U+10FFFF, which Unicode assigns to no character. The index of the value
/// follows in hexadecimal digits.
const MARK: &str = "\u{10ffff}";
const INDEX_DIGITS: usize = 8;
/// The end of a head.
const END: &[u8] = b"\r\n\r\n";

/// A request that is being compiled.
pub struct Draft<'a> {
    seed: u64,
    /// The names that placeholders may have besides the kinds.
    names: &'a [String],
    index: u32,
    /// The meaning of each mark, until it is found again.
    marked: Vec<Option<What>>,
    values: u32,
    /// The values of placeholders with names of their own.
    own: Vec<(String, SentValue)>,
}

impl<'a> Draft<'a> {
    /// Of the request with this index in its plan.
    pub fn new(seed: u64, names: &'a [String], index: u32) -> Self {
        Self {
            seed,
            names,
            index,
            marked: Vec::new(),
            values: 0,
            own: Vec::new(),
        }
    }

    /// The parts of a request with a mark in the place of each value.
    pub fn mark(&mut self, request: &Request) -> Result<Parts, Vec<String>> {
        let mut faults = Vec::new();
        if request.raw.is_some() {
            return Err(vec![
                "its bytes are sent as they are: expected no placeholders".into(),
            ]);
        }
        let mut keep = |part: &str, result: Result<String, Vec<String>>| {
            result.unwrap_or_else(|wrong| {
                faults.extend(wrong.into_iter().map(|fault| format!("{part}, {fault}")));
                String::new()
            })
        };
        let target = keep("path", self.text(&request.path, |_| Place::Url));
        let mut headers = Vec::new();
        for (name, value) in &request.headers {
            let part = format!("header `{name}`");
            let value = keep(&part, self.text(value, |_| Place::Header));
            headers.push((name.clone(), value));
        }
        let before = self.marked.len();
        let body = match &request.body {
            Some(Body::Text(text)) => keep("body", self.body(text, request)).into_bytes(),
            // It is sent as it is.
            _ => body(request).unwrap_or_else(|fault| {
                faults.push(fault);
                Vec::new()
            }),
        };
        let has = |name: &str| {
            headers
                .iter()
                .any(|(one, _)| one.eq_ignore_ascii_case(name))
        };
        if self.marked.len() > before && !has("Content-Length") && !has("Transfer-Encoding") {
            headers.push(("Content-Length".into(), mark_of(self.marked.len())));
            self.marked.push(Some(What::Length));
        }
        let parts = Parts {
            target,
            headers,
            body,
        };
        if faults.is_empty() {
            Ok(parts)
        } else {
            Err(faults)
        }
    }

    fn body(&mut self, text: &str, request: &Request) -> Result<String, Vec<String>> {
        let mut json = JsonText::default();
        match body_kind(request) {
            BodyKind::Json => self.text(text, |before| {
                json.read(before);
                json.place()
            }),
            BodyKind::Form => self.text(text, |_| Place::Url),
            BodyKind::Other => self.text(text, |_| Place::Plain),
        }
    }

    /// A text with marks. `place`: where a value is, behind so much more of the text.
    fn text(
        &mut self,
        text: &str,
        mut place: impl FnMut(&str) -> Place,
    ) -> Result<String, Vec<String>> {
        let mut marked = String::with_capacity(text.len());
        let mut faults = Vec::new();
        let mut before = String::new();
        for piece in parse(text, self.names)? {
            match piece {
                Piece::Text(text) if text.contains(MARK) => {
                    faults.push("U+10FFFF is no character: expected text".into());
                }
                Piece::Text(text) => {
                    marked.push_str(&text);
                    before = text;
                }
                Piece::Value(found) => {
                    let place = place(&std::mem::take(&mut before));
                    if place == Place::Json && !found.value.may_be_json() {
                        faults.push(format!(
                            "{}: `{}` is not a JSON value: expected it in double quotes",
                            found.at, found.text
                        ));
                    }
                    marked.push_str(&mark_of(self.marked.len()));
                    faults.extend(self.add(found, place));
                }
            }
        }
        if faults.is_empty() {
            Ok(marked)
        } else {
            Err(faults)
        }
    }

    /// Adds the value of a placeholder in a place. Returns the fault of its own name.
    fn add(&mut self, found: Placeholder, place: Place) -> Option<String> {
        let draws = Draws::new(self.seed, self.index, self.values);
        self.values += 1;
        let mut fault = None;
        if let Some(name) = found.name {
            if self.own.iter().any(|(other, _)| *other == name) {
                fault = Some(format!(
                    "{}: `{}`: another placeholder has the name `{name}`: expected one",
                    found.at, found.text
                ));
            }
            let value = match &found.value {
                Value::Made(kind) => SentValue::Made {
                    kind: kind.clone(),
                    draws,
                },
                Value::Named(name) => SentValue::Known(*name),
            };
            self.own.push((name, value));
        }
        self.marked.push(Some(match found.value {
            Value::Made(kind) => What::Value {
                kind: kind.escaped(place),
                draws,
                place,
            },
            Value::Named(name) => What::Named { name, place },
        }));
        fault
    }

    /// Divides an encoded request at its marks. `cookies`: those of its session are sent with it.
    pub fn compile(mut self, encoded: &[u8], cookies: bool) -> Template {
        let head = encoded.windows(END.len()).position(|bytes| bytes == END);
        let body = head.map_or(encoded.len(), |at| at + END.len());
        let mut slots = vec![(body, What::Body)];
        if cookies {
            let CookiePlace { at, extends } = CookiePlace::of(encoded);
            slots.push((at, What::Cookies { extends }));
        }
        Template {
            own: self.take_own(),
            ..self.divide(encoded, slots)
        }
    }

    /// Takes the values of placeholders with names of their own.
    pub fn take_own(&mut self) -> Vec<(String, SentValue)> {
        std::mem::take(&mut self.own)
    }

    /// Divides bytes at the marks in them, and at these places.
    pub fn divide(&mut self, bytes: &[u8], mut slots: Vec<(usize, What)>) -> Template {
        let mut at = 0;
        while let Some((from, what)) = self.next_mark(bytes, at) {
            slots.push((from, what));
            at = from + MARK.len() + INDEX_DIGITS;
        }
        // The beginning of the body comes before a value at its beginning.
        slots.sort_by_key(|slot| slot.0);
        let mut template = Template {
            fixed: Vec::with_capacity(bytes.len()),
            slots: Vec::with_capacity(slots.len()),
            own: Vec::new(),
        };
        let mut from = 0;
        for (at, what) in slots {
            template.fixed.extend_from_slice(&bytes[from..at]);
            from = at;
            if matches!(what, What::Value { .. } | What::Named { .. } | What::Length) {
                from += MARK.len() + INDEX_DIGITS;
            }
            template.slots.push(Slot {
                after: template.fixed.len(),
                what,
            });
        }
        template.fixed.extend_from_slice(&bytes[from..]);
        template
    }

    /// The next mark from `at` on, and its meaning.
    fn next_mark(&mut self, bytes: &[u8], at: usize) -> Option<(usize, What)> {
        let mark = MARK.as_bytes();
        let mut places = bytes.get(at..)?.windows(mark.len());
        let from = at + places.position(|bytes| bytes == mark)?;
        let digits = bytes.get(from + mark.len()..)?.get(..INDEX_DIGITS)?;
        let index = usize::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
        Some((from, self.marked.get_mut(index)?.take()?))
    }
}

/// The mark of the value with this index.
fn mark_of(index: usize) -> String {
    format!("{MARK}{index:0INDEX_DIGITS$x}")
}

/// The kind of a body, which says how values in it are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyKind {
    Json,
    Form,
    Other,
}

/// The kind of the body of a request, by its `Content-Type`.
fn body_kind(request: &Request) -> BodyKind {
    let mut headers = request.headers.iter();
    let given = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let media_type = given.map_or("", |(_, value)| value.as_str());
    let media_type = media_type.split(';').next().unwrap_or_default();
    let media_type = media_type.trim().to_ascii_lowercase();
    match media_type.as_str() {
        "application/x-www-form-urlencoded" => BodyKind::Form,
        json if json.ends_with("/json") || json.ends_with("+json") => BodyKind::Json,
        _ => BodyKind::Other,
    }
}
