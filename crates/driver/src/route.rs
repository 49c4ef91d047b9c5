//! Where a connection goes, and from where.

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Duration;

use socket2::{Domain, SockAddr, Socket, Type};

use crate::fault::Fault;

/// A way to a server: its address, and the local one to leave from, if it matters.
#[derive(Clone, Debug)]
pub struct Route {
    peer: SockAddr,
    source: Option<SocketAddr>,
}

impl Route {
    /// To an IPv4 or IPv6 address; `source` with port 0 lets the kernel choose the port.
    pub fn tcp(peer: SocketAddr, source: Option<SocketAddr>) -> Self {
        Self {
            peer: peer.into(),
            source,
        }
    }

    /// To a Unix socket.
    ///
    /// # Errors
    /// When the path is longer than the kernel allows (108 bytes).
    pub fn unix(path: &Path) -> io::Result<Self> {
        Ok(Self {
            peer: SockAddr::unix(path)?,
            source: None,
        })
    }

    /// The server's address as the kernel takes it.
    pub(crate) fn peer(&self) -> &SockAddr {
        &self.peer
    }

    /// A socket for this route, bound to its source, with Nagle's delay off: a request is one segment or more, and
    /// none of it is to wait for an acknowledgement.
    pub(crate) fn socket(&self, nonblocking: bool) -> Result<Socket, Fault> {
        let kind = if nonblocking {
            Type::STREAM.nonblocking()
        } else {
            Type::STREAM
        };
        let domain = self.peer.domain();
        let socket = Socket::new(domain, kind.cloexec(), None).map_err(|e| Fault::from(&e))?;
        if domain != Domain::UNIX {
            socket.set_tcp_nodelay(true).map_err(|e| Fault::from(&e))?;
        }
        if let Some(source) = self.source {
            bind(&socket, source).map_err(|e| Fault::from(&e))?;
        }
        Ok(socket)
    }
}

fn bind(socket: &Socket, source: SocketAddr) -> io::Result<()> {
    if source.port() == 0 {
        choose_port_at_connect(socket)?;
    } else {
        socket.set_reuse_address(true)?;
    }
    socket.bind(&source.into())
}

/// Without this, binding to an address alone takes a port of its own from the whole range, for all peers at once.
fn choose_port_at_connect(socket: &Socket) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the descriptor is open, and the value points to a c_int of the length given.
    let answer = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            std::ptr::from_ref(&on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Connects once and hangs up: tells before a run whether anybody is there.
///
/// # Errors
/// What the connection failed with.
pub fn preflight(route: &Route, timeout: Duration) -> io::Result<()> {
    let socket = Socket::new(route.peer.domain(), Type::STREAM.cloexec(), None)?;
    if let Some(source) = route.source {
        socket.bind(&SocketAddr::new(source.ip(), 0).into())?;
    }
    if route.peer.domain() == Domain::UNIX {
        return socket.connect(&route.peer);
    }
    socket.connect_timeout(&route.peer, timeout)
}
