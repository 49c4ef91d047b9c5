//! The calls of HTTP/2: they get streams, wait for them, and end with them or with their connection.

use std::collections::VecDeque;

use driver::{Driver, Fault, NEVER, Nanos, What};
use tally::ErrorClass;
use wire::StreamClient;

use crate::connection::call_values::CallValues;
use crate::connection::class::class;
use crate::connection::http2::Phase;
use crate::connection::pool::Pool;
use crate::connection::pool::freed::Freed;
use crate::connection::{State, deadlines};
use crate::measurement::records::trace::Kind;
use crate::plan::http2::StreamRequest;

impl<D: Driver> Pool<D> {
    /// The call of a lane begins: it gets a stream, or waits for one.
    pub(super) fn seek_stream(&mut self, lane: u32, now: Nanos) {
        let Some(links) = &self.http2 else {
            return;
        };
        let seat = links.seat(lane);
        let slot = match links.taken_by(seat) {
            Some(slot) => slot,
            None => match self.open_link(seat, now) {
                Ok(slot) => slot,
                Err(fault) => {
                    return self.fail_lane(lane, class(fault), &fault.describe(), now, true);
                }
            },
        };
        let Some(links) = &mut self.http2 else {
            return;
        };
        let link = &mut links.by_slot[slot as usize];
        let is_open = link.state == State::Open;
        link.waiting.push_back(lane);
        let place = &mut links.lanes[lane as usize];
        (place.phase, place.link) = (Phase::Waiting, slot);
        place.since = is_open.then_some(now);
        let connection = &mut self.connections[lane as usize];
        (connection.number, connection.answered) = (link.number, link.answered);
        (connection.began, connection.ready) = (link.began, link.ready);
        if is_open && link.waiting.len() == 1 {
            self.start_streams(slot, now);
        }
        self.limit_wait(lane, now);
    }

    /// Sets the deadline of a call that waits for a stream.
    pub(super) fn limit_wait(&mut self, lane: u32, now: Nanos) {
        let Some(links) = &self.http2 else {
            return;
        };
        let place = &links.lanes[lane as usize];
        if place.phase == Phase::Waiting {
            let plan = &self.thread.plan;
            let deadline = if place.since.is_some() {
                deadlines::stream_deadline(plan, now)
            } else {
                self.connections[lane as usize].connect_deadline(plan, now)
            };
            self.timers.set(lane, deadline);
        }
    }

    /// Opens a connection for a seat, and returns its slot.
    pub(super) fn open_link(&mut self, seat: u32, now: Nanos) -> Result<u32, Fault> {
        let number = self.thread.counters.connections.begin();
        let (Some(links), Some(http2)) = (&mut self.http2, &self.thread.plan.http2) else {
            return Err(Fault::Other(0));
        };
        let slot = links.begin(seat, number, http2, now);
        let opened = self.open(slot);
        if let (Err(fault), Some(links)) = (opened, &mut self.http2) {
            links.end(slot);
            let connections = &mut self.thread.counters.connections;
            connections.broke(class(fault));
            connections.failed += 1;
        }
        opened.map(|()| slot)
    }

    /// Opens streams for the calls that wait for one, as many as there is room for.
    pub(super) fn start_streams(&mut self, slot: u32, now: Nanos) {
        let plan = &self.thread.plan;
        let (Some(links), Some(http2)) = (&mut self.http2, &plan.http2) else {
            return;
        };
        let link = &mut links.by_slot[slot as usize];
        let most = plan.calls_per_connection;
        while link.has_room(most)
            && let Some(number) = link.waiting.pop_front()
        {
            let connection = &mut self.connections[number as usize];
            let Some(exchange) = connection.calls.front_mut() else {
                continue;
            };
            let call = &mut exchange.call;
            let request = &http2.requests[call.request as usize];
            let written = &mut self.stream_bodies[number as usize];
            let opened = match request {
                StreamRequest::Fixed(head, _) => link.client.open(head),
                StreamRequest::Written(template) => {
                    let values = CallValues::of(number, call, &self.thread);
                    let room = &mut self.outgoing;
                    template.open(&mut link.client, call.turn, &values, written, room)
                }
            };
            let Some(stream) = opened else {
                link.waiting.push_front(number);
                break;
            };
            if let Some(trace) = &mut self.thread.counters.records.trace
                && let StreamRequest::Fixed(head, body) = request
            {
                trace.fields(call.number, Kind::RequestHead, None, head.fields.iter());
                trace.add(call.number, Kind::RequestBody, body);
            }
            call.sent = now;
            let lane = &mut links.lanes[number as usize];
            if let Some(counts) = &mut self.thread.counters.http2 {
                if let Some(since) = lane.since.filter(|since| *since < now) {
                    counts.got_stream(now - since, call.measured);
                }
                counts.most_streams = counts.most_streams.max(link.client.open_streams());
            }
            link.opened(number, lane, stream, !request.body(written).is_empty());
            (connection.progress, connection.ready) = (now, link.ready);
            self.timers.set(number, connection.deadline(plan));
        }
        // After a GOAWAY, `turn_away` decides.
        let is_spent = link.goaway.is_none() && link.is_spent(most);
        links.mark(slot);
        if is_spent {
            self.detach(slot, now);
        }
    }

