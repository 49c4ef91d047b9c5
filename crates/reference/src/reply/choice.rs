//! Request target → the content of its answer, in either version of HTTP. Pure, except for the random number generator.

use std::time::Duration;

use rand_xoshiro::rand_core::Rng;

use crate::behaviour::Behaviour;
use crate::behaviour::fault::Fault;
use crate::duration::parse_duration;
use crate::random::Generator;
use crate::reply::echo;
use crate::reply::page::{PreparedPage, Site};
use crate::request::query;

/// The content type of messages.
pub(crate) const PLAIN: &str = "text/plain";
pub(crate) const GARBAGE: &[u8] = b"\x16\x03\x01 this is not HTTP \x00\xff\r\n\r\n";

/// The content of an answer.
pub(crate) enum Choice<'a> {
    Page(&'a PreparedPage, Behaviour, Duration),
    /// The echo of the query.
    Echo(Vec<u8>, Behaviour, Duration),
    /// A stall of the whole server, and its message.
    Stall(Duration, String),
    /// A status with a message.
    Message(u16, String),
}

/// Chooses the answer to a request, with its delay.
pub(crate) fn choose<'a>(site: &'a Site, target: &[u8], generator: &mut Generator) -> Choice<'a> {
    let (path, query) = split(target);
    let page = site.find(path);
    if path == b"/control/stall" {
        return stall(query);
    }
    if page.is_none() && path != echo::PATH {
        return Choice::Message(404, "not found\n".to_owned());
    }
    let behaviour = match Behaviour::from_query(query) {
        Ok(behaviour) => behaviour,
        Err(faults) => return Choice::Message(400, format!("{faults}\n")),
    };
    if let Some(Fault::Grpc(_)) = behaviour.fault {
        let fault = "fault `grpc`: only for calls of gRPC\n";
        return Choice::Message(400, fault.to_owned());
    }
    let delay = behaviour
        .delay
        .map_or(Duration::ZERO, |delay| delay.draw(generator));
    match page {
        Some(page) => Choice::Page(page, behaviour, delay),
        None => Choice::Echo(echo::render(query), behaviour, delay),
    }
}

/// Flips one bit of a random byte.
pub(crate) fn corrupt(body: &mut [u8], generator: &mut Generator) {
    if !body.is_empty() {
        let place = generator.next_u64() % body.len() as u64;
        body[place as usize] ^= 1;
    }
}

/// Splits a target in origin or absolute form into path and query (RFC 9112 §3.2).
pub(crate) fn split(target: &[u8]) -> (&[u8], &[u8]) {
    let mut target = target;
    if let Some(rest) = target.strip_prefix(b"http://") {
        let slash = rest.iter().position(|byte| *byte == b'/');
        target = slash.map_or(b"/", |at| &rest[at..]);
    }
    match target.iter().position(|byte| *byte == b'?') {
        Some(at) => (&target[..at], &target[at + 1..]),
        None => (target, b""),
    }
}

fn stall(query: &[u8]) -> Choice<'static> {
    let length = query::pairs(query)
        .find(|(name, _)| *name == b"for")
        .map_or(&b""[..], |pair| pair.1);
    match parse_duration(&String::from_utf8_lossy(length)) {
        Ok(length) => Choice::Stall(length, format!("stalled for {} s\n", length.as_secs_f64())),
        Err(fault) => Choice::Message(400, format!("{fault}\n")),
    }
}
