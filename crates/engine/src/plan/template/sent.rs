//! Values that a request sends and its right answer may refer to. They are not kept: a value follows from the number of
//! its call, and is computed again when the reply is judged.

use answer::Name;

use crate::plan::placeholders::draws::Draws;
use crate::plan::placeholders::escape::Place;
use crate::plan::placeholders::kind::Kind;
use crate::plan::template::Values;

/// A value that a request sends.
#[derive(Clone, Debug)]
pub enum SentValue {
    /// That of a placeholder.
    Made { kind: Kind, draws: Draws },
    /// That of the known name with this index.
    Known(usize),
}

impl SentValue {
    /// The value of the call with this number among the calls of its request, as it is without escapes.
    pub fn text(&self, call: u64, values: &impl Values) -> String {
        let mut out = Vec::new();
        match self {
            Self::Made { kind, draws } => kind.write(*draws, call, Place::Plain, &mut out),
            Self::Known(name) => values.named(*name, Place::Plain, &mut out),
        }
        String::from_utf8(out).unwrap_or_else(|wrong| {
            let bytes = wrong.into_bytes();
            String::from_utf8_lossy(&bytes).into_owned()
        })
    }
}

/// The values that the answer to a request may refer to.
pub struct Sent<'a> {
    names: Vec<Name<'a>>,
    /// The values of the first names: those of placeholders with names of their own.
    own: &'a [(String, SentValue)],
    /// The indices of the other names among the known ones.
    known: Vec<usize>,
}

impl<'a> Sent<'a> {
    /// Those with names of their own, and of the `names`, those with the indices `known`.
    pub fn new(own: &'a [(String, SentValue)], names: &'a [String], known: Vec<usize>) -> Self {
        let own_names = own.iter().map(|(name, value)| Name {
            text: name,
            is_secret: matches!(value, SentValue::Known(_)),
        });
        let known_names = known.iter().map(|name| Name {
            text: &names[*name],
            is_secret: true,
        });
        Self {
            names: own_names.chain(known_names).collect(),
            own,
            known,
        }
    }

    /// The names of all of them.
    pub fn names(&self) -> &[Name<'a>] {
        &self.names
    }

    /// The value of the name with this index.
    pub fn value(&self, index: usize) -> SentValue {
        match self.own.get(index) {
            Some((_, value)) => value.clone(),
            None => SentValue::Known(self.known[index - self.own.len()]),
        }
    }
}