    /// A connection takes no more calls: those that wait go to its successor, and it is closed after its last one.
    pub(super) fn detach(&mut self, slot: u32, now: Nanos) {
        if let Some(links) = &mut self.http2 {
            links.detach(slot);
        }
        let waiting = self.take_waiting(slot);
        self.move_on(waiting, now);
        self.close_if_done(slot);
    }

    /// Takes the lanes that wait for a stream of a connection.
    fn take_waiting(&mut self, slot: u32) -> VecDeque<u32> {
        let links = self.http2.as_mut();
        links.map_or_else(VecDeque::new, |links| {
            std::mem::take(&mut links.by_slot[slot as usize].waiting)
        })
    }

    /// Calls that waited for a stream wait for one of the successor of their connection.
    fn move_on(&mut self, waiting: VecDeque<u32>, now: Nanos) {
        for lane in waiting {
            self.seek_stream(lane, now);
        }
    }

    fn close_if_done(&mut self, slot: u32) {
        if let Some(links) = &self.http2
            && links.by_slot[slot as usize].state == State::Open
            && links.is_detached(slot)
            && links.by_slot[slot as usize].client.open_streams() == 0
        {
            self.close_link(slot);
        }
    }

    /// The streams of a connection have ended, or new ones may begin.
    pub(super) fn advance(&mut self, slot: u32, now: Nanos) {
        let Some(links) = &mut self.http2 else {
            return;
        };
        if links.is_detached(slot) {
            links.mark(slot);
            // Calls that are sent again.
            let waiting = self.take_waiting(slot);
            self.move_on(waiting, now);
            self.close_if_done(slot);
        } else {
            self.start_streams(slot, now);
        }
    }

    /// Closes a connection, on which no stream is open.
    pub(super) fn close_link(&mut self, slot: u32) {
        let Some(links) = &mut self.http2 else {
            return;
        };
        let link = &mut links.by_slot[slot as usize];
        if link.state == State::Closed {
            return;
        }
        if link.state == State::Open {
            let connections = &mut self.thread.counters.connections;
            connections.open -= 1;
            if link.answered > 0 {
                connections.lived(self.now.saturating_sub(link.began));
            }
        }
        let output = link.client.output();
        if !output.is_empty() && link.state != State::Connecting && !self.driver.sending(slot) {
            // The last acknowledgements, or the GOAWAY for a fault.
            self.driver.send_bytes(slot, output);
        }
        output.clear();
        self.driver.close(slot);
        links.end(slot);
    }

    /// A connection broke: the calls on its streams fail. Those that wait for a stream fail, too, unless it has carried
    /// calls: then they wait for its successor.
    pub(super) fn break_link(&mut self, slot: u32, class: ErrorClass, reason: &str, now: Nanos) {
        let Some(links) = &mut self.http2 else {
            return;
        };
        let link = &links.by_slot[slot as usize];
        let was_open = link.state == State::Open;
        let in_vain = link.served == 0;
        let lanes = links.open_lanes(slot);
        let counts = &mut self.thread.counters.connections;
        counts.broke(class);
        counts.failed += u64::from(!was_open);
        let waiting = self.take_waiting(slot);
        self.close_link(slot);
        for lane in lanes {
            self.fail_lane(lane, class, reason, now, false);
        }
        if in_vain {
            for lane in waiting {
                self.fail_lane(lane, class, reason, now, true);
            }
        } else {
            self.move_on(waiting, now);
        }
    }

