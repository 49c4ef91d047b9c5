//! The values of a call that its template does not make.

use crate::connection::cookies::Jars;
use crate::connection::kept_values::KeptValues;
use crate::connection::thread_state::ThreadState;
use crate::connection::turns::Turns;
use crate::measurement::call::Call;
use crate::plan::data::Data;
use crate::plan::placeholders::escape::Place;
use crate::plan::template::Values;

/// The sources of the values of a call.
pub struct CallValues<'a> {
    /// Its connection.
    pub id: u32,
    pub jars: Option<&'a Jars>,
    pub kept: Option<&'a KeptValues>,
    pub data: &'a Data,
    pub request: u32,
    /// Chooses rows of data files: the number of its session, or its own.
    pub number: u64,
    /// The distance to the number of the next call of the request on this thread; `None`: that is not known.
    pub step: Option<u64>,
}

impl<'a> CallValues<'a> {
    /// Those of a call on a connection, or on a lane of HTTP/2.
    pub fn of(id: u32, call: &Call, thread: &'a ThreadState) -> Self {
        let of_session = thread.session_numbers.as_ref();
        let turns = thread.turns.as_deref();
        Self {
            id,
            jars: thread.jars.as_deref(),
            kept: thread.kept.as_deref(),
            data: &thread.plan.data,
            request: call.request,
            number: of_session.map_or(call.turn, |numbers| numbers.on(id)),
            step: turns.filter(|_| of_session.is_none()).map(Turns::step),
        }
    }
}

impl Values for CallValues<'_> {
    fn cookies(&self, extends: bool, out: &mut Vec<u8>) {
        if let Some(jars) = self.jars {
            jars.write(self.id, extends, out);
        }
    }

    fn named(&self, name: usize, place: Place, out: &mut Vec<u8>) {
        if self.data.has(name) {
            let Self {
                request,
                number,
                step,
                ..
            } = *self;
            self.data.write(name, place, request, number, out);
            if let Some(step) = step {
                self.data.prefetch(name, request, number, step);
            }
        } else if let Some(kept) = self.kept {
            kept.write(self.id, name, place, out);
        }
    }
}
