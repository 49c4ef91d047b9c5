//! The state that all connections of a thread share: the plan, the checks of replies, the counters.

use std::sync::Arc;

use wire::{Compression, Event, Fields, LastHead};

use crate::connection::check::{BodyCheck, Checker};
use crate::connection::cookies::Jars;
use crate::connection::grpc::GrpcReplies;
use crate::connection::kept_values::KeptValues;
use crate::connection::turns::{SessionNumbers, Turns};
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
    /// The values that sessions keep; `None`: they keep none.
    pub kept: Option<Box<KeptValues>>,
    /// The replies of gRPC; `None`: no request is of gRPC.
    pub grpc: Option<Box<GrpcReplies>>,
    /// The numbers of calls among those of their request; `None`: no request has placeholders.
    pub turns: Option<Box<Turns>>,
    /// The numbers of sessions; `None`: no call needs that of its session.
    pub session_numbers: Option<Box<SessionNumbers>>,
    /// Sessions have cookies, or values from the heads or the bodies of replies.
    pub reads_heads: bool,
    /// Some requests are not sent as they are in the rotation.
    pub composes: bool,
    /// The bytes of requests or replies are wanted, for values or for a record.
    pub watched: bool,
}

impl ThreadState {
    /// The replies that are read next are received on this connection.
    pub fn turn_to(&mut self, id: u32) {
        if let Some(jars) = &mut self.jars {
            jars.turn_to(id);
        }
        if let Some(kept) = &mut self.kept {
            kept.turn_to(id);
        }
    }

    /// The head of a reply to a call came, in this version of HTTP.
    #[inline]
    pub fn read_head(
        &mut self,
        call: &Call,
        status: u16,
        compression: Compression,
        http: &'static str,
        fields: Fields,
    ) {
        let first = &mut self.counters.records.first;
        if !first.is_known() {
            let kept = self.kept.as_deref();
            let is_secret = |name: &[u8]| kept.is_some_and(|kept| kept.is_in_header(name));
            first.received(call.number, status, http, fields.clone(), is_secret);
        }
        if let Some(kept) = &mut self.kept {
            kept.read_head(call.request, compression, fields.clone());
        }
        if let Some(jars) = &mut self.jars {
            jars.read(fields);
        }
    }

    /// Some of the body of a reply came, which may have values of its session.
    pub fn read_body(&mut self, data: &[u8]) {
        if let Some(kept) = &mut self.kept {
            kept.read_body(data);
        }
    }

    /// Passes received bytes on to the values that sessions keep; and to the trace: those of heads as they came, those
    /// of bodies without framing.
    #[inline]
    pub fn watch(&mut self, call: &Call, event: Event, bytes: &[u8]) {
        if let Event::Body(data) = &event {
            self.read_body(data);
        }
        if let Some(trace) = &mut self.counters.records.trace {
            match event {
                Event::Body(data) => trace.add(call.number, Kind::ReplyBody, data),
                _ if call.status == 0 => trace.add(call.number, Kind::ReplyHead, bytes),
                _ => {}
            }
        }
    }

    /// Keeps the values of a reply to this request if it is right. Returns the outcome of its call.
    #[inline(never)]
    pub fn keep_values(&mut self, request: u32, reply: Reply) -> Reply {
        if reply == Reply::Right
            && let Some(kept) = &mut self.kept
            && !kept.finish(request)
        {
            return Reply::NoValue;
        }
        reply
    }

    /// Keeps the words of a wrong reply.
    pub fn explain_reply(&mut self, call: &Call, reply: Reply, check: &BodyCheck) {
        let (kept, grpc) = (self.kept.as_deref(), self.grpc.as_deref());
        let name = &self.plan.names[call.request as usize];
        let checker = &self.checker;
        self.counters.explain(call, || match reply {
            Reply::WrongStatus => format!("{name}: status {}", call.status),
            Reply::NoValue => format!("{name}: {}", kept.map_or("", KeptValues::fault)),
            Reply::GrpcStatus | Reply::Invalid => {
                format!("{name}: {}", grpc.map_or("", GrpcReplies::fault))
            }
            _ => format!(
                "{name}: {}",
                check.fault(&checker.expectation(call.request))
            ),
        });
    }
}
