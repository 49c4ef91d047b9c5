//! One call, and how its reply was.

use driver::Nanos;

/// One call, from due to its end. Times are nanoseconds since the epoch; zero: not yet.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub due: Nanos,
    pub sent: Nanos,
    pub first: Nanos,
    pub request: u32,
    pub status: u16,
    /// It was due in the window, not in the warm-up.
    pub measured: bool,
}

/// How a call that came back came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    Right,
    WrongStatus,
    WrongBody,
}