    /// The call of a lane fails. Its stream, if it has one, has ended.
    fn fail_lane(
        &mut self,
        lane: u32,
        class: ErrorClass,
        reason: &str,
        now: Nanos,
        connecting: bool,
    ) {
        self.timers.set(lane, NEVER);
        if let Some(links) = &mut self.http2 {
            links.lanes[lane as usize].phase = Phase::Idle;
        }
        let connection = &mut self.connections[lane as usize];
        connection.fail(class, reason, now, &mut self.thread);
        self.freed.push_back(Freed::Failed {
            id: lane,
            connecting,
            lost: 1,
        });
    }

    /// The server will send no more on a connection.
    pub(super) fn link_ended(&mut self, slot: u32, now: Nanos) {
        let Some(links) = &self.http2 else {
            return;
        };
        let link = &links.by_slot[slot as usize];
        if link.state != State::Open {
            let reason = self.reason(|| {
                let state = if link.state == State::Securing {
                    "sent its settings of HTTP/2"
                } else {
                    "was ready"
                };
                format!("the server closed the connection before it {state}")
            });
            return self.break_link(slot, ErrorClass::EarlyClose, &reason, now);
        }
        self.thread.counters.connections.closed_by_server += 1;
        if link.client.open_streams() > 0 || link.served == 0 && !link.waiting.is_empty() {
            let (class, reason) = match link.goaway {
                Some(code) if code.is_error() => (
                    ErrorClass::GoAway,
                    format!("the server ended the connection ({code})"),
                ),
                _ => (
                    ErrorClass::EarlyClose,
                    "the server closed the connection before its reply was complete".into(),
                ),
            };
            return self.break_link(slot, class, &reason, now);
        }
        let waiting = self.take_waiting(slot);
        self.close_link(slot);
        self.move_on(waiting, now);
    }

    /// Closes the connections of a lane's seat, all of whose lanes are retired.
    pub(super) fn close_seat(&mut self, lane: u32) {
        let Some(links) = &mut self.http2 else {
            return;
        };
        let seat = links.seat(lane);
        let place = &mut links.lanes[lane as usize];
        let is_busy = std::mem::take(&mut place.phase) != Phase::Idle;
        let of_call = is_busy.then_some(place.link);
        let slots = [of_call, links.taken_by(seat)];
        for slot in slots.into_iter().flatten() {
            self.take_waiting(slot);
            self.close_link(slot);
        }
    }

    /// Closes all connections.
    pub(super) fn close_links(&mut self) {
        let slots = self.http2.as_ref().map_or(0, |links| links.by_slot.len());
        (0..slots as u32).for_each(|slot| self.close_link(slot));
    }

    /// Handles an event of a connection, other than that bytes came or were sent.
    pub(super) fn on_link_event(&mut self, slot: u32, what: What, now: Nanos) {
        match what {
            What::Reached => self.link_reached(slot, now),
            What::Connected => self.link_connected(slot, now),
            What::Ended | What::Cut => self.link_ended(slot, now),
            What::Failed(fault) => {
                let reason = self.reason(|| fault.describe());
                self.break_link(slot, class(fault), &reason, now);
            }
            What::Received | What::Sent => {}
        }
    }

    /// The deadline of a lane has passed.
    pub(super) fn lane_expired(&mut self, lane: u32, now: Nanos) {
        let Some(links) = &mut self.http2 else {
            return;
        };
        let place = links.lanes[lane as usize];
        let slot = place.link;
        let link = &mut links.by_slot[slot as usize];
        let (class, reason) = match place.phase {
            Phase::Idle => return,
            Phase::Waiting if link.state != State::Open => {
                let reason = match (&link.client, link.state) {
                    (StreamClient::Http3(_), _) => "no answer over UDP within the timeout",
                    (_, State::Securing) => "no settings of HTTP/2 within the timeout",
                    _ => "no connection within the timeout",
                };
                return self.break_link(slot, ErrorClass::ConnectTimeout, reason, now);
            }
            Phase::Waiting => {
                link.waiting.retain(|one| *one != lane);
                let reason = match link.client.stream_limit() {
                    u32::MAX => "no free stream within the timeout".into(),
                    streams => format!(
                        "no free stream within the timeout: the server allows {streams} at once"
                    ),
                };
                (ErrorClass::ReplyTimeout, reason)
            }
            Phase::Open(stream) => {
                link.client.cancel(stream);
                link.forget(lane);
                if let Some(counts) = &mut self.thread.counters.http2 {
                    counts.cancels += 1;
                }
                let connection = &self.connections[lane as usize];
                let class = connection.timeout_class(&self.thread.plan, now);
                (class, "no complete reply within the timeout".into())
            }
        };
        self.fail_lane(lane, class, &reason, now, false);
        self.advance(slot, now);
    }
}
