//! The slowest measured calls. A thread keeps a few, and looks at those only when a call is slower than one of them.

use driver::Nanos;
use serde::{Serialize, Serializer};
use tally::{Damaged, ErrorClass, Packed, packed};

use crate::measurement::records::call_log::End;
use crate::plan::records::MOST_SLOWEST;

/// One of the slowest calls: the fields of `SlowCall` in `measurement/slowest.py`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SlowCall {
    /// Since the start of the window; while the run lasts, a time of its clock.
    pub due_ns: Nanos,
    /// From its due time to its end.
    pub response_ns: Nanos,
    /// From its due time to its sending; `None`: it was never sent.
    pub waited_ns: Option<Nanos>,
    /// From its sending to the first byte of its reply; `None`: there was none.
    pub first_byte_ns: Option<Nanos>,
    pub request: u32,
    pub connection: u32,
    /// `None`: no head of a reply was complete.
    pub status: Option<u16>,
    pub body_bytes: u64,
    #[serde(serialize_with = "name")]
    pub end: End,
}

/// The slowest calls of one thread, or of several.
#[derive(Clone, Debug)]
pub struct Slowest {
    calls: Vec<SlowCall>,
    most: usize,
    /// A call that took less is not among them.
    least: Nanos,
}

impl Default for Slowest {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Slowest {
    /// Keeps this many calls; 0: none.
    pub fn new(most: u32) -> Self {
        Self {
            calls: Vec::new(),
            most: most as usize,
            least: if most == 0 { Nanos::MAX } else { 0 },
        }
    }

    /// Calls that took at least this long are wanted.
    pub fn least(&self) -> Nanos {
        self.least
    }

    /// Keeps a call, if it is one of the slowest.
    #[cold]
    pub fn offer(&mut self, call: SlowCall) {
        if call.response_ns < self.least {
            return;
        }
        let fastest = (0..self.calls.len()).min_by_key(|&at| self.calls[at].response_ns);
        match fastest.filter(|_| self.calls.len() == self.most) {
            Some(at) => self.calls[at] = call,
            None => self.calls.push(call),
        }
        if self.calls.len() == self.most {
            let fastest = self.calls.iter().map(|one| one.response_ns).min();
            self.least = fastest.map_or(0, |least| least + 1);
        }
    }

    /// Keeps the slowest of both.
    pub fn merge(&mut self, other: Self) {
        self.most = self.most.max(other.most);
        self.calls.extend(other.calls);
        self.calls
            .sort_by_key(|one| (std::cmp::Reverse(one.response_ns), one.due_ns));
        self.calls.truncate(self.most);
    }

    /// Gives connections new numbers.
    pub fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        for call in &mut self.calls {
            call.connection = number(call.connection);
        }
    }

    /// Counts due times from `begin` on.
    pub fn rebase(&mut self, begin: Nanos) {
        for call in &mut self.calls {
            call.due_ns = call.due_ns.saturating_sub(begin);
        }
    }

    /// The calls, the slowest first, with due times from `begin` on.
    pub fn since(&self, begin: Nanos) -> Vec<SlowCall> {
        let mut all = Self::new(0);
        all.merge(self.clone());
        all.rebase(begin);
        all.calls
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn name<S: Serializer>(end: &End, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match end {
        End::Right => "ok",
        End::WrongStatus => "wrong_status",
        End::WrongBody => "wrong_body",
        End::InFlight => "in_flight",
        End::Failed(class) => class.name(),
    })
}

packed!(SlowCall {
    due_ns,
    response_ns,
    waited_ns,
    first_byte_ns,
    request,
    connection,
    status,
    body_bytes,
    end by end
});

impl Packed for Slowest {
    fn pack(&self, to: &mut Vec<u8>) {
        (self.most as u64).pack(to);
        self.calls.pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let (most, calls) = <(u32, Vec<SlowCall>)>::unpack(from)?;
        let holds = most <= MOST_SLOWEST && calls.len() <= most as usize;
        tally::pack::expect(holds, "there are too many slow calls")?;
        Ok(Self {
            calls,
            ..Self::new(most)
        })
    }
}

mod end {
    use super::{Damaged, End, ErrorClass, Packed};

