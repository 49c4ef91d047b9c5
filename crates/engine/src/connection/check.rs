//! The checks of replies: the status, and the body as it arrives.

use wire::Compression;

pub use crate::connection::check::body::BodyCheck;
use crate::connection::check::other::Other;
use crate::connection::check::sample::Sample;
use crate::connection::decoder::{Decoder, Decoding};
use crate::measurement::call::Reply;
use crate::measurement::counts::Likeness;
use crate::plan::expected::{Content, ExpectedBody, ExpectedReply};

/// Most bytes kept of the first reply for "the same as the first"; of longer ones only the length is compared.
const MOST_LEARNED: usize = 16 << 20;
/// The same where a plan may have many requests, each with its first reply.
const MOST_MODEL: usize = 256 << 10;
/// A body has another size than the first one if it differs by more than a tenth, and by more bytes than this.
const SAME_SIZE: u64 = 16;

/// The expected replies of all requests.
#[derive(Debug)]
pub struct Checker {
    rules: Vec<Rule>,
}

/// The expected reply to one request, and the first one that this thread has seen.
#[derive(Debug)]
pub struct Rule {
    expected: ExpectedReply,
    sample: Sample,
    learned: Learned,
    /// A second body, as far as it has arrived.
    second: Option<Vec<u8>>,
}

#[derive(Debug, Default)]
enum Learned {
    #[default]
    None,
    Learning(Vec<u8>, u64),
    Known(Vec<u8>, u64),
}

impl Checker {
    /// Checks against these expectations, one per request.
    pub fn new(expected: Vec<ExpectedReply>) -> Self {
        let rules = expected.into_iter().map(|expected| Rule {
            expected,
            sample: Sample::new(0),
            learned: Learned::None,
            second: None,
        });
        Self {
            rules: rules.collect(),
        }
    }

    /// Draws the replies whose bodies are checked by this seed.
    pub fn seed(&mut self, seed: u64) {
        for (rule, request) in self.rules.iter_mut().zip(0..) {
            rule.sample = Sample::new(seed.wrapping_add(request));
        }
    }

    /// The rule for a request.
    #[inline]
    pub fn rule(&mut self, request: u32) -> &mut Rule {
        &mut self.rules[request as usize]
    }

    /// The expected body, for a message.
    pub fn expectation(&self, request: u32) -> String {
        match &self.rules[request as usize].expected.body {
            ExpectedBody::Any | ExpectedBody::Like(_) => "any body".into(),
            ExpectedBody::Length(length) => format!("{length} bytes"),
            ExpectedBody::Exact(bytes) => format!("the expected {} bytes", bytes.len()),
            ExpectedBody::Same => "the same body as the first reply".into(),
            ExpectedBody::Content(content) => content.answer.words(),
        }
    }
}

impl Rule {
    /// Starts the check of a body with this compression.
    #[inline]
    pub fn begin(&mut self, check: &mut BodyCheck, compression: Compression) {
        let one_in = self.expected.one_in;
        check.compare = one_in == 1 || self.sample.draw(one_in);
        if self.expected.decode {
            check.skipped = !check.compare && self.checks_content();
            if check.skipped {
                return;
            }
            check.decoder = Some(Decoder::new(compression).into());
        }
        check.learning = self.starts_learning();
    }

    /// True if the content of bodies counts, not only their length.
    #[inline]
    fn checks_content(&self) -> bool {
        !matches!(
            self.expected.body,
            ExpectedBody::Any | ExpectedBody::Length(_)
        )
    }

    /// True if the content of a complete body was checked.
    #[inline]
    pub fn has_checked(&self, check: &BodyCheck) -> bool {
        check.compare && self.checks_content()
    }

    /// True if the body that begins is the first one, which others are compared with.
    #[inline]
    fn starts_learning(&mut self) -> bool {
        let learns = match &self.expected.body {
            ExpectedBody::Any
            | ExpectedBody::Length(_)
            | ExpectedBody::Exact(_)
            | ExpectedBody::Content(_) => false,
            ExpectedBody::Same => true,
            ExpectedBody::Like(model) => model.first.get().is_none(),
        };
        let starts = learns && matches!(self.learned, Learned::None);
        if starts {
            self.learned = Learned::Learning(Vec::new(), 0);
        }
        starts
    }

    /// Checks more bytes of the body, decoded if there is a decoder.
    #[inline]
    pub fn feed(&mut self, check: &mut BodyCheck, data: &[u8]) {
        check.seen += data.len() as u64;
        if check.decoder.is_some() {
            self.feed_coded(check, data);
        } else if !check.skipped {
            self.compare(check, data);
        }
    }

    /// Decodes more bytes of the body, and checks them. Apart from `feed`, which few plans leave for it.
    #[inline(never)]
    fn feed_coded(&mut self, check: &mut BodyCheck, data: &[u8]) {
        let Some(mut decoder) = check.decoder.take().filter(|_| !check.wrong) else {
            return;
        };
        let sound = decoder.feed(data, |content| {
            self.compare(check, content);
            !check.wrong && !self.exceeds(check)
        });
        check.decoding = if sound {
            Decoding::Sound
        } else if check.wrong || self.exceeds(check) {
            Decoding::Stopped
        } else {
            Decoding::Broken
        };
        check.wrong |= !sound;
        check.decoder = Some(decoder);
    }

    /// Ends a body that is to be decoded. A reply without a body, such as 304, has nothing to decode.
    fn end_coded(&mut self, check: &mut BodyCheck) {
        if let Some(mut decoder) = check.decoder.take()
            && !check.wrong
            && check.seen > 0
        {
            let sound = decoder.finish(|content| {
                self.compare(check, content);
                true
            });
            if !sound {
                check.wrong = true;
                check.decoding = Decoding::Broken;
            }
        }
    }

