//! The errors of starting a server.

use std::io;

use crate::address::Listen;

/// Messages say what was given and what was expected; [`hint`](ReferenceError::hint) says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    #[error("cannot listen on `{0}`: another program already does")]
    AddressTaken(String),
    #[error("cannot listen on `{0}`: permission denied")]
    NotPermitted(String),
    #[error("cannot listen on `{0}`: not an address of this machine")]
    NotOurAddress(String),
    #[error("cannot listen on `{0}`: the file exists and is not a socket")]
    NotASocket(String),
    #[error("cannot listen on `{0}`: {1}")]
    Listen(String, #[source] io::Error),
    #[error("`threads` is {0}; expected 1 to {1}")]
    Threads(usize, usize),
    #[error("the list of CPUs is empty; expected at least 1 CPU, or no list")]
    NoCpus,
    #[error("cannot use CPU `{0}`: {1}")]
    Cpu(usize, #[source] io::Error),
    #[error("page `{0}` is given twice; expected each path once")]
    PageTwice(String),
    #[error(
        "cannot serve page `{0}`: expected a path that starts with `/`, without `?`, `#` or spaces"
    )]
    PagePath(String),
    #[error("cannot serve page `{0}`: the server uses this path itself")]
    PageReserved(String),
    #[error("page `{0}` has the content type `{1}`; expected printable ASCII")]
    ContentType(String, String),
    #[error("cannot start a thread of the reference server: {0}")]
    Thread(#[source] io::Error),
}

impl ReferenceError {
    /// A suggestion what to do, for the errors that have one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::AddressTaken(_) => Some("stop that program, or use port 0 to take any free port"),
            Self::NotPermitted(_) => {
                Some("use a port above 1023, or a folder that you can write to")
            }
            Self::NotOurAddress(_) => Some("use 127.0.0.1 to listen on this machine only"),
            Self::Cpu(..) => Some("`nproc` and `taskset -p $$` show which CPUs may be used"),
            Self::Thread(_) => Some("the reference server needs Linux 5.11 or newer"),
            _ => None,
        }
    }

    pub(crate) fn listen(listen: &Listen, error: io::Error) -> Self {
        let address = listen.to_string();
        match error.kind() {
            io::ErrorKind::AddrInUse => Self::AddressTaken(address),
            io::ErrorKind::PermissionDenied => Self::NotPermitted(address),
            io::ErrorKind::AddrNotAvailable => Self::NotOurAddress(address),
            _ => Self::Listen(address, error),
        }
    }
}
