//! The records of single calls that a run keeps beside its counters: the first reply, and on request the slowest calls,
//! the call log and the trace.

pub mod call_log;
pub mod first_reply;
pub mod slowest;
pub mod trace;

use driver::Nanos;
use tally::{Damaged, Packed};

use crate::measurement::records::call_log::CallLog;
use crate::measurement::records::first_reply::First;
use crate::measurement::records::slowest::{SlowCall, Slowest};
use crate::measurement::records::trace::Trace;
use crate::plan::compiled::CompiledPlan;

/// The records of one thread, or of all threads.
#[derive(Clone, Debug, Default)]
pub struct Records {
    pub call_log: Option<CallLog>,
    pub trace: Option<Trace>,
    pub first: First,
    pub slowest: Slowest,
    /// The bytes of replies are wanted: for the trace, or because the first reply is not complete.
    watching: bool,
    /// Replies that took at least so long are recorded: 0, all of them, for the call log or because their bytes are
    /// wanted.
    from: Nanos,
}

impl Records {
    /// The records of one thread out of `threads`. Each keeps its part of what a run may keep.
    pub fn new(plan: &CompiledPlan, threads: u32) -> Self {
        let part = |most: u64| most.div_ceil(u64::from(threads)) as usize;
        Self {
            call_log: plan.call_log.map(|limit| CallLog::new(part(limit.most))),
            trace: plan
                .trace
                .map(|wanted| Trace::new(wanted, part(wanted.most_bytes))),
            first: First::default(),
            slowest: Slowest::new(plan.slowest),
            watching: true,
            from: 0,
        }
    }

    /// True while the heads or the bytes of replies are wanted.
    #[inline]
    pub fn watching(&self) -> bool {
        self.watching
    }

    /// True if [`Records::replied`], the call log or the slowest calls want a reply that took so long.
    #[inline]
    pub fn wants(&self, response: Nanos) -> bool {
        response >= self.from
    }

    /// The reply to a call, with a body of so many bytes, was complete at `at`.
    #[cold]
    pub fn replied(&mut self, call: u64, body_bytes: u64, at: Nanos) {
        self.first.replied(call, body_bytes, at);
        self.watching = self.trace.is_some() || !self.first.is_known();
        self.narrow();
    }

    /// Keeps a call, if it is one of the slowest.
    pub fn offer(&mut self, call: SlowCall) {
        self.slowest.offer(call);
        self.narrow();
    }

    /// Lets those replies go by that no record wants.
    fn narrow(&mut self) {
        let all = self.watching || self.call_log.is_some();
        self.from = if all { 0 } else { self.slowest.least() };
    }

    /// A call got no complete reply.
    pub fn failed(&mut self, call: u64) {
        self.first.failed(call);
    }

    /// Takes what is kept only on request.
    pub fn take(&mut self) -> (Option<CallLog>, Option<Trace>) {
        (self.call_log.take(), self.trace.take())
    }

    /// Counts times from `begin` on.
    pub fn rebase(&mut self, begin: Nanos) {
        self.first.rebase(begin);
        self.slowest.rebase(begin);
        if let Some(log) = &mut self.call_log {
            log.rebase(begin);
        }
    }

    /// Joins the records of all threads, in their order.
    pub fn join(threads: Vec<Self>) -> Self {
        let count = threads.len() as u64;
        let mut all = Self::default();
        for (thread, mut records) in (0_u64..).zip(threads) {
            let number = |own: u64| own * count + thread;
            if let Some(mut log) = records.call_log.take() {
                log.renumber(|own| number(own.into()) as u32);
                all.call_log.get_or_insert_default().add(log);
            }
            if let Some(mut trace) = records.trace.take() {
                trace.renumber(number);
                all.trace.get_or_insert_with(Trace::empty).join(trace);
            }
            all.first.merge(records.first);
            records.slowest.renumber(|own| number(own.into()) as u32);
            all.slowest.merge(records.slowest);
        }
        if let Some(log) = all.call_log.as_mut().filter(|_| count > 1) {
            log.sort();
        }
        all
    }
}

/// The first reply and the slowest calls. The call log and the trace stay on the machine that recorded them.
impl Packed for Records {
    fn pack(&self, to: &mut Vec<u8>) {
        self.first.pack(to);
        self.slowest.pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        Ok(Self {
            first: First::unpack(from)?,
            slowest: Slowest::unpack(from)?,
            ..Self::default()
        })
    }
}
