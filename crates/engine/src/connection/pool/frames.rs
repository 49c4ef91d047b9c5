//! The frames that a server of HTTP/2 or HTTP/3 sends: what they mean for the calls on its streams.

use std::collections::VecDeque;
use std::sync::Arc;

use driver::{Driver, NEVER, Nanos};
use tally::ErrorClass;
use wire::StreamFault;
use wire::h2::{ErrorCode, Event, ReplyHead, Stream};

use crate::connection::exchange::Exchange;
use crate::connection::http2::{Lane, Link, Links, Phase};
use crate::connection::pool::Pool;
use crate::connection::pool::freed::Freed;
use crate::connection::thread_state::ThreadState;
use crate::connection::timers::Timers;
use crate::connection::{Connection, State, deadlines};
use crate::measurement::records::trace::Kind;

/// The calls of a thread, while the frames of one connection are read.
struct Calls<'a> {
    lanes: &'a mut [Lane],
    connections: &'a mut [Connection],
    thread: &'a mut ThreadState,
    timers: &'a mut Timers,
    freed: &'a mut VecDeque<Freed>,
    now: Nanos,
}

impl<D: Driver> Pool<D> {
    /// The connection is established, and secure: HTTP/2 begins.
    pub(super) fn link_connected(&mut self, slot: u32, now: Nanos) {
        let Some(links) = &mut self.http2 else {
            return;
        };
        let link = &mut links.by_slot[slot as usize];
        let took = now - link.connect_began;
        if link.state == State::Connecting {
            self.thread.counters.reached(took, now);
        } else {
            self.thread.counters.secured(took, now);
        }
        link.state = State::Securing;
        link.client.connect();
        links.mark(slot);
        self.extend_waits(slot, now);
    }

    /// The peer accepted the connection, and a TLS handshake begins.
    pub(super) fn link_reached(&mut self, slot: u32, now: Nanos) {
        if let Some(links) = &mut self.http2 {
            let link = &mut links.by_slot[slot as usize];
            let took = now - link.connect_began;
            self.thread.counters.reached(took, now);
            (link.connect_began, link.state) = (now, State::Securing);
        }
        self.extend_waits(slot, now);
    }

    /// A connection made progress: the calls that wait for it have their idle timeout from here on.
    fn extend_waits(&mut self, slot: u32, now: Nanos) {
        let plan = &self.thread.plan;
        let Some(links) = self.http2.as_ref().filter(|_| plan.idle_timeout.is_some()) else {
            return;
        };
        for lane in &links.by_slot[slot as usize].waiting {
            let deadline = self.connections[*lane as usize].connect_deadline(plan, now);
            self.timers.set(*lane, deadline);
        }
    }

    /// Handles received bytes.
    pub(super) fn receive_frames(&mut self, slot: u32, now: Nanos) {
        let Some(links) = &mut self.http2 else {
            return;
        };
        let link = &mut links.by_slot[slot as usize];
        let was_open = link.state == State::Open;
        let bytes = self.driver.received();
        self.thread.counters.received(bytes.len() as u64, now);
        let mut calls = Calls {
            lanes: &mut links.lanes,
            connections: &mut self.connections,
            thread: &mut self.thread,
            timers: &mut self.timers,
            freed: &mut self.freed,
            now,
        };
        let read = calls.read(link, bytes);
        if let Some(counts) = &mut self.thread.counters.http2 {
            counts.windows_used_up += link.client.take_used_up();
        }
        if let Err(fault) = read {
            if !was_open {
                // Its settings came together with the fault: it was never ready.
                link.state = State::Securing;
            }
            return self.break_link(slot, ErrorClass::Protocol, &fault.to_string(), now);
        }
        let (is_open, is_spent) = (link.state == State::Open, link.client.is_spent());
        if is_open && !was_open {
            self.link_ready(slot, now);
        }
        if is_spent {
            self.turn_away(slot, now);
        } else {
            self.advance(slot, now);
        }
    }

