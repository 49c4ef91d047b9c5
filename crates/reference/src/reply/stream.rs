//! Request target → its answer on a stream of HTTP/2.
//!
//! A fault breaks the reply of its own stream, where HTTP/1 can only end the connection:
//!
//! ```text
//! reset, half, truncate:N     RST_STREAM: instead of the reply, after half of the body, after N bytes of the body
//! close, garbage              end the connection, as in HTTP/1, and with it all of its streams
//! drip                        pieces of the body, each in a frame of its own
//! slowhead                    is refused: a head must not be interrupted, so it would delay all streams
//! grpc:CODE                   a head with this status of gRPC, and no message
//! ```
//! Chunks and bodies until the close are bodies without Content-Length here; chunks bring a trailer, too.

use std::sync::Arc;
use std::time::Duration;

use crate::behaviour::fault::Fault;
use crate::behaviour::{Behaviour, Framing};
use crate::random::Generator;
use crate::reply::block;
use crate::reply::choice::{Choice, PLAIN, choose, corrupt, split};
use crate::reply::echo;
use crate::reply::grpc;
use crate::reply::head::is_bodiless;
use crate::reply::page::Site;
use crate::reply::whole::WholeReply;

/// The answer to one request.
#[derive(Debug)]
pub(crate) struct StreamAnswer {
    /// Time between reading the request and acting.
    pub(crate) delay: Duration,
    /// Interim replies, sent at once.
    pub(crate) interims: usize,
    /// The whole server stalls first.
    pub(crate) stall: Option<Duration>,
    pub(crate) act: Act,
}

/// The action on a stream.
#[derive(Debug)]
pub(crate) enum Act {
    Reply(StreamReply),
    /// Resets the stream.
    Reset,
    /// Closes the connection.
    Close,
    /// Sends bytes that are not HTTP, and closes the connection.
    Garbage,
    /// Does nothing, forever.
    Never,
}

/// A reply, as it is sent.
#[derive(Debug)]
pub(crate) struct StreamReply {
    /// The encoded head.
    pub(crate) head: Vec<u8>,
    pub(crate) body: Body,
    /// Number of bytes of the body that are sent.
    pub(crate) end: usize,
    /// The stream is reset after these bytes.
    pub(crate) is_cut: bool,
    /// The encoded trailers.
    pub(crate) trailers: Option<Vec<u8>>,
    /// The body is sent in pieces of this size, one per interval.
    pub(crate) drip: Option<(usize, Duration)>,
}

/// The body of a reply.
#[derive(Debug)]
pub(crate) enum Body {
    Owned(Vec<u8>),
    /// That of a prepared reply.
    Shared(Arc<WholeReply>),
}

impl Body {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            Self::Shared(whole) => whole.body(),
        }
    }
}

/// The answer to a request for anything but a plain page. `sent`: the body of a gRPC call.
pub(crate) fn answer(
    site: &Site,
    target: &[u8],
    sent: &[u8],
    head_only: bool,
    generator: &mut Generator,
) -> StreamAnswer {
    let (path, query) = split(target);
    if path == grpc::PATH {
        return called(query, sent, generator);
    }
    match choose(site, target, generator) {
        Choice::Page(page, behaviour, delay) => {
            let body = Body::Shared(Arc::clone(page.whole()));
            if page.content_type == grpc::CONTENT_TYPE {
                return message(body, &in_chunks(&behaviour), delay, generator);
            }
            composed(&page.content_type, body, &behaviour, delay, generator)
        }
        Choice::Echo(body, behaviour, delay) => {
            let body = Body::Owned(body);
            composed(echo::CONTENT_TYPE, body, &behaviour, delay, generator)
        }
        Choice::Stall(length, message) => StreamAnswer {
            stall: Some(length),
            ..whole(200, message)
        },
        Choice::Message(status, message) => whole(status, message),
    }
    .without_body_if(head_only)
}

impl StreamAnswer {
    /// Omits the body of a reply to HEAD.
    fn without_body_if(mut self, head_only: bool) -> Self {
        if let Act::Reply(reply) = &mut self.act
            && head_only
        {
            reply.end = 0;
            (reply.is_cut, reply.trailers) = (false, None);
        }
        self
    }
}

