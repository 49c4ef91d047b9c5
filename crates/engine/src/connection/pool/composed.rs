//! Requests that are not sent as they are in the rotation: values are written into them, or the cookies of their
//! session.

use driver::{Driver, Nanos};

use crate::connection::cookies::Jars;
use crate::connection::exchange::Exchange;
use crate::connection::kept_values::KeptValues;
use crate::connection::pool::Pool;
use crate::plan::data::Data;
use crate::plan::placeholders::escape::Place;
use crate::plan::template::Values;

impl<D: Driver> Pool<D> {
    /// Sends the requests of a connection, unless all of them are sent as they are in the rotation. Returns false then.
    pub(super) fn send_composed(&mut self, id: u32, now: Nanos) -> bool {
        let (plan, jars) = (&self.thread.plan, &self.thread.jars);
        let kept = self.thread.kept.as_deref();
        let calls = &self.connections[id as usize].calls;
        let template = |request: u32| plan.templates[request as usize].as_ref();
        if jars.is_none() && calls.iter().all(|one| template(one.call.request).is_none()) {
            return false;
        }
        for Exchange { call, .. } in calls {
            let from = self.outgoing.len();
            let out = &mut self.outgoing;
            if let Some(template) = template(call.request) {
                let of_session = self.thread.session_numbers.as_ref();
                let values = OfCall {
                    id,
                    jars: jars.as_deref(),
                    kept,
                    data: &plan.data,
                    request: call.request,
                    number: of_session.map_or(call.turn, |numbers| numbers.on(id)),
                };
                template.write(call.turn, &values, out);
            } else {
                let request = plan.rotation.bytes(call.place);
                let place = plan.cookies.as_ref().map(|of| of[call.request as usize]);
                if let (Some(jars), Some(place)) = (jars, place) {
                    let (before, behind) = request.split_at(place.at);
                    out.extend_from_slice(before);
                    jars.write(id, place.extends, out);
                    out.extend_from_slice(behind);
                } else {
                    out.extend_from_slice(request);
                }
            }
            if let Some(trace) = &mut self.thread.counters.records.trace {
                trace.request(call.number, &self.outgoing[from..]);
            }
        }
        let sent = self.outgoing.len() as u64;
        self.thread.counters.transmitted(sent, now);
        self.driver.send_bytes(id, &mut self.outgoing);
        true
    }
}

/// The values of a call that its template does not make.
struct OfCall<'a> {
    /// Its connection.
    id: u32,
    jars: Option<&'a Jars>,
    kept: Option<&'a KeptValues>,
    data: &'a Data,
    request: u32,
    /// Chooses rows of data files: the number of its session, or its own.
    number: u64,
}

impl Values for OfCall<'_> {
    fn cookies(&self, extends: bool, out: &mut Vec<u8>) {
        if let Some(jars) = self.jars {
            jars.write(self.id, extends, out);
        }
    }

    fn named(&self, name: usize, place: Place, out: &mut Vec<u8>) {
        if self.data.has(name) {
            let Self {
                request, number, ..
            } = *self;
            self.data.write(name, place, request, number, out);
        } else if let Some(kept) = self.kept {
            kept.write(self.id, name, place, out);
        }
    }
}
