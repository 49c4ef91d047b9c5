//! One exchange: a call and its reply, as far as that has come.

use wire::{Compression, Reader};

use crate::connection::call_values::CallValues;
use crate::connection::check::BodyCheck;
use crate::connection::thread_state::ThreadState;
use crate::measurement::call::{Call, Reply};
use crate::measurement::counts::Likeness;

/// A call that waits for its reply.
#[derive(Debug)]
pub struct Exchange {
    pub call: Call,
    pub check: BodyCheck,
}

/// The result of the check of a reply.
pub struct Judgement {
    pub reply: Reply,
    /// Its content was checked.
    pub checked: bool,
    pub likeness: Likeness,
}

impl Exchange {
    /// A call whose reply has not begun.
    #[inline]
    pub fn new(call: Call) -> Self {
        let check = BodyCheck::default();
        Self { call, check }
    }

    /// The head of the reply is complete.
    #[inline]
    pub fn begin_body(&mut self, status: u16, compression: Compression, thread: &mut ThreadState) {
        self.call.status = status;
        let rule = thread.checker.rule(self.call.request);
        rule.begin(&mut self.check, compression);
    }

    /// Checks the body of the reply, if all of it has come. Returns false otherwise.
    #[inline]
    pub fn take_body(
        &mut self,
        reader: &mut Reader,
        rest: &mut &[u8],
        thread: &mut ThreadState,
    ) -> bool {
        let input = *rest;
        let Some(body) = reader.take_body(input) else {
            return false;
        };
        *rest = &input[body.len()..];
        if !body.is_empty() {
            self.feed(body, thread);
        }
        true
    }

    /// Checks more bytes of the body of the reply.
    #[inline]
    pub fn feed(&mut self, body: &[u8], thread: &mut ThreadState) {
        let rule = thread.checker.rule(self.call.request);
        rule.feed(&mut self.check, body);
    }

    /// Ends the check of the complete reply, which came on this connection.
    #[inline]
    pub fn judge(&mut self, id: u32, thread: &mut ThreadState) -> Judgement {
        let Self { call, check } = self;
        let rule = thread.checker.rule(call.request);
        let sessions = thread.session_numbers.as_ref();
        let reply = rule.judge(call.status, check, |content| {
            let values = CallValues {
                id,
                jars: None,
                kept: thread.kept.as_deref(),
                data: &thread.plan.data,
                request: call.request,
                number: sessions.map_or(call.turn, |numbers| numbers.on(id)),
                step: None,
            };
            content.sent(call.turn, &values)
        });
        Judgement {
            reply,
            checked: rule.has_checked(check) && reply != Reply::WrongStatus,
            likeness: match reply {
                Reply::Right => rule.likeness(check),
                _ => Likeness::Like,
            },
        }
    }

    /// Ends the check of a reply that is wrong, whatever its body is.
    #[cold]
    pub fn reject(&self, reply: Reply, thread: &mut ThreadState) -> Judgement {
        self.abandon(thread);
        Judgement {
            reply,
            checked: false,
            likeness: Likeness::Like,
        }
    }

    /// Forgets the received part of the reply, because the call is to be sent again.
    pub fn rewind(&mut self, thread: &mut ThreadState) {
        self.abandon(thread);
        (self.call.first, self.call.status, self.call.head_bytes) = (0, 0, 0);
        self.check = BodyCheck::default();
    }

    /// The reply will not be completed.
    pub fn abandon(&self, thread: &mut ThreadState) {
        thread.checker.rule(self.call.request).abandon(&self.check);
    }
}
