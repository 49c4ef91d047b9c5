//! Texts of an answer with values that were sent: `item {id}`.

use std::borrow::Cow;

/// The name of a value that a request sends.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    pub text: &'a str,
    /// Messages have the name in place of the value.
    pub is_secret: bool,
}

/// The names that an answer may have.
pub struct Names<'a> {
    known: &'a [Name<'a>],
    /// The indices of those that it has so far.
    used: Vec<usize>,
}

/// A text with the names of values in it.
#[derive(Clone, Debug, PartialEq)]
pub struct SentText(Vec<Piece>);

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Value {
        /// Its place among the values that the answer needs.
        place: usize,
        /// Messages have this in its place, if it is secret.
        mask: Option<String>,
    },
}

impl<'a> Names<'a> {
    /// These names, none of which is used.
    pub fn new(known: &'a [Name<'a>]) -> Self {
        let used = Vec::new();
        Self { known, used }
    }

    /// True if it is one of them.
    pub fn has(&self, name: &str) -> bool {
        self.known.iter().any(|known| known.text == name)
    }

    /// All of them.
    pub fn known(&self) -> &[Name<'a>] {
        self.known
    }

    /// The indices of those that are used.
    pub fn into_used(self) -> Vec<usize> {
        self.used
    }

    /// The value of the name with this index.
    fn value(&mut self, index: usize) -> Piece {
        let place = self.used.iter().position(|used| *used == index);
        let place = place.unwrap_or_else(|| {
            self.used.push(index);
            self.used.len() - 1
        });
        let Name { text, is_secret } = self.known[index];
        let mask = is_secret.then(|| format!("{{{text}}}"));
        Piece::Value { place, mask }
    }

    /// The index of the name in braces that a text begins with, and the length of both.
    fn begun(&self, text: &str) -> Option<(usize, usize)> {
        let inner = text.strip_prefix('{')?;
        let length = inner.find(['{', '}'])?;
        let name = inner[length..].starts_with('}').then(|| &inner[..length])?;
        let index = self.known.iter().position(|known| known.text == name)?;
        Some((index, length + 2))
    }
}

impl SentText {
    /// Divides a text at the names in braces; `None`: it has none. A name in doubled braces is a text: the name in
    /// braces. `read`: reads what is between.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn new<E>(
        text: &str,
        names: &mut Names,
        read: impl Fn(&str) -> Result<String, E>,
    ) -> Result<Option<Self>, E> {
        let mut pieces = Vec::new();
        let (mut from, mut at) = (0, 0);
        while let Some(brace) = text[at..].find('{').map(|found| at + found) {
            let rest = &text[brace..];
            let doubled = names
                .begun(&rest[1..])
                .filter(|(_, length)| rest[1 + length..].starts_with('}'));
            let (piece, length) = if let Some((_, length)) = doubled {
                (Piece::Text(rest[1..=length].into()), length + 2)
            } else if let Some((index, length)) = names.begun(rest) {
                (names.value(index), length)
            } else {
                at = brace + 1;
                continue;
            };
            if from < brace {
                pieces.push(Piece::Text(read(&text[from..brace])?));
            }
            pieces.push(piece);
            at = brace + length;
            from = at;
        }
        if pieces.is_empty() {
            return Ok(None);
        }
        if from < text.len() {
            pieces.push(Piece::Text(read(&text[from..])?));
        }
        Ok(Some(Self(pieces)))
    }

    /// The text with the values that the answer needs.
    pub fn with<'a>(&'a self, values: &'a [String]) -> Cow<'a, str> {
        self.joined(|place, _| values.get(place).map_or("", String::as_str))
    }

    /// The text with these values, for a message.
    pub fn shown<'a>(&'a self, values: &'a [String]) -> Cow<'a, str> {
        self.joined(|place, mask| match mask {
            Some(mask) => mask,
            None => values.get(place).map_or("", String::as_str),
        })
    }

    fn joined<'a>(&'a self, value: impl Fn(usize, Option<&'a str>) -> &'a str) -> Cow<'a, str> {
        let text = |piece: &'a Piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Value { place, mask } => value(*place, mask.as_deref()),
        };
        match &self.0[..] {
            [only] => text(only).into(),
            pieces => pieces.iter().map(text).collect::<String>().into(),
        }
    }

    /// True if a value is the whole text.
    pub fn is_value(&self) -> bool {
        matches!(&self.0[..], [Piece::Value { .. }])
    }

    /// True if it has a value.
    pub fn has_values(&self) -> bool {
        let is_value = |piece: &Piece| matches!(piece, Piece::Value { .. });
        self.0.iter().any(is_value)
    }
}
