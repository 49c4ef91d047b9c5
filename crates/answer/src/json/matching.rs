//! Bodies beside an example, as they are parsed: nothing of a body is kept. The parser limits the depth.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::json::mismatch::{Mismatch, quoted};
use crate::json::number::Number;
use crate::json::wildcard::{Kind, Range, Wildcard, counted};
use crate::json::{Example, Object, Others};
use crate::words::{beginning, short};

static ANY: Example = Example::Wildcard(Wildcard {
    kind: Kind::Any,
    nullable: false,
});

static ANY_OBJECT: Object = Object {
    keys: Vec::new(),
    others: Others::Any,
};

/// The fault of a body; `None`: it is like the example.
pub fn fault(example: &Example, body: &[u8], values: &[String]) -> Option<String> {
    let mut parser = serde_json::Deserializer::from_slice(body);
    let mut state = State {
        values,
        mismatch: None,
        seen: Vec::new(),
    };
    let value = Value {
        example,
        state: &mut state,
    };
    let parsed = value.deserialize(&mut parser).and_then(|()| parser.end());
    let fault = parsed.err()?;
    if let Some(mismatch) = state.mismatch {
        return Some(mismatch.words());
    }
    let words = fault.to_string();
    if words.starts_with("recursion limit exceeded") {
        return Some("it is nested too deep (more than 127 levels)".into());
    }
    Some(format!("no JSON ({words}), {}", beginning(body)))
}

/// The state of a parse.
struct State<'v> {
    /// The values that the example has.
    values: &'v [String],
    mismatch: Option<Mismatch>,
    /// The keys of the objects around the current value, each true if it has come.
    seen: Vec<bool>,
}

/// A value that is compared as it is parsed.
struct Value<'a, 'v> {
    example: &'a Example,
    state: &'a mut State<'v>,
}

impl Value<'_, '_> {
    fn differs<E: Error>(&mut self, mismatch: Mismatch) -> E {
        self.state.mismatch = Some(mismatch);
        E::custom("unlike the example")
    }

    /// Compares a value; `found` shows it in a message.
    fn check<E: Error>(mut self, right: bool, found: impl FnOnce() -> String) -> Result<(), E> {
        if right {
            return Ok(());
        }
        let mismatch = Mismatch::new(&self.example.words(self.state.values), &found());
        Err(self.differs(mismatch))
    }

    /// True if the example is a value that was sent, which is right.
    fn sent(&self, is_right: impl Fn(&str) -> bool) -> bool {
        match self.example {
            Example::Sent(text) if text.is_value() => is_right(&text.with(self.state.values)),
            _ => false,
        }
    }

    fn number<E: Error>(self, found: Number) -> Result<(), E> {
        let right = match self.example {
            Example::Number(number) => *number == found,
            Example::Sent(_) => self.sent(|value| Number::parse(value) == Some(found)),
            Example::Wildcard(wildcard) => match &wildcard.kind {
                Kind::Any => true,
                Kind::Int(range) => match found {
                    Number::Whole(value) => range.contains(value),
                    Number::Fraction(_) => false,
                },
                Kind::Number(range) => range.contains(found.as_f64()),
                _ => false,
            },
            _ => false,
        };
        self.check(right, || found.to_string())
    }