    /// The server's settings have come: calls may be sent.
    fn link_ready(&mut self, slot: u32, now: Nanos) {
        let Some(links) = &mut self.http2 else {
            return;
        };
        let link = &mut links.by_slot[slot as usize];
        link.ready = now;
        let counters = &mut self.thread.counters;
        counters.connections.connected();
        if let Some(counts) = &mut counters.http2
            && counters.window.contains(now)
        {
            counts.setup.record(now - link.began);
        }
        let waiting: Vec<u32> = link.waiting.iter().copied().collect();
        self.start_streams(slot, now);
        // Those that find no stream wait for one from here on.
        for lane in waiting {
            if let Some(links) = &mut self.http2 {
                let place = &mut links.lanes[lane as usize];
                if place.phase == Phase::Waiting && place.link == slot {
                    place.since = Some(now);
                    self.limit_wait(lane, now);
                }
            }
        }
    }

    /// The server takes no more calls on a connection, or all its ids are used.
    fn turn_away(&mut self, slot: u32, now: Nanos) {
        let Some(links) = &self.http2 else {
            return;
        };
        let link = &links.by_slot[slot as usize];
        if let Some(code) = link.goaway
            && link.served == 0
            && !link.waiting.is_empty()
        {
            // It would go on for ever with the next connection.
            let reason = format!("the server ended the connection before it took a call ({code})");
            return self.break_link(slot, ErrorClass::GoAway, &reason, now);
        }
        let (seat, is_new) = (link.seat, !links.is_detached(slot));
        let served = link.served > 0;
        self.detach(slot, now);
        let has_successor = |links: &Links| links.taken_by(seat).is_some();
        if is_new
            && served
            && self.takes_work(now)
            && !self.http2.as_deref().is_some_and(has_successor)
        {
            // So that no later call has to wait for it. If this fails, the next call tries again.
            let _ = self.open_link(seat, now);
        }
    }
}