    /// True if the body is longer than expected: the rest need not be decoded.
    fn exceeds(&self, check: &BodyCheck) -> bool {
        let expected = match (&self.expected.body, &self.learned) {
            (ExpectedBody::Exact(bytes), _) => bytes.len() as u64,
            (ExpectedBody::Length(length), _) | (ExpectedBody::Same, Learned::Known(_, length)) => {
                *length
            }
            _ => return false,
        };
        check.content > expected
    }

    #[inline]
    fn compare(&mut self, check: &mut BodyCheck, data: &[u8]) {
        let at = check.content;
        check.content += data.len() as u64;
        match &self.expected.body {
            ExpectedBody::Exact(bytes) => check.compare(bytes, at, data),
            ExpectedBody::Same => self.feed_same(check, at, data, MOST_LEARNED),
            ExpectedBody::Like(_) if check.learning => self.feed_same(check, at, data, MOST_MODEL),
            ExpectedBody::Like(model) => match model.first.get() {
                None => check.other = Other::Neither,
                Some((bytes, length)) if check.compare && *length == bytes.len() as u64 => {
                    let from = at as usize;
                    if check.unlike || bytes.get(from..from + data.len()) != Some(data) {
                        check.unlike = true;
                        check.other = other::feed(model, &mut self.second, check.other, from, data);
                    }
                }
                Some(_) => {}
            },
            ExpectedBody::Content(content) if check.compare && !check.wrong => {
                check.keep(content, data);
            }
            ExpectedBody::Any | ExpectedBody::Length(_) | ExpectedBody::Content(_) => {}
        }
    }

    fn feed_same(&mut self, check: &mut BodyCheck, at: u64, data: &[u8], most: usize) {
        match &mut self.learned {
            Learned::Learning(bytes, length) if check.learning => {
                *length += data.len() as u64;
                let room = most - bytes.len();
                bytes.extend_from_slice(&data[..data.len().min(room)]);
            }
            Learned::Known(bytes, length) if *length == bytes.len() as u64 => {
                check.compare(bytes, at, data);
            }
            _ => {}
        }
    }

    /// Ends the check of a reply with this status. `sent`: the values of its call that an answer refers to.
    #[inline]
    pub fn judge(
        &mut self,
        status: u16,
        check: &mut BodyCheck,
        sent: impl FnOnce(&Content) -> Vec<String>,
    ) -> Reply {
        if check.decoder.is_some() {
            self.end_coded(check);
        }
        if !self.expected.statuses.contains(status) {
            self.abandon(check);
            Reply::WrongStatus
        } else if check.skipped || self.end(check, sent) {
            Reply::Right
        } else {
            self.abandon(check);
            Reply::WrongBody
        }
    }

    /// Ends the check; true if the body is right.
    #[inline]
    fn end(&mut self, check: &mut BodyCheck, sent: impl FnOnce(&Content) -> Vec<String>) -> bool {
        let length = match &self.expected.body {
            ExpectedBody::Any => return !check.wrong,
            ExpectedBody::Length(length) => *length,
            ExpectedBody::Exact(bytes) => bytes.len() as u64,
            ExpectedBody::Content(content) => return check.judge(content, sent),
            ExpectedBody::Like(_) => {
                self.learn_model(check);
                return !check.wrong;
            }
            ExpectedBody::Same => match self.learn(check) {
                Some(length) => length,
                None => return !check.wrong,
            },
        };
        check.content == length && !check.wrong
    }

    /// Keeps the first reply when it is complete. Returns the length of the kept reply.
    fn learn(&mut self, check: &BodyCheck) -> Option<u64> {
        if check.wrong {
            self.abandon(check);
        }
        if check.learning
            && let Learned::Learning(bytes, length) = &mut self.learned
        {
            self.learned = Learned::Known(std::mem::take(bytes), *length);
        }
        match &self.learned {
            Learned::Known(_, length) => Some(*length),
            _ => None,
        }
    }

    /// Keeps the first reply of a request as the model of the others, for all threads.
    fn learn_model(&mut self, check: &BodyCheck) {
        if !check.learning {
            return;
        }
        let learned = std::mem::take(&mut self.learned);
        if let (ExpectedBody::Like(model), Learned::Learning(bytes, length)) =
            (&self.expected.body, learned)
            && !check.wrong
        {
            // Another thread may have been first.
            let _ = model.first.set((bytes, length));
        }
    }

    /// The likeness of a right reply to the first one of its request.
    #[inline]
    pub fn likeness(&mut self, check: &BodyCheck) -> Likeness {
        let ExpectedBody::Like(model) = &self.expected.body else {
            return Likeness::Like;
        };
        let Some((bytes, length)) = model.first.get() else {
            return Likeness::Like;
        };
        let apart = check.content.abs_diff(*length);
        if (apart == 0 && !check.unlike) || check.skipped {
            return Likeness::Like;
        }
        let known = check.compare && !check.learning && *length == bytes.len() as u64;
        let again = if known {
            other::end(model, &mut self.second, check.other, check.content)
        } else {
            0
        };
        if apart > SAME_SIZE && apart > length / 10 {
            Likeness::OtherSize(again)
        } else {
            Likeness::Unlike(again)
        }
    }

    /// Ends the check of a reply that will not be completed.
    #[inline]
    pub fn abandon(&mut self, check: &BodyCheck) {
        if check.learning {
            self.learned = Learned::None;
        }
        if check.other == Other::Learning {
            self.second = None;
        }
    }
}

mod body;
mod kept;
mod other;
mod sample;
#[cfg(test)]
mod tests;
