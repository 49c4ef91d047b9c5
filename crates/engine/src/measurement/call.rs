//! One call and the result of its reply.

use driver::Nanos;
use tally::{ErrorClass, Failure};

/// One call, from its due time to its end. Times are nanoseconds of the run's clock; zero: not yet.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub due: Nanos,
    pub sent: Nanos,
    pub first: Nanos,
    /// Its number among the calls of its thread.
    pub number: u64,
    /// Its number among the calls of its request, in the whole run; 0 for requests without placeholders.
    pub turn: u64,
    /// The place of its request in the rotation.
    pub place: usize,
    pub request: u32,
    /// Bytes of the head of its reply so far.
    pub head_bytes: u32,
    pub status: u16,
    /// True if the call was due in the window, not in the warm-up.
    pub measured: bool,
}

/// The outcome of an answered call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    Right,
    WrongStatus,
    WrongBody,
    /// It lacks a value that its session keeps.
    NoValue,
    /// Its status of gRPC is not OK.
    GrpcStatus,
    /// It is not a valid reply of gRPC.
    Invalid,
}

impl Reply {
    /// The way in which its call failed; `None`: it is right.
    #[inline]
    pub fn failure(self) -> Option<Failure> {
        match self {
            Self::Right => None,
            Self::WrongStatus => Some(Failure::WrongStatus),
            Self::WrongBody => Some(Failure::WrongBody),
            Self::NoValue => Some(Failure::Error(ErrorClass::ValueNotFound)),
            Self::GrpcStatus => Some(Failure::Error(ErrorClass::GrpcStatus)),
            Self::Invalid => Some(Failure::Error(ErrorClass::Protocol)),
        }
    }
}