    /// Compares the part of the value behind this step.
    fn inside<E>(&mut self, result: Result<(), E>, step: impl FnOnce() -> String) -> Result<(), E> {
        if let (Err(_), Some(mismatch)) = (&result, &mut self.state.mismatch) {
            mismatch.inside(&step());
        }
        result
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, '_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(&self.example.words(self.state.values))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        let right = match self.example {
            Example::Null => true,
            Example::Sent(_) => self.sent(|value| value == "null"),
            Example::Wildcard(wildcard) => wildcard.nullable || matches!(wildcard.kind, Kind::Any),
            _ => false,
        };
        self.check(right, || "null".into())
    }

    fn visit_bool<E: Error>(self, found: bool) -> Result<(), E> {
        let right = match self.example {
            Example::Bool(value) => *value == found,
            Example::Sent(_) => self.sent(|value| value == found.to_string()),
            Example::Wildcard(wildcard) => matches!(wildcard.kind, Kind::Any | Kind::Bool),
            _ => false,
        };
        self.check(right, || found.to_string())
    }

    fn visit_i64<E: Error>(self, found: i64) -> Result<(), E> {
        self.number(Number::Whole(found.into()))
    }

    fn visit_u64<E: Error>(self, found: u64) -> Result<(), E> {
        self.number(Number::Whole(found.into()))
    }

    fn visit_f64<E: Error>(self, found: f64) -> Result<(), E> {
        self.number(found.into())
    }

    fn visit_str<E: Error>(self, found: &str) -> Result<(), E> {
        let right = match self.example {
            Example::Text(text) => text == found,
            Example::Sent(text) => text.with(self.state.values) == found,
            Example::Wildcard(wildcard) => match &wildcard.kind {
                Kind::Any | Kind::Text(Range(None, None)) => true,
                Kind::Text(lengths) => lengths.contains(found.chars().count()),
                Kind::Matching(expression) => expression.is_match(found.as_bytes()),
                _ => false,
            },
            _ => false,
        };
        self.check(right, || quoted(found))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> Result<(), A::Error> {
        let given = self.example;
        let (all, lengths) = match given {
            Example::Array(parts) => (None, Range(Some(parts.len()), Some(parts.len()))),
            Example::Each(lengths, each) => (Some(&**each), *lengths),
            Example::Wildcard(wildcard) => match wildcard.kind {
                Kind::Any => (Some(&ANY), Range(None, None)),
                Kind::Array(lengths) => (Some(&ANY), lengths),
                _ => return self.check(false, || "an array".into()),
            },
            _ => return self.check(false, || "an array".into()),
        };
        let mut length = 0;
        loop {
            let example = match (all, given) {
                (Some(each), _) => each,
                (None, Example::Array(parts)) => parts.get(length).unwrap_or(&ANY),
                _ => &ANY,
            };
            let state = &mut *self.state;
            let next = array.next_element_seed(Value { example, state });
            let ended = matches!(next, Ok(None));
            self.inside(next.map(|_| ()), || length.to_string())?;
            if ended {
                break;
            }
            length += 1;
        }
        self.check(lengths.contains(length), || counted(length))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        match self.example {
            Example::Object(object) => self.keys(object, map),
            Example::Wildcard(Wildcard {
                kind: Kind::Any | Kind::Object,
                ..
            }) => self.keys(&ANY_OBJECT, map),
            _ => self.check(false, || "an object".into()),
        }
    }
}

/// A key of an object.
enum Found {
    Known(usize),
    /// Its name is kept only for a message.
    Other(String),
}

/// Finds the key of an object in its example.
struct Name<'a>(&'a Object);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Found, D::Error> {
        parser.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Found;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a key")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Found, E> {
        Ok(match self.0.find(name) {
            Some(at) => Found::Known(at),
            None if matches!(self.0.others, Others::Any) => Found::Other(String::new()),
            None => Found::Other(short(name)),
        })
    }
}

impl Value<'_, '_> {
    /// Compares the keys of an object.
    fn keys<'de, A: MapAccess<'de>>(mut self, object: &Object, mut map: A) -> Result<(), A::Error> {
        let first = self.state.seen.len();
        self.state.seen.resize(first + object.keys.len(), false);
        while let Some(key) = map.next_key_seed(Name(object))? {
            let example = match (&key, &object.others) {
                (Found::Known(at), _) => &object.keys[*at].value,
                (Found::Other(_), Others::Any) => &ANY,
                (Found::Other(_), Others::Like(example)) => example,
                (Found::Other(name), Others::Wrong) => {
                    return Err(self.differs(Mismatch::of(format!("unexpected key `{name}`"))));
                }
            };
            if let Found::Known(at) = key
                && std::mem::replace(&mut self.state.seen[first + at], true)
            {
                let name = short(&object.keys[at].name);
                return Err(self.differs(Mismatch::of(format!("the key `{name}` comes twice"))));
            }
            let state = &mut *self.state;
            let value = map.next_value_seed(Value { example, state });
            self.inside(value, || match key {
                Found::Known(at) => object.keys[at].name.clone(),
                Found::Other(name) => name,
            })?;
        }
        let mut keys = object.keys.iter().zip(&self.state.seen[first..]);
        if let Some((key, _)) = keys.find(|(key, seen)| !key.optional && !*seen) {
            let name = short(&key.name);
            return Err(self.differs(Mismatch::of(format!("the key `{name}` is missing"))));
        }
        self.state.seen.truncate(first);
        Ok(())
    }
}