    const FIRST_CLASS: u16 = 4;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as `packed!` calls it")]
    pub fn pack(end: &End, to: &mut Vec<u8>) {
        let code = match end {
            End::Right => 0,
            End::WrongStatus => 1,
            End::WrongBody => 2,
            End::InFlight => 3,
            End::Failed(class) => *class as u16 + FIRST_CLASS,
        };
        code.pack(to);
    }

    pub fn unpack(from: &mut &[u8]) -> Result<End, Damaged> {
        let code = u16::unpack(from)?;
        Ok(match code {
            0 => End::Right,
            1 => End::WrongStatus,
            2 => End::WrongBody,
            3 => End::InFlight,
            class => {
                let class = ErrorClass::ALL.get(usize::from(class - FIRST_CLASS));
                End::Failed(*class.ok_or(Damaged("an end of a call is unknown"))?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(response_ns: Nanos, end: End) -> SlowCall {
        SlowCall {
            due_ns: 1_000 + response_ns,
            response_ns,
            waited_ns: Some(1),
            first_byte_ns: None,
            request: 3,
            connection: 7,
            status: Some(503),
            body_bytes: 9,
            end,
        }
    }

    fn of(most: u32, times: impl IntoIterator<Item = Nanos>) -> Slowest {
        let mut slowest = Slowest::new(most);
        for time in times {
            if time >= slowest.least() {
                slowest.offer(call(time, End::Right));
            }
        }
        slowest
    }

    fn times(slowest: &Slowest) -> Vec<Nanos> {
        let calls = slowest.since(0);
        calls.iter().map(|one| one.response_ns).collect()
    }

    #[test]
    fn the_slowest_are_kept_and_the_slowest_is_first() {
        let found = of(3, [5, 1, 9, 2, 9, 7, 3]);
        assert_eq!(times(&found), [9, 9, 7]);
        assert_eq!(found.least(), 8);
        assert_eq!(times(&of(3, [4, 2])), [4, 2]);
    }

    #[test]
    fn without_a_wish_for_any_none_is_wanted() {
        let found = of(0, [5, Nanos::MAX - 1]);
        assert_eq!(found.least(), Nanos::MAX);
        assert!(times(&found).is_empty());
    }

    #[test]
    fn the_calls_of_threads_are_those_of_one_wherever_they_ran() {
        let all: Vec<Nanos> = (0..50).map(|n| n * 37 % 101).collect();
        let (mut one, other) = (of(5, all[..20].to_vec()), of(5, all[20..].to_vec()));
        one.merge(other);
        assert_eq!(times(&one), times(&of(5, all)));
        let mut few = of(5, [1, 3]);
        few.merge(of(5, [2, 4]));
        assert_eq!(times(&few), [4, 3, 2, 1]);
    }

    #[test]
    fn due_times_count_from_the_window_and_bytes_are_read_as_they_were_written() {
        let mut found = Slowest::new(20);
        for (response, end) in (10..).zip([
            End::Right,
            End::WrongStatus,
            End::WrongBody,
            End::InFlight,
            End::Failed(ErrorClass::ConnectTimeout),
            End::Failed(ErrorClass::Other),
        ]) {
            found.offer(call(response, end));
        }
        assert_eq!(found.since(1_000)[0].due_ns, 15);
        let mut bytes = Vec::new();
        found.pack(&mut bytes);
        let mut read = Slowest::unpack(&mut bytes.as_slice()).unwrap();
        assert_eq!(read.since(0), found.since(0));
        read.merge(of(20, [1]));
        assert_eq!(times(&read).len(), 7, "not only as many as were found");
    }

    #[test]
    fn bytes_of_too_many_calls_or_of_an_unknown_end_are_damaged() {
        let mut many = Slowest::new(MOST_SLOWEST + 1);
        for time in 0..=u64::from(MOST_SLOWEST) {
            many.offer(call(time, End::Right));
        }
        let mut bytes = Vec::new();
        many.pack(&mut bytes);
        assert!(Slowest::unpack(&mut bytes.as_slice()).is_err());
        let mut bytes = Vec::new();
        (ErrorClass::COUNT as u16 + 4).pack(&mut bytes);
        assert!(end::unpack(&mut bytes.as_slice()).is_err());
    }
}
