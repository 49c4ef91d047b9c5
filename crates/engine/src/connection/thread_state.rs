//! The state that all connections of a thread share: the plan, the checks of replies, the counters.

use std::sync::Arc;

use wire::{Event, Fields, Head, LastHead};

use crate::connection::check::{BodyCheck, Checker};
use crate::connection::cookies::Jars;
use crate::connection::turns::Turns;
use crate::measurement::call::{Call, Reply};
use crate::measurement::counters::Counters;
use crate::measurement::kernel::Stamp;
use crate::measurement::records::trace::Kind;
use crate::plan::compiled::CompiledPlan;

/// The shared state of a thread's connections.
#[derive(Debug)]
pub struct ThreadState {
    pub plan: Arc<CompiledPlan>,
    pub checker: Checker,
    pub counters: Counters,
    pub last_head: LastHead,
    /// The kernel timestamps of the bytes just received.
    pub stamp: Option<Stamp>,
    /// The places of the requests that just got wrong replies, if the load asks for them.
    pub wrong: Vec<usize>,
    /// The cookies of sessions; `None`: they keep none.
    pub jars: Option<Box<Jars>>,
    /// The numbers of calls among those of their request; `None`: no request has placeholders.
    pub turns: Option<Box<Turns>>,
    /// Some requests are not sent as they are in the rotation.
    pub composes: bool,
    /// The bytes of requests or replies are wanted, for cookies or for a record.
    pub watched: bool,
}

impl ThreadState {
    /// The head of a reply came on the connection with this number.
    #[inline]
    pub fn read_head(&mut self, connection: u32, head: &Head, fields: Fields) {
        let first = &mut self.counters.records.first;
        if !first.is_known() {
            first.received(connection, head, fields.clone());
        }
        if let Some(jars) = &mut self.jars {
            jars.read(fields);
        }
    }

    /// Adds received bytes to the trace, if there is one: those of heads as they came, those of bodies without framing.
    #[inline]
    pub fn trace(&mut self, call: &Call, event: Event, bytes: &[u8]) {
        if let Some(trace) = &mut self.counters.records.trace {
            match event {
                Event::Body(data) => trace.add(call.number, Kind::ReplyBody, data),
                _ if call.status == 0 => trace.add(call.number, Kind::ReplyHead, bytes),
                _ => {}
            }
        }
    }

    pub fn explain_reply(&mut self, call: &Call, reply: Reply, check: &BodyCheck) {
        let name = &self.plan.names[call.request as usize];
        let checker = &self.checker;
        self.counters.explain(call, || match reply {
            Reply::WrongStatus => format!("{name}: status {}", call.status),
            _ => format!(
                "{name}: {}",
                check.fault(&checker.expectation(call.request))
            ),
        });
    }
}
