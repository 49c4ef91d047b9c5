//! The listening sockets: one per thread on TCP, so that threads share nothing; one for all on a Unix path.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with, sockopt,
};

use crate::address::Listen;
use crate::error::ReferenceError;

/// Length of the accept queue. The kernel caps it at `net.core.somaxconn`.
const BACKLOG: i32 = 4096;

/// Opens one listening socket per thread. Also returns the address with its real port.
pub(crate) fn open(
    address: &Listen,
    threads: usize,
) -> Result<(Vec<OwnedFd>, Listen), ReferenceError> {
    match address {
        Listen::Tcp(tcp) => {
            let (sockets, tcp) =
                open_tcp(*tcp, threads).map_err(|error| ReferenceError::listen(address, error))?;
            Ok((sockets, Listen::Tcp(tcp)))
        }
        Listen::Unix(path) => {
            remove_leftover(path)?;
            let sockets =
                open_unix(path, threads).map_err(|error| ReferenceError::listen(address, error))?;
            Ok((sockets, address.clone()))
        }
    }
}

fn open_tcp(address: SocketAddr, threads: usize) -> io::Result<(Vec<OwnedFd>, SocketAddr)> {
    // SO_REUSEPORT would silently share a port with another program of this user, so the first bind does without.
    let first = TcpListener::from(tcp_socket(address, false)?);
    let address = first.local_addr()?;
    if threads == 1 {
        return Ok((vec![first.into()], address));
    }
    drop(first);
    let sockets: io::Result<Vec<OwnedFd>> =
        (0..threads).map(|_| tcp_socket(address, true)).collect();
    Ok((sockets?, address))
}

fn tcp_socket(address: SocketAddr, is_shared: bool) -> io::Result<OwnedFd> {
    let family = if address.is_ipv4() {
        AddressFamily::INET
    } else {
        AddressFamily::INET6
    };
    let socket = stream_socket(family)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    sockopt::set_socket_reuseport(&socket, is_shared)?;
    // Accepted sockets inherit this, which saves a call per connection.
    sockopt::set_tcp_nodelay(&socket, true)?;
    bind(&socket, &address)?;
    listen(&socket, BACKLOG)?;
    Ok(socket)
}

fn open_unix(path: &Path, threads: usize) -> io::Result<Vec<OwnedFd>> {
    let socket = stream_socket(AddressFamily::UNIX)?;
    bind(&socket, &SocketAddrUnix::new(path)?)?;
    listen(&socket, BACKLOG)?;
    let mut sockets: Vec<OwnedFd> = (1..threads)
        .map(|_| socket.try_clone())
        .collect::<io::Result<_>>()?;
    sockets.push(socket);
    Ok(sockets)
}

fn stream_socket(family: AddressFamily) -> io::Result<OwnedFd> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    Ok(socket_with(family, SocketType::STREAM, flags, None)?)
}

/// Removes the socket file that a killed server left behind, if nobody listens on it.
fn remove_leftover(path: &Path) -> Result<(), ReferenceError> {
    let name = || Listen::Unix(path.to_owned()).to_string();
    let Ok(facts) = path.symlink_metadata() else {
        return Ok(());
    };
    if !facts.file_type().is_socket() {
        return Err(ReferenceError::NotASocket(name()));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path).map_err(|error| ReferenceError::Listen(name(), error))
        }
        _ => Err(ReferenceError::AddressTaken(name())),
    }
}
