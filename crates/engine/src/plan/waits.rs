//! The longest waits for a reply, compiled from the timeouts of a plan.

use driver::{NEVER, Nanos};

/// The longest waits for a reply.
#[derive(Clone, Copy, Debug)]
pub struct Waits {
    /// Before its first byte.
    pub for_first_byte: Wait,
    /// From its first byte on.
    pub for_end: Wait,
}

/// The longest wait for something; [`NEVER`]: no limit.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    pub since_sent: Nanos,
    pub since_progress: Nanos,
}

impl Waits {
    /// The waits that these timeouts allow; `None`: no timeout.
    pub fn new(first_byte: Option<Nanos>, reply: Option<Nanos>, idle: Option<Nanos>) -> Self {
        let limit = |timeout: Option<Nanos>| timeout.unwrap_or(NEVER);
        // A timeout for the first byte replaces the idle timeout until then.
        let idle_before = if first_byte.is_none() { idle } else { None };
        Self {
            for_first_byte: Wait {
                since_sent: limit(first_byte).min(limit(reply)),
                since_progress: limit(idle_before),
            },
            for_end: Wait {
                since_sent: limit(reply),
                since_progress: limit(idle),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_has_the_shorter_limit_and_its_own_in_place_of_the_idle_timeout() {
        let of = |first_byte, reply, idle| {
            let waits = Waits::new(first_byte, reply, idle);
            [waits.for_first_byte, waits.for_end].map(|wait| (wait.since_sent, wait.since_progress))
        };
        assert_eq!(of(None, None, None), [(NEVER, NEVER); 2]);
        assert_eq!(of(Some(5), Some(9), Some(3)), [(5, NEVER), (9, 3)]);
        assert_eq!(of(Some(9), Some(5), None), [(5, NEVER); 2]);
        assert_eq!(of(None, Some(9), Some(3)), [(9, 3); 2]);
    }
}
