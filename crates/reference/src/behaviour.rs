//! The options in a query that change a reply: delay, fault, framing, interim replies.

use std::str::FromStr;

use crate::random::{Generator, unit};
use crate::request::query;

pub mod delay;
pub mod fault;

use delay::{Delay, parse_share};
use fault::Fault;

/// Most interim replies to one request.
const MOST_INTERIMS: usize = 100;

/// The framing of a body: how the reply shows where it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    #[default]
    Length,
    /// `chunked=1`: in chunks, with a trailer. HTTP/1.0 has no chunks and gets `UntilClose`.
    Chunked,
    /// `until_close=1`: the body ends with the connection.
    UntilClose,
}

/// The options of one request, read from its query. Other names in the query are ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct Behaviour {
    /// `delay=`: time between reading the request and sending the reply.
    pub delay: Option<Delay>,
    /// `fault=`
    pub fault: Option<Fault>,
    /// `share=`: the share of requests that get the fault, drawn at random for each.
    pub share: f64,
    pub framing: Framing,
    /// `interim=`: number of 103 replies, sent at once, before any delay.
    pub interims: usize,
}

impl Behaviour {
    /// Reads a query. An error reports all faults at once, one per line.
    pub fn from_query(query: &[u8]) -> Result<Self, String> {
        let mut behaviour = Self {
            delay: None,
            fault: None,
            share: 1.0,
            framing: Framing::default(),
            interims: 0,
        };
        let mut faults = Vec::new();
        for (name, value) in query::pairs(query) {
            let value = String::from_utf8_lossy(&query::decode(value, false)).into_owned();
            if let Err(fault) = behaviour.set(name, &value) {
                faults.push(fault);
            }
        }
        if faults.is_empty() {
            Ok(behaviour)
        } else {
            Err(faults.join("\n"))
        }
    }

    /// The fault of one reply, drawn with its share.
    pub(crate) fn draw_fault(&self, generator: &mut Generator) -> Option<Fault> {
        self.fault
            .filter(|_| self.share >= 1.0 || unit(generator) < self.share)
    }

    /// True if the reply differs from the plain one at most in its delay.
    pub(crate) fn is_plain(&self) -> bool {
        self.fault.is_none() && self.interims == 0 && self.framing == Framing::Length
    }

    fn set(&mut self, name: &[u8], value: &str) -> Result<(), String> {
        match name {
            b"delay" => self.delay = Some(value.parse()?),
            b"fault" => self.fault = Some(Fault::from_str(value)?),
            b"share" => self.share = parse_share(value)?,
            b"chunked" if switch("chunked", value)? => self.framing = Framing::Chunked,
            b"until_close" if switch("until_close", value)? => self.framing = Framing::UntilClose,
            b"interim" => self.interims = parse_interims(value)?,
            _ => {}
        }
        Ok(())
    }
}

fn switch(name: &str, value: &str) -> Result<bool, String> {
    match value {
        "1" => Ok(true),
        "0" => Ok(false),
        _ => Err(format!("{name} `{value}`: expected 0 or 1")),
    }
}

fn parse_interims(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| *count <= MOST_INTERIMS);
    count.ok_or_else(|| format!("interim `{text}`: expected 0 to {MOST_INTERIMS}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn options_are_read_among_other_parameters() {
        let query =
            b"value=x&delay=uniform%3A5ms-15ms&fault=length+3&share=0.1&chunked=1&interim=2";
        let (low, high) = (Duration::from_millis(5), Duration::from_millis(15));
        let expected = Behaviour {
            delay: Some(Delay::Uniform { low, high }),
            fault: Some(Fault::Length(3)),
            share: 0.1,
            framing: Framing::Chunked,
            interims: 2,
        };
        assert_eq!(Behaviour::from_query(query), Ok(expected));
    }

    #[test]
    fn all_malformed_options_are_reported_at_once() {
        let message = Behaviour::from_query(b"delay=soon&share=2&chunked=yes&interim=-1&fault=x")
            .unwrap_err();
        let subjects = ["`soon`", "`2`", "`yes`", "`-1`", "`x`"];
        assert_eq!(message.lines().count(), subjects.len(), "{message}");
        for (line, subject) in message.lines().zip(subjects) {
            assert!(line.contains(subject), "{line}");
        }
    }
}
