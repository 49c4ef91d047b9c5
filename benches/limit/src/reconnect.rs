//! The bare limit with a few calls per connection: connect, send, receive and close as one chain of operations. A
//! multishot receive serves all calls of a connection and has to be cancelled at its end.

use std::net::SocketAddr;
use std::os::fd::{IntoRawFd, RawFd};
use std::time::{Duration, Instant};

use io_uring::squeue::Flags;
use io_uring::types::Fd;
use io_uring::{cqueue, opcode, squeue};

use crate::ring::{GROUP, Ring};
use crate::variant::Variant;
use crate::{Failure, Replies};

const QUIET: u64 = 1 << 32;
/// Position of the generation in a tag.
const LIFE: u32 = 33;
/// Most connections: four operations of each fit into the queue, so a full queue never splits a chain.
const MOST: usize = 256;

/// The work: destination, request, length of the reply, calls per connection.
pub struct Work {
    peer: libc::sockaddr_in,
    request: Vec<u8>,
    wanted: usize,
    turns: usize,
    multishot: bool,
}

impl Work {
    pub fn new(
        address: &str,
        request: Vec<u8>,
        wanted: usize,
        turns: usize,
        multishot: bool,
    ) -> Result<Self, Failure> {
        let SocketAddr::V4(address) = address.parse()? else {
            return Err("expected an IPv4 address".into());
        };
        let peer = libc::sockaddr_in {
            sin_family: libc::AF_INET as libc::sa_family_t,
            sin_port: address.port().to_be(),
            sin_addr: libc::in_addr {
                s_addr: u32::from_ne_bytes(address.ip().octets()),
            },
            sin_zero: [0; 8],
        };
        Ok(Self {
            peer,
            request,
            wanted,
            turns: turns.max(1),
            multishot,
        })
    }
}

/// A connection: tag, socket, missing bytes of the reply, calls left after this one.
#[derive(Clone, Copy, Default)]
struct Connection {
    tag: u64,
    socket: RawFd,
    missing: usize,
    left: usize,
}

/// Opens, uses and closes connections until the time is up.
pub fn exchange(work: &Work, connections: usize, duration: Duration) -> Result<Replies, Failure> {
    if connections > MOST {
        return Err(format!("`{connections}` connections: expected at most {MOST}").into());
    }
    let mut ring = Ring::new(Variant::Plain)?;
    let mut all = vec![Connection::default(); connections];
    for (index, connection) in all.iter_mut().enumerate() {
        connection.tag = index as u64;
        open(&mut ring, work, connection)?;
    }
    let (mut count, begin) = (0, Instant::now());
    while begin.elapsed() < duration {
        ring.wait(1)?;
        while let Some(completion) = ring.next() {
            let index = completion.user_data() as usize & 0xffff_ffff;
            let connection = &mut all[index];
            if completion.user_data() & !QUIET != connection.tag {
                // The end of a cancelled receive of a closed connection.
                continue;
            }
            if completion.user_data() & QUIET != 0 || completion.result() <= 0 {
                return Err(format!("connection {index} ended: {}", completion.result()).into());
            }
            let receiving = cqueue::more(completion.flags());
            connection.missing = connection
                .missing
                .saturating_sub(completion.result() as usize);
            if connection.missing > 0 {
                if !receiving {
                    receive(&mut ring, work, connection);
                }
                continue;
            }
            count += 1;
            if connection.left == 0 {
                if receiving {
                    let cancel = opcode::AsyncCancel::new(connection.tag).build();
                    ring.push(&quiet(cancel, connection.tag));
                }
                let close = opcode::Close::new(Fd(connection.socket)).build();
                ring.push(&quiet(close, connection.tag));
                connection.tag += 1 << LIFE;
                open(&mut ring, work, connection)?;
            } else {
                connection.left -= 1;
                connection.missing = work.wanted;
                if receiving {
                    let send = send(work, connection);
                    ring.push(&send);
                } else {
                    ask(&mut ring, work, connection);
                }
            }
        }
    }
    Ok(Replies {
        count,
        enters: ring.enters,
    })
}

/// Opens a socket and queues the chain of its first call.
fn open(ring: &mut Ring, work: &Work, connection: &mut Connection) -> Result<(), Failure> {
    connection.socket = socket()?;
    connection.missing = work.wanted;
    connection.left = work.turns - 1;
    let length = size_of::<libc::sockaddr_in>() as libc::socklen_t;
    let peer = (&raw const work.peer).cast();
    let connect = opcode::Connect::new(Fd(connection.socket), peer, length).build();
    ring.push(&quiet(connect, connection.tag).flags(Flags::IO_LINK));
    ask(ring, work, connection);
    Ok(())
}

/// Sends, then receives.
fn ask(ring: &mut Ring, work: &Work, connection: &Connection) {
    let send = send(work, connection);
    ring.push(&send.flags(Flags::IO_LINK));
    receive(ring, work, connection);
}

fn send(work: &Work, connection: &Connection) -> squeue::Entry {
    let request = &work.request;
    let socket = Fd(connection.socket);
    let send = opcode::Send::new(socket, request.as_ptr(), request.len() as u32)
        .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
        .build();
    quiet(send, connection.tag)
}

fn receive(ring: &mut Ring, work: &Work, connection: &Connection) {
    let socket = Fd(connection.socket);
    let entry = if work.multishot {
        opcode::RecvMulti::new(socket, GROUP).build()
    } else {
        opcode::Recv::new(socket, std::ptr::null_mut(), 0)
            .buf_group(GROUP)
            .build()
            .flags(Flags::BUFFER_SELECT)
    };
    ring.push(&entry.user_data(connection.tag));
}

/// An operation that completes only on failure.
fn quiet(entry: squeue::Entry, tag: u64) -> squeue::Entry {
    entry.flags(Flags::SKIP_SUCCESS).user_data(QUIET | tag)
}

/// Opens a socket with `TCP_NODELAY`.
fn socket() -> Result<RawFd, Failure> {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None)?;
    socket.set_tcp_nodelay(true)?;
    Ok(socket.into_raw_fd())
}