impl Calls<'_> {
    /// Reads the frames in `rest`.
    fn read(&mut self, link: &mut Link, mut rest: &[u8]) -> Result<(), StreamFault> {
        loop {
            let (used, event) = link.client.next(rest)?;
            rest = &rest[used..];
            match event {
                Event::NeedMore => return Ok(()),
                Event::Head { stream, head } => self.head(link, stream, head),
                Event::Body { stream, data } => self.body(link, stream, data),
                Event::End { stream } => self.end(link, stream),
                Event::Settings => self.settings(link),
                Event::Opened { stream } => {
                    let lane = stream.map(|stream| link.lane_of(stream));
                    link.widened(lane);
                }
                Event::Reset { stream, code } => self.reset(link, stream, code),
                Event::Malformed { stream, error } => {
                    self.fail(link, stream, ErrorClass::Protocol, &error.to_string());
                }
                Event::GoAway { code } => {
                    if link.goaway.is_none()
                        && let Some(counts) = &mut self.thread.counters.http2
                    {
                        counts.goaways.add(code);
                    }
                    link.goaway = Some(code);
                }
                Event::Unprocessed { stream } => {
                    let code = link.goaway.unwrap_or(ErrorCode::NO_ERROR);
                    let reason = format!(
                        "the server ended the connection and did not process the request ({code})"
                    );
                    self.refused(link, stream, ErrorClass::GoAway, &reason);
                }
            }
        }
    }

    fn settings(&mut self, link: &mut Link) {
        link.state = State::Open;
        link.widened(None);
        if let Some(counts) = &mut self.thread.counters.http2 {
            counts.limited(link.client.stream_limit());
        }
    }

    #[inline]
    fn head(&mut self, link: &mut Link, stream: Stream, head: ReplyHead) {
        let lane = link.lane_of(stream);
        let connection = &mut self.connections[lane as usize];
        connection.progress = self.now;
        let Some(exchange) = connection.calls.front_mut() else {
            return;
        };
        let call = &mut exchange.call;
        call.first = self.now;
        call.head_bytes = link.client.block_bytes() as u32;
        if self.thread.reads_heads || !self.thread.counters.records.first.is_known() {
            self.thread.turn_to(lane);
            self.thread.read_head(
                call,
                head.status,
                head.compression,
                link.client.version(),
                link.client.fields(),
            );
        }
        if let Some(trace) = &mut self.thread.counters.records.trace {
            let fields = link.client.fields();
            let number = exchange.call.number;
            trace.fields(number, Kind::ReplyHead, Some(head.status), fields);
        }
        exchange.begin_body(head.status, head.compression, self.thread);
        let deadline = connection.deadline(&self.thread.plan);
        self.timers.set(lane, deadline);
    }

    #[inline]
    fn body(&mut self, link: &Link, stream: Stream, data: &[u8]) {
        let lane = link.lane_of(stream);
        let connection = &mut self.connections[lane as usize];
        connection.progress = self.now;
        if self.thread.reads_heads {
            self.thread.turn_to(lane);
            self.thread.read_body(data);
        }
        if let Some(exchange) = connection.calls.front_mut() {
            if let Some(trace) = &mut self.thread.counters.records.trace {
                trace.add(exchange.call.number, Kind::ReplyBody, data);
            }
            if let Some(grpc) = &mut self.thread.grpc {
                grpc.feed(lane, exchange.check.seen(), data);
            }
            exchange.feed(data, self.thread);
        }
        let deadline = connection.deadline(&self.thread.plan);
        self.timers.set(lane, deadline);
    }

    #[inline]
    fn end(&mut self, link: &mut Link, stream: Stream) {
        let lane = link.lane_of(stream);
        let connection = &mut self.connections[lane as usize];
        connection.answered = link.answered;
        if self.thread.reads_heads {
            self.thread.turn_to(lane);
        }
        let verdict = match (&mut self.thread.grpc, connection.calls.front()) {
            (Some(grpc), Some(Exchange { call, check })) => {
                let last = link.client.last_fields();
                grpc.judge(
                    lane,
                    call,
                    check.seen(),
                    last.as_ref(),
                    &mut self.thread.counters,
                )
            }
            _ => None,
        };
        connection.complete(self.now, false, verdict, self.thread);
        link.answered += 1;
        self.leave(link, lane);
        if !self.thread.wrong.is_empty() {
            let wrong = self.thread.wrong.drain(..);
            let reported = wrong.map(|place| Freed::Wrong { id: lane, place });
            self.freed.extend(reported);
        }
        self.freed.push_back(Freed::Answered(lane));
    }

    fn reset(&mut self, link: &mut Link, stream: Stream, code: ErrorCode) {
        if let Some(counts) = &mut self.thread.counters.http2 {
            counts.resets.add(code);
        }
        if code.is_refusal() {
            let reason = format!("the server refused the stream ({code})");
            self.refused(link, stream, ErrorClass::RefusedStream, &reason);
        } else {
            let reason = format!("the server reset the stream ({code})");
            self.fail(link, stream, ErrorClass::StreamReset, &reason);
        }
    }

    /// The server has not processed the call on a stream: it is sent again, or fails.
    fn refused(&mut self, link: &mut Link, stream: Stream, class: ErrorClass, reason: &str) {
        let lane = link.lane_of(stream);
        if !self.resend(link, lane) {
            self.fail(link, stream, class, reason);
        }
    }

    /// The call of a lane waits for a stream once more. Returns false if it may not.
    fn resend(&mut self, link: &mut Link, number: u32) -> bool {
        let plan = Arc::clone(&self.thread.plan);
        let is_planned = plan.http2.as_ref().is_some_and(|one| one.resend_refused);
        if !is_planned || self.now >= self.thread.counters.window.stop {
            return false;
        }
        let connection = &mut self.connections[number as usize];
        let call = connection.calls.front().map(|one| one.call.number);
        if call.is_none() || self.lanes[number as usize].resent == call {
            return false;
        }
        connection.rewind(self.thread);
        if let Some(counts) = &mut self.thread.counters.http2 {
            counts.resent += 1;
        }
        self.leave(link, number);
        let lane = &mut self.lanes[number as usize];
        (lane.phase, lane.since, lane.resent) = (Phase::Waiting, Some(self.now), call);
        link.waiting.push_back(number);
        let deadline = deadlines::stream_deadline(&plan, self.now);
        self.timers.set(number, deadline);
        true
    }

    /// The call on a stream fails.
    fn fail(&mut self, link: &mut Link, stream: Stream, class: ErrorClass, reason: &str) {
        let lane = link.lane_of(stream);
        let connection = &mut self.connections[lane as usize];
        connection.answered = link.answered;
        connection.fail(class, reason, self.now, self.thread);
        self.leave(link, lane);
        self.freed.push_back(Freed::Failed {
            id: lane,
            connecting: false,
            lost: 1,
        });
    }

    /// The stream of a lane has ended.
    #[inline]
    fn leave(&mut self, link: &mut Link, lane: u32) {
        link.forget(lane);
        self.lanes[lane as usize].phase = Phase::Idle;
        self.timers.set(lane, NEVER);
    }
}
