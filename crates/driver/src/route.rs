//! Destination and source of a connection.

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Duration;

use socket2::{Domain, SockAddr, Socket, Type};

use crate::fault::Fault;

/// Buffers of a UDP socket: datagrams that find no room are lost.
const UDP_BUFFER: usize = 4 << 20;

/// The address of a server, and optionally the local address to connect from.
#[derive(Clone, Debug)]
pub struct Route {
    peer: SockAddr,
    source: Option<SocketAddr>,
    options: SocketOptions,
}

/// Settings of the sockets of a route.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SocketOptions {
    /// Close with a reset (`SO_LINGER` of zero).
    pub close_with_reset: bool,
    /// `SO_SNDBUF`; `None`: the kernel chooses.
    pub send_buffer: Option<usize>,
    /// `SO_RCVBUF`; `None`: the kernel chooses.
    pub receive_buffer: Option<usize>,
}

impl SocketOptions {
    fn apply(self, socket: &Socket) -> io::Result<()> {
        if self.close_with_reset {
            socket.set_linger(Some(Duration::ZERO))?;
        }
        if let Some(bytes) = self.send_buffer {
            socket.set_send_buffer_size(bytes)?;
        }
        self.receive_buffer
            .map_or(Ok(()), |bytes| socket.set_recv_buffer_size(bytes))
    }
}

impl Route {
    /// A route to an IPv4 or IPv6 address. With port 0 in `source` the kernel chooses the port.
    pub fn tcp(peer: SocketAddr, source: Option<SocketAddr>) -> Self {
        Self {
            peer: peer.into(),
            source,
            options: SocketOptions::default(),
        }
    }

    /// A route to a Unix socket.
    ///
    /// # Errors
    /// When the path is longer than the kernel allows (108 bytes).
    pub fn unix(path: &Path) -> io::Result<Self> {
        Ok(Self {
            peer: SockAddr::unix(path)?,
            source: None,
            options: SocketOptions::default(),
        })
    }

    /// The same route with these settings of its sockets.
    #[must_use]
    pub fn with(mut self, options: SocketOptions) -> Self {
        self.options = options;
        self
    }

    /// The server's address in the kernel's format.
    pub(crate) fn peer(&self) -> &SockAddr {
        &self.peer
    }

    /// The server's address, if it is one of IP.
    pub fn address(&self) -> Option<SocketAddr> {
        self.peer.as_socket()
    }

    /// Creates a UDP socket that is connected along this route.
    pub(crate) fn udp_socket(&self) -> Result<Socket, Fault> {
        let kind = Type::DGRAM.nonblocking().cloexec();
        let connect = || {
            let socket = Socket::new(self.peer.domain(), kind, None)?;
            // The kernel gives as much as it allows, without an error.
            socket.set_recv_buffer_size(self.options.receive_buffer.unwrap_or(UDP_BUFFER))?;
            socket.set_send_buffer_size(self.options.send_buffer.unwrap_or(UDP_BUFFER))?;
            if let Some(source) = self.source {
                socket.bind(&source.into())?;
            }
            socket.connect(&self.peer)?;
            Ok(socket)
        };
        connect().map_err(|e: io::Error| Fault::from(&e))
    }

    /// Creates a socket for this route, bound to its source. `TCP_NODELAY` is set: no part of a request may wait for an
    /// acknowledgement.
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
        // Before connecting: the window that TCP announces depends on the receive buffer.
        self.options.apply(&socket).map_err(|e| Fault::from(&e))?;
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

/// Without this option, binding to an address reserves a local port for all peers at once.
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

/// Connects once and closes: checks before a run that the server is there.
///
/// # Errors
/// The error of the connection.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_has_the_settings_of_its_route() {
        let route = Route::tcp(([127, 0, 0, 1], 80).into(), None);
        let options = SocketOptions {
            close_with_reset: true,
            send_buffer: Some(30_000),
            receive_buffer: Some(20_000),
        };
        let plain = route.socket(true).unwrap();
        assert_eq!(plain.linger().unwrap(), None);
        let set = route.with(options).socket(true).unwrap();
        assert_eq!(set.linger().unwrap(), Some(Duration::ZERO));
        // Linux doubles both.
        assert_eq!(set.send_buffer_size().unwrap(), 60_000);
        assert_eq!(set.recv_buffer_size().unwrap(), 40_000);
    }
}
