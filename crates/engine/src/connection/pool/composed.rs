//! Requests that are not sent as they are in the rotation: values are written into them, or the cookies of their
//! session.

use driver::{Driver, Nanos};

use crate::connection::call_values::CallValues;
use crate::connection::exchange::Exchange;
use crate::connection::pool::Pool;

impl<D: Driver> Pool<D> {
    /// Sends the requests of a connection, unless all of them are sent as they are in the rotation. Returns false then.
    pub(super) fn send_composed(&mut self, id: u32, now: Nanos) -> bool {
        let (plan, jars) = (&self.thread.plan, &self.thread.jars);
        let calls = &self.connections[id as usize].calls;
        let template = |request: u32| plan.templates[request as usize].as_ref();
        if jars.is_none() && calls.iter().all(|one| template(one.call.request).is_none()) {
            return false;
        }
        for Exchange { call, .. } in calls {
            let from = self.outgoing.len();
            let out = &mut self.outgoing;
            if let Some(template) = template(call.request) {
                let values = CallValues::of(id, call, &self.thread);
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
