//! The values that sessions keep from their replies, and send with later requests. They are secrets: nothing shows them.
//!
//! Memory is bounded, whatever replies have: so many values per session, 4 KiB each; and the room for bodies that are
//! not complete.

use std::sync::Arc;

use answer::value::{LONGEST_VALUE, MOST_SEARCHED, beginning, keep};
use wire::Compression;

use crate::connection::decoder::Decoder;
use crate::plan::compiled::CompiledPlan;
use crate::plan::expected::Room;
use crate::plan::keep::{Keeping, Kept, Part};
use crate::plan::placeholders::escape::Place;

/// Bytes of a body whose beginning only a message shows.
const SHOWN: usize = 1000;

/// The values of the sessions of one thread.
#[derive(Debug)]
pub struct KeptValues {
    /// Lanes of a session: connections, or streams of one.
    width: u32,
    names: Vec<String>,
    /// For each request, the values that its replies have.
    of: Vec<Vec<Kept>>,
    /// By session, then by name.
    values: Vec<Vec<u8>>,
    /// By connection: the reply that it receives.
    replies: Vec<Arriving>,
    /// The connection whose replies are read.
    current: u32,
    room: Arc<Room>,
    /// The reason why the last reply that lacked a value did.
    fault: String,
}

/// A reply with values, as far as it has come.
#[derive(Debug, Default)]
struct Arriving {
    /// The values of its head that have come, by the bit of their name.
    found: u32,
    body: Vec<u8>,
    /// Most bytes of the body that are wanted.
    most: usize,
    decoder: Option<Box<Decoder>>,
    /// Some of the body has come.
    begun: bool,
    fault: Option<&'static str>,
}

impl KeptValues {
    /// The values of a run in which sessions keep some; `None` otherwise.
    pub fn of(plan: &CompiledPlan) -> Option<Box<Self>> {
        let keeping = plan.keeping.as_ref()?;
        Some(Box::new(Self::new(keeping, plan.session_lanes())))
    }

    /// No values, of sessions with `width` lanes each.
    fn new(keeping: &Keeping, width: u32) -> Self {
        Self {
            width,
            names: keeping.names.clone(),
            of: keeping.of.clone(),
            values: Vec::new(),
            replies: Vec::new(),
            current: 0,
            room: Arc::clone(&keeping.room),
            fault: String::new(),
        }
    }

    /// Adds the next connection.
    pub fn add_connection(&mut self) {
        self.replies.push(Arriving::default());
        let sessions = (self.replies.len() as u32).div_ceil(self.width);
        let values = sessions as usize * self.names.len();
        self.values.resize_with(values, Vec::new);
    }

    /// The replies that are read next are received on this connection.
    pub fn turn_to(&mut self, id: u32) {
        self.current = id;
    }

    /// The session of this connection is over: forgets its values.
    pub fn clear(&mut self, id: u32) {
        self.replies[id as usize].clear(&self.room);
        let first = self.first_value(id);
        for value in &mut self.values[first..first + self.names.len()] {
            value.clear();
        }
    }

    /// Appends a value of the session of this connection, as it is in this place of a request.
    pub fn write(&self, id: u32, name: usize, place: Place, out: &mut Vec<u8>) {
        place.write(&self.values[self.first_value(id) + name], out);
    }

    /// True if this header of replies has a value.
    pub fn is_in_header(&self, header: &[u8]) -> bool {
        self.of.iter().flatten().any(|kept| match &kept.part {
            Part::Body(_) => false,
            Part::Header(name) => header.eq_ignore_ascii_case(name.as_bytes()),
            Part::Cookie(_) => header.eq_ignore_ascii_case(b"set-cookie"),
        })
    }

