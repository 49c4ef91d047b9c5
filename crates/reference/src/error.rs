//! Why a server could not start.

use std::io;

use crate::address::Listen;

/// Each message says what was given and what was expected; [`hint`](ReferenceError::hint) says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    #[error("`{0}` is taken: another program listens there")]
    AddressTaken(String),
    #[error("`{0}` may not be listened on by this user")]
    NotPermitted(String),
    #[error("`{0}` is not an address of this machine")]
    NotOurAddress(String),
    #[error("`{0}` exists and is no socket; a free path is expected")]
    NotASocket(String),
    #[error("`{0}` cannot be listened on: {1}")]
    Listen(String, #[source] io::Error),
    #[error("`threads` is {0}; expected 1 to {1}")]
    Threads(usize, usize),
    #[error("the list of CPUs is empty; at least 1 CPU, or no list, is expected")]
    NoCpus,
    #[error("CPU `{0}` cannot be used: {1}")]
    Cpu(usize, #[source] io::Error),
    #[error("page `{0}` is given twice; each path is expected once")]
    PageTwice(String),
    #[error(
        "page `{0}` cannot be served; a path that starts with `/` and has no `?`, `#` or space is expected"
    )]
    PagePath(String),
    #[error("page `{0}` cannot be served: the server answers this path itself")]
    PageReserved(String),
    #[error("page `{0}` has the content type `{1}`; printable ASCII is expected")]
    ContentType(String, String),
    #[error("a thread of the reference server could not start: {0}")]
    Thread(#[source] io::Error),
}

impl ReferenceError {
    /// What the reader can do about it, where something can be said.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::AddressTaken(_) => Some("stop that program, or use port 0 to take any free port"),
            Self::NotPermitted(_) => Some("use a port above 1023, or a folder that is yours"),
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
