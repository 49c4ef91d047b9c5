//! Request target → the steps of its answer. Pure, except for the random number generator.

use std::sync::Arc;
use std::time::Duration;

use crate::behaviour::fault::Fault;
use crate::behaviour::{Behaviour, Framing};
use crate::random::Generator;
use crate::reply::choice::{Choice, GARBAGE, PLAIN, choose, corrupt};
use crate::reply::echo;
use crate::reply::head::{self, Size};
use crate::reply::page::{PreparedPage, Site};
use crate::reply::step::{Answer, Step};
use crate::reply::whole::Part;
use crate::request::form::{Persistence, ReplyForm};
use crate::request::refusal::Refusal;

/// The answer to a request for anything but a plain page.
pub(crate) fn answer(
    site: &Site,
    target: &[u8],
    form: ReplyForm,
    generator: &mut Generator,
) -> Answer {
    match choose(site, target, generator) {
        Choice::Page(page, behaviour, delay) if behaviour.is_plain() => prepared(page, form, delay),
        Choice::Page(page, behaviour, delay) => {
            let content = Content {
                content_type: &page.content_type,
                body: page.body(),
            };
            composed(&content, &behaviour, form, delay, generator)
        }
        Choice::Echo(body, behaviour, delay) => {
            let content = Content {
                content_type: echo::CONTENT_TYPE,
                body: &body,
            };
            composed(&content, &behaviour, form, delay, generator)
        }
        Choice::Stall(length, message) => {
            let mut answer = whole(200, message.as_bytes(), form);
            // Starts before the reply is sent: a request sent after that reply finds every thread stalled.
            let begin = (Duration::ZERO, Step::Stall(length));
            answer.steps.insert(0, begin);
            answer
        }
        Choice::Message(status, message) => whole(status, message.as_bytes(), form),
    }
}

/// The answer to bytes that are not a valid request: an error status, then close.
pub(crate) fn refuse(refusal: Refusal) -> Answer {
    let form = ReplyForm {
        head_only: false,
        is_http_1_0: false,
        persistence: Persistence::Closed,
    };
    whole(
        refusal.status,
        format!("{}\n", refusal.why).as_bytes(),
        form,
    )
}

fn prepared(page: &PreparedPage, form: ReplyForm, delay: Duration) -> Answer {
    let reply = page.reply(form.persistence);
    let end = if form.head_only {
        reply.head_len
    } else {
        reply.bytes.len()
    };
    let mut answer = Answer::default();
    let part = Part::Shared {
        whole: Arc::clone(reply),
        end,
    };
    answer.steps.push((delay, Step::Send(part)));
    if form.persistence == Persistence::Closed {
        answer.end(delay, Step::Close);
    }
    answer
}

fn whole(status: u16, body: &[u8], form: ReplyForm) -> Answer {
    let size = Size::Length(body.len() as u64);
    let mut bytes = head::head(status, PLAIN, size, form.persistence);
    if !form.head_only {
        bytes.extend_from_slice(body);
    }
    let mut answer = Answer::default();
    answer.send(Duration::ZERO, bytes);
    if form.persistence == Persistence::Closed {
        answer.end(Duration::ZERO, Step::Close);
    }
    answer
}

struct Content<'a> {
    content_type: &'a str,
    body: &'a [u8],
}

fn composed(
    content: &Content,
    behaviour: &Behaviour,
    mut form: ReplyForm,
    delay: Duration,
    generator: &mut Generator,
) -> Answer {
    let fault = behaviour.draw_fault(generator);
    let framing = match behaviour.framing {
        Framing::Chunked if form.is_http_1_0 => Framing::UntilClose,
        other => other,
    };
    if framing == Framing::UntilClose {
        form.persistence = Persistence::Closed;
    }
    let mut answer = Answer::default();
    // HTTP/1.0 has no interim replies (RFC 9110 §15.2).
    if behaviour.interims > 0 && !form.is_http_1_0 {
        answer.send(Duration::ZERO, head::EARLY_HINTS.repeat(behaviour.interims));
    }
    match fault {
        Some(Fault::Reset) => answer.end(delay, Step::Reset),
        Some(Fault::Close) => answer.end(delay, Step::Close),
        Some(Fault::Never) => answer.end(delay, Step::Never),
        Some(Fault::Garbage) => {
            answer.send(delay, GARBAGE.to_vec());
            answer.end(delay, Step::Close);
        }
        other => {
            let (head, payload) = framed(content, other, framing, form, generator);
            broken(&mut answer, delay, head, payload, other);
            if form.persistence == Persistence::Closed && !answer.is_last {
                answer.end(delay, Step::Close);
            }
        }
    }
    answer
}

/// Head and payload, with the faults that change their bytes.
fn framed(
    content: &Content,
    fault: Option<Fault>,
    framing: Framing,
    form: ReplyForm,
    generator: &mut Generator,
) -> (Vec<u8>, Vec<u8>) {
    let mut body = content.body.to_vec();
    let (status, offset) = match fault {
        Some(Fault::Status(status)) => (status, 0),
        Some(Fault::Length(offset)) => (200, offset),
        _ => (200, 0),
    };
    if fault == Some(Fault::Corrupt) {
        corrupt(&mut body, generator);
    }
    let size = match framing {
        _ if head::is_bodiless(status) => Size::Absent,
        Framing::Length => Size::Length((body.len() as u64).saturating_add_signed(offset)),
        Framing::Chunked => Size::Chunked,
        Framing::UntilClose => Size::Absent,
    };
    let head = head::head(status, content.content_type, size, form.persistence);
    let payload = match framing {
        _ if form.head_only || head::is_bodiless(status) => Vec::new(),
        Framing::Chunked => head::chunked(&body),
        _ => body,
    };
    (head, payload)
}

/// Plans the sending of a reply, truncated or slowed down as the fault says.
fn broken(
    answer: &mut Answer,
    delay: Duration,
    head: Vec<u8>,
    payload: Vec<u8>,
    fault: Option<Fault>,
) {
    let drip = |bytes, step, interval| Step::Drip {
        bytes,
        sent: 0,
        step,
        interval,
    };
    let cut = match fault {
        Some(Fault::Half) => Some(head.len() + payload.len() / 2),
        Some(Fault::Truncate(count)) => Some(count),
        _ => None,
    };
    if let Some(Fault::SlowHead(interval)) = fault {
        answer.steps.push((delay, drip(head, 1, interval)));
        return answer.send(delay, payload);
    }
    let mut bytes = head;
    bytes.extend_from_slice(&payload);
    if let Some(Fault::Drip {
        bytes: step,
        interval,
    }) = fault
    {
        return answer.steps.push((delay, drip(bytes, step, interval)));
    }
    bytes.truncate(cut.unwrap_or(usize::MAX));
    answer.send(delay, bytes);
    if cut.is_some() {
        answer.end(delay, Step::Close);
    }
}