    /// The head of a reply to this request has come.
    pub fn read_head<'a>(
        &mut self,
        request: u32,
        compression: Compression,
        fields: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    ) {
        let first = self.first_value(self.current);
        let reply = &mut self.replies[self.current as usize];
        reply.clear(&self.room);
        let kept = &self.of[request as usize];
        if kept.is_empty() {
            return;
        }
        let in_body = kept.iter().any(|one| matches!(one.part, Part::Body(_)));
        reply.most = if in_body { MOST_SEARCHED } else { SHOWN };
        if compression != Compression::None {
            reply.decoder = Some(Box::new(Decoder::new(compression)));
        }
        for (header, text) in fields {
            for Kept { index, part } in kept {
                let found = match part {
                    Part::Body(_) => None,
                    Part::Header(name) => header
                        .eq_ignore_ascii_case(name.as_bytes())
                        .then_some(text.trim_ascii()),
                    Part::Cookie(name) => cookie(header, text, name.as_bytes()),
                };
                let value = &mut self.values[first + *index as usize];
                if found.is_some_and(|found| keep(found, value).is_ok()) {
                    reply.found |= 1 << index;
                }
            }
        }
    }

    /// More of the body of the reply has come.
    pub fn read_body(&mut self, data: &[u8]) {
        self.replies[self.current as usize].read_body(data, &self.room);
    }

    /// The right reply to this request is complete: keeps the values of its body. False: one of its values is missing.
    pub fn finish(&mut self, request: u32) -> bool {
        let first = self.first_value(self.current);
        let reply = &mut self.replies[self.current as usize];
        reply.end_body(&self.room);
        let mut complete = true;
        for Kept { index, part } in &mut self.of[request as usize] {
            let index = *index as usize;
            let missing = |what: &str, name: &str| {
                format!(
                    "no {what} `{name}` that can be sent: {}",
                    beginning(&reply.body)
                )
            };
            let found = match part {
                Part::Body(place) => match reply.fault {
                    Some(fault) => Err(fault.into()),
                    None => place.find(&reply.body, &mut self.values[first + index]),
                },
                _ if reply.found & 1 << index > 0 => Ok(()),
                Part::Header(name) => Err(missing("header", name)),
                Part::Cookie(name) => Err(missing("cookie", name)),
            };
            if let Err(fault) = found {
                self.fault = format!("no value for `{}`: {fault}", self.names[index]);
                complete = false;
                break;
            }
        }
        reply.clear(&self.room);
        complete
    }

    /// The reason why the last reply that lacked a value did, in short and printable words.
    pub fn fault(&self) -> &str {
        &self.fault
    }

    fn first_value(&self, id: u32) -> usize {
        (id / self.width) as usize * self.names.len()
    }
}

impl Arriving {
    /// Forgets the reply. Only a small body keeps its memory, for the next one.
    fn clear(&mut self, room: &Room) {
        if self.most == 0 {
            return;
        }
        room.give(self.body.len());
        self.body.clear();
        if self.body.capacity() > LONGEST_VALUE {
            self.body = Vec::new();
        }
        (self.found, self.most, self.begun) = (0, 0, false);
        (self.decoder, self.fault) = (None, None);
    }

    fn read_body(&mut self, data: &[u8], room: &Room) {
        if self.most == 0 || self.fault.is_some() {
            return;
        }
        self.begun = true;
        let Some(mut decoder) = self.decoder.take() else {
            self.add(data, room);
            return;
        };
        let sound = decoder.feed(data, |content| {
            self.add(content, room);
            self.body.len() < self.most
        });
        // What was wanted is there, or the body cannot be decoded.
        if !sound && self.body.len() < self.most {
            self.fault = Some("the body cannot be decoded");
        }
        self.decoder = Some(decoder).filter(|_| sound);
        if !sound {
            self.most = self.body.len().max(1);
        }
    }

    fn end_body(&mut self, room: &Room) {
        if let Some(mut decoder) = self.decoder.take()
            && self.begun
        {
            let sound = decoder.finish(|content| {
                self.add(content, room);
                true
            });
            if !sound {
                self.fault = Some("the body cannot be decoded");
            }
        }
    }

    fn add(&mut self, content: &[u8], room: &Room) {
        let content = &content[..content.len().min(self.most - self.body.len())];
        if room.take(content.len()) {
            self.body.extend_from_slice(content);
        } else {
            self.fault = Some("too many long bodies arrive at the same time");
        }
    }
}

/// The value of a cookie, if this header sets it (RFC 6265 §5.2).
fn cookie<'a>(header: &[u8], text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    if !header.eq_ignore_ascii_case(b"set-cookie") {
        return None;
    }
    let pair = text.split(|&byte| byte == b';').next()?;
    let at = pair.iter().position(|&byte| byte == b'=')?;
    (pair[..at].trim_ascii() == name).then(|| pair[at + 1..].trim_ascii())
}
