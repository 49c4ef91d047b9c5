//! The reply that a request expects.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use crate::plan::encode::{decode, read};
use crate::plan::template::Values;
use crate::plan::template::sent::{Sent, SentValue};
use crate::plan::{Answer, Expect, Request};

/// Most bytes of bodies that a run keeps at once.
const MOST_KEPT: usize = 64 << 20;

/// The expected reply to one request.
#[derive(Clone, Debug)]
pub struct ExpectedReply {
    pub statuses: RightStatuses,
    pub body: ExpectedBody,
    /// Check the body of one reply in so many.
    pub one_in: u32,
    /// Decode the body before it is checked.
    pub decode: bool,
}

/// The statuses that are right.
#[derive(Clone, Debug)]
pub enum RightStatuses {
    /// From the first to the last.
    Range(u16, u16),
    Listed(Vec<u16>),
    /// All but these.
    Others(Vec<u16>),
}

/// The expected body.
#[derive(Clone, Debug)]
pub enum ExpectedBody {
    Any,
    Length(u64),
    Exact(Arc<[u8]>),
    Same,
    Like(Arc<Model>),
    Content(Content),
}

/// An expected content, which a body as a whole is compared with.
#[derive(Clone, Debug)]
pub struct Content {
    pub answer: Arc<answer::Answer>,
    /// The values that the answer refers to.
    pub sent: Arc<[SentValue]>,
    pub room: Arc<Room>,
}

impl Content {
    /// The values that the answer refers to, of the call with this number among the calls of its request.
    pub fn sent(&self, call: u64, values: &impl Values) -> Vec<String> {
        let sent = self.sent.iter();
        sent.map(|value| value.text(call, values)).collect()
    }
}

/// The bytes of bodies that a run keeps at once until they are complete.
#[derive(Debug, Default)]
pub struct Room(AtomicUsize);

impl Room {
    /// Takes room for so many bytes, if there is as much.
    pub fn take(&self, bytes: usize) -> bool {
        let taken = self.0.fetch_add(bytes, Relaxed);
        let fits = taken + bytes <= MOST_KEPT;
        if !fits {
            self.give(bytes);
        }
        fits
    }

    /// Gives back the room of so many bytes.
    pub fn give(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Relaxed);
    }
}

/// The right replies to a request that others are compared with, from any thread.
#[derive(Debug, Default)]
pub struct Model {
    /// The first one: its first bytes and its length.
    pub first: OnceLock<(Vec<u8>, u64)>,
    /// The first body that differs from it.
    pub other: OnceLock<OtherBody>,
}

/// A body that differs from that of the first reply.
#[derive(Debug, Default)]
pub struct OtherBody {
    pub bytes: Vec<u8>,
    /// Bytes at its start that the first reply has, too.
    pub common: usize,
    /// Tells it from other bodies; 0: it was too long to be kept.
    pub mark: u64,
}

impl ExpectedReply {
    /// The expected reply of a request in the plan, with its files read. `sent`: the values that it sends.
    pub fn new(request: &Request, sent: &Sent, room: &Arc<Room>) -> Result<Self, String> {
        let content = |compiled: Result<answer::Answer, String>| {
            let answer = compiled
                .map_err(|fault| format!("{} {}: {fault}", request.method, request.path))?;
            let sent = answer.names().iter().map(|name| sent.value(*name));
            Ok::<_, String>(ExpectedBody::Content(Content {
                sent: sent.collect(),
                answer: Arc::new(answer),
                room: room.clone(),
            }))
        };
        let names = sent.names();
        let expect = &request.expect;
        let body = match &expect.body {
            _ if request.method == "HEAD" => ExpectedBody::Any,
            None | Some(Answer::Same(false) | Answer::Like(false)) => ExpectedBody::Any,
            Some(Answer::Same(true)) => ExpectedBody::Same,
            Some(Answer::Like(true)) => ExpectedBody::Like(Arc::default()),
            Some(Answer::Length(length)) => ExpectedBody::Length(*length),
            Some(Answer::Text(text)) => ExpectedBody::Exact(Arc::from(text.as_bytes())),
            Some(Answer::Base64(text)) => ExpectedBody::Exact(decode(text)?.into()),
            Some(Answer::File(path)) => ExpectedBody::Exact(read(path)?.into()),
            Some(Answer::Json(example)) => content(answer::Answer::json(example, names))?,
            Some(Answer::Html(example)) => content(answer::Answer::html(example, names))?,
            Some(Answer::Regex(expression)) => content(answer::Answer::regex(expression))?,
        };
        Ok(Self {
            statuses: RightStatuses::new(expect),
            body,
            one_in: expect.check_one_in.max(1),
            decode: expect.decode.is_some() && request.method != "HEAD",
        })
    }

    /// The indices of the known names that its content refers to.
    pub fn names(&self) -> impl Iterator<Item = usize> {
        let sent = match &self.body {
            ExpectedBody::Content(content) => &content.sent[..],
            _ => &[],
        };
        sent.iter().filter_map(|value| match value {
            SentValue::Known(name) => Some(*name),
            SentValue::Made { .. } => None,
        })
    }
}

impl RightStatuses {
    /// The statuses that are right in the plan: any 2xx or 3xx if it names none.
    pub fn new(expect: &Expect) -> Self {
        match (&expect.wrong_status, expect.status.as_deref()) {
            (Some(wrong), _) => Self::Others(wrong.clone()),
            (None, None | Some([])) => Self::Range(200, 399),
            (None, Some([only])) => Self::Range(*only, *only),
            (None, Some(several)) => Self::Listed(several.to_vec()),
        }
    }

    /// True if the status is right.
    #[inline]
    pub fn contains(&self, status: u16) -> bool {
        match self {
            Self::Range(first, last) => (*first..=*last).contains(&status),
            Self::Listed(right) => right.contains(&status),
            Self::Others(wrong) => !wrong.contains(&status),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_right_if_it_is_listed_or_not_wrong_and_otherwise_any_success_or_redirect() {
        let right = |status: Option<&[u16]>, wrong_status: Option<&[u16]>| {
            let statuses = RightStatuses::new(&Expect {
                status: status.map(<[u16]>::to_vec),
                wrong_status: wrong_status.map(<[u16]>::to_vec),
                ..Expect::default()
            });
            let tried = [199, 200, 204, 302, 399, 404, 500];
            tried.map(|status| statuses.contains(status))
        };
        let success = [false, true, true, true, true, false, false];
        assert_eq!(right(None, None), success);
        assert_eq!(right(Some(&[]), None), success);
        assert_eq!(
            right(Some(&[404]), None),
            [false, false, false, false, false, true, false]
        );
        assert_eq!(
            right(Some(&[204, 500]), None),
            [false, false, true, false, false, false, true]
        );
        assert_eq!(
            right(None, Some(&[404])),
            [true, true, true, true, true, false, true]
        );
    }
}
