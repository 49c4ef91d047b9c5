//! The second body of a request: the first one that differs from the first reply. Replies that repeat it are no page
//! that varies.

use crate::connection::check::MOST_MODEL;
use crate::plan::expected::{Model, OtherBody};

/// The likeness of a body to the second one, as far as it has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Other {
    /// No byte differs from the first reply.
    #[default]
    Alike,
    /// It may become the second body, and is kept.
    Learning,
    /// It differs from the first reply, and no byte from the second body.
    Same,
    /// It differs from both, or its first bytes were not compared.
    Neither,
}

/// Checks more bytes of a body, from the first ones that differ from the first reply on. `kept`: what this thread keeps
/// of a second body.
#[cold]
#[inline(never)]
pub fn feed(
    model: &Model,
    kept: &mut Option<Vec<u8>>,
    so_far: Other,
    at: usize,
    data: &[u8],
) -> Other {
    match (so_far, model.other.get()) {
        (Other::Alike, Some(other)) if at <= other.common => same(other, at, data),
        (Other::Same, Some(other)) => same(other, at, data),
        (Other::Alike, None) if kept.is_none() => {
            let first = model.first.get().and_then(|(bytes, _)| bytes.get(..at));
            keep(model, kept, first.unwrap_or_default().to_vec(), data)
        }
        (Other::Learning, _) => {
            let bytes = kept.take().unwrap_or_default();
            keep(model, kept, bytes, data)
        }
        _ => Other::Neither,
    }
}

fn same(other: &OtherBody, at: usize, data: &[u8]) -> Other {
    if other.bytes.get(at..at + data.len()) == Some(data) {
        Other::Same
    } else {
        Other::Neither
    }
}

/// Keeps more bytes of a second body. One that is too long is given up, and no other one is tried.
fn keep(model: &Model, kept: &mut Option<Vec<u8>>, mut bytes: Vec<u8>, data: &[u8]) -> Other {
    if bytes.len() + data.len() > MOST_MODEL {
        let _ = model.other.set(OtherBody::default());
        return Other::Neither;
    }
    bytes.extend_from_slice(data);
    *kept = Some(bytes);
    Other::Learning
}

/// Ends a body of `length` bytes that is unlike the first reply. Returns the mark of the second body if it is that one,
/// otherwise 0.
#[cold]
#[inline(never)]
pub fn end(model: &Model, kept: &mut Option<Vec<u8>>, so_far: Other, length: u64) -> u64 {
    let length = length as usize;
    match (so_far, model.other.get()) {
        (Other::Alike, Some(other)) if other.common == length => marked(other, length),
        (Other::Same, Some(other)) => marked(other, length),
        (Other::Alike, None) => {
            let first = model.first.get().and_then(|(bytes, _)| bytes.get(..length));
            first.map_or(0, |bytes| learn(model, bytes.to_vec()))
        }
        (Other::Learning, _) => kept.take().map_or(0, |bytes| learn(model, bytes)),
        _ => 0,
    }
}

fn marked(other: &OtherBody, length: usize) -> u64 {
    if other.bytes.len() == length {
        other.mark
    } else {
        0
    }
}

/// Keeps the second body for all threads. Another thread may have been first.
fn learn(model: &Model, bytes: Vec<u8>) -> u64 {
    let Some((first, _)) = model.first.get() else {
        return 0;
    };
    let pairs = bytes.iter().zip(first);
    let mine = OtherBody {
        common: pairs.take_while(|(one, other)| one == other).count(),
        mark: mark(&bytes),
        bytes,
    };
    let mark = mine.mark;
    match (model.other.set(mine), model.other.get()) {
        (Err(mine), Some(other)) if mine.bytes != other.bytes => 0,
        _ => mark,
    }
}

/// The FNV-1a hash of a body, in 49 bits as counters of several machines have room for: neither 0 nor 1.
fn mark(bytes: &[u8]) -> u64 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 15).max(2)
}