/// The answer to a gRPC call.
fn called(query: &[u8], sent: &[u8], generator: &mut Generator) -> StreamAnswer {
    let behaviour = match Behaviour::from_query(query) {
        Ok(behaviour) => behaviour,
        Err(faults) => return refused(grpc::INVALID_ARGUMENT, &faults.replace('\n', "; ")),
    };
    let Some(body) = grpc::sum(sent) else {
        return refused(grpc::INVALID_ARGUMENT, "expected the numbers a and b");
    };
    let delay = behaviour.delay;
    let delay = delay.map_or(Duration::ZERO, |delay| delay.draw(generator));
    let fault = behaviour.draw_fault(generator);
    if let Some(Fault::Grpc(code)) = fault {
        return StreamAnswer {
            delay,
            ..refused(code, "as the fault says")
        };
    }
    let certain = Behaviour {
        fault,
        share: 1.0,
        ..behaviour
    };
    message(Body::Owned(body), &in_chunks(&certain), delay, generator)
}

/// The behaviour of a reply whose end its trailers show.
fn in_chunks(behaviour: &Behaviour) -> Behaviour {
    Behaviour {
        framing: Framing::Chunked,
        ..behaviour.clone()
    }
}

/// A message with the status OK behind it.
fn message(
    body: Body,
    behaviour: &Behaviour,
    delay: Duration,
    generator: &mut Generator,
) -> StreamAnswer {
    let mut answer = composed(grpc::CONTENT_TYPE, body, behaviour, delay, generator);
    if let Act::Reply(reply) = &mut answer.act
        && let Some(trailers) = &mut reply.trailers
    {
        *trailers = block::grpc_status(0, "");
    }
    answer
}

/// The answer to a gRPC call with another status than OK.
fn refused(status: u8, message: &str) -> StreamAnswer {
    let mut answer = whole(200, String::new());
    if let Act::Reply(reply) = &mut answer.act {
        reply.head = block::head(200, grpc::CONTENT_TYPE, None);
        reply.head.extend(block::grpc_status(status, message));
    }
    answer
}

fn whole(status: u16, message: String) -> StreamAnswer {
    let length = message.len();
    StreamAnswer {
        delay: Duration::ZERO,
        interims: 0,
        stall: None,
        act: Act::Reply(StreamReply {
            head: block::head(status, PLAIN, Some(length as u64)),
            body: Body::Owned(message.into_bytes()),
            end: length,
            is_cut: false,
            trailers: None,
            drip: None,
        }),
    }
}

fn composed(
    content_type: &str,
    mut body: Body,
    behaviour: &Behaviour,
    delay: Duration,
    generator: &mut Generator,
) -> StreamAnswer {
    let fault = behaviour.draw_fault(generator);
    if let Some(Fault::SlowHead(_)) = fault {
        return whole(
            400,
            "fault `slowhead`: not available over HTTP/2\n".to_owned(),
        );
    }
    if fault == Some(Fault::Corrupt) {
        let mut bytes = body.bytes().to_vec();
        corrupt(&mut bytes, generator);
        body = Body::Owned(bytes);
    }
    StreamAnswer {
        delay,
        interims: behaviour.interims,
        stall: None,
        act: match fault {
            Some(Fault::Reset) => Act::Reset,
            Some(Fault::Close) => Act::Close,
            Some(Fault::Garbage) => Act::Garbage,
            Some(Fault::Never) => Act::Never,
            other => Act::Reply(broken(content_type, body, behaviour.framing, other)),
        },
    }
}

/// A reply with the fault that changes its bytes, if it has one.
fn broken(content_type: &str, body: Body, framing: Framing, fault: Option<Fault>) -> StreamReply {
    let length = body.bytes().len();
    let (status, offset) = match fault {
        Some(Fault::Status(status)) => (status, 0),
        Some(Fault::Length(offset)) => (200, offset),
        _ => (200, 0),
    };
    let is_bodiless = is_bodiless(status);
    let said = (framing == Framing::Length && !is_bodiless)
        .then(|| (length as u64).saturating_add_signed(offset));
    let cut = match fault {
        Some(Fault::Half) => Some(length / 2),
        Some(Fault::Truncate(count)) => Some(count.min(length)),
        _ => None,
    };
    let has_trailers = framing == Framing::Chunked && !is_bodiless && cut.is_none();
    StreamReply {
        head: block::head(status, content_type, said),
        body,
        end: if is_bodiless {
            0
        } else {
            cut.unwrap_or(length)
        },
        is_cut: cut.is_some(),
        trailers: has_trailers.then(block::trailers),
        drip: match fault {
            Some(Fault::Drip { bytes, interval }) => Some((bytes, interval)),
            _ => None,
        },
    }
}
