//! A request with placeholders, compiled: its fixed bytes, and what is written between them for each call.

mod draft;
pub mod of_streams;
pub mod sent;

use crate::plan::encode::{encode_parts, name};
use crate::plan::placeholders::digits;
use crate::plan::placeholders::draws::Draws;
use crate::plan::placeholders::escape::Place;
use crate::plan::placeholders::kind::Kind;
use crate::plan::template::draft::Draft;
use crate::plan::template::sent::SentValue;
use crate::plan::{Plan, Request};

/// A compiled request.
#[derive(Debug)]
pub struct Template {
    fixed: Vec<u8>,
    slots: Vec<Slot>,
    /// The values of placeholders with names of their own.
    own: Vec<(String, SentValue)>,
}

/// The values that a template does not make itself.
pub trait Values {
    /// Appends the cookies of the session; `extends`: they extend a header.
    fn cookies(&self, extends: bool, out: &mut Vec<u8>);

    /// Appends the value of the name with this index, in the form that it has in a place.
    fn named(&self, name: usize, place: Place, out: &mut Vec<u8>);
}

/// A place between two fixed pieces.
#[derive(Debug)]
struct Slot {
    /// The end of the fixed bytes before it.
    after: usize,
    what: What,
}

#[derive(Debug)]
enum What {
    /// The value of a placeholder.
    Value {
        kind: Kind,
        draws: Draws,
        place: Place,
    },
    /// The value of a known name.
    Named { name: usize, place: Place },
    /// The length of the body.
    Length,
    /// The body begins.
    Body,
    /// The cookies of the session.
    Cookies { extends: bool },
}

impl Template {
    /// Compiles the request with this index in the plan, which has placeholders. `names`: those that they may have.
    ///
    /// # Errors
    /// All faults of the request.
    pub fn new(
        plan: &Plan,
        names: &[String],
        index: u32,
        request: &Request,
    ) -> Result<Self, Vec<String>> {
        let with_name = |fault| format!("request `{}`: {fault}", name(request));
        let mut draft = Draft::new(plan.seed, names, index);
        let parts = draft
            .mark(request)
            .map_err(|faults| faults.into_iter().map(with_name).collect::<Vec<_>>())?;
        let encoded = encode_parts(plan, request, parts).map_err(|fault| vec![fault])?;
        let cookies = plan.load.sessions().is_some_and(|load| load.cookies);
        Ok(draft.compile(&encoded, cookies))
    }

    /// True if it is the same for each call.
    fn is_fixed(&self) -> bool {
        self.slots.is_empty()
    }

    /// The names in the request, and the place of each.
    pub fn names(&self) -> impl Iterator<Item = (usize, Place)> {
        self.slots.iter().filter_map(|slot| match slot.what {
            What::Named { name, place } => Some((name, place)),
            _ => None,
        })
    }

    /// The values of placeholders with names of their own.
    pub fn own(&self) -> &[(String, SentValue)] {
        &self.own
    }

    /// Appends the request of the call with this number among the calls of this request.
    pub fn write(&self, call: u64, values: &impl Values, out: &mut Vec<u8>) {
        let mut from = 0;
        let (mut length, mut body) = (None, 0);
        for slot in &self.slots {
            out.extend_from_slice(&self.fixed[from..slot.after]);
            from = slot.after;
            match &slot.what {
                What::Value { kind, draws, place } => kind.write(*draws, call, *place, out),
                What::Named { name, place } => values.named(*name, *place, out),
                What::Cookies { extends } => values.cookies(*extends, out),
                What::Length => length = Some(out.len()),
                What::Body => body = out.len(),
            }
        }
        out.extend_from_slice(&self.fixed[from..]);
        if let Some(at) = length {
            insert_length(at, (out.len() - body) as u64, out);
        }
    }
}

/// Inserts the length of a body before it.
fn insert_length(at: usize, length: u64, out: &mut Vec<u8>) {
    let behind = out.len();
    digits::write(length, out);
    let width = out.len() - behind;
    let mut text = [0; 20];
    text[..width].copy_from_slice(&out[behind..]);
    out.copy_within(at..behind, at + width);
    out[at..at + width].copy_from_slice(&text[..width]);
}

#[cfg(test)]
mod tests;
