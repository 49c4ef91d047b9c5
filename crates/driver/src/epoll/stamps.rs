//! The kernel's timestamps of what a TCP connection sends and receives: `SO_TIMESTAMPING`, in software.
//!
//! The timestamp of a `send` arrives on the connection's error queue and names the position of its last byte in the
//! stream. The timestamp of a `recv` comes as a control message with the bytes; it is that of their last segment. Source: the kernel's `Documentation/networking/timestamping.rst`.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Duration;

use socket2::{Domain, Socket, Type};

use crate::clock::Nanos;
use crate::wall::{Wall, nanos};

/// Software timestamps in both directions; for sent bytes only their position, without the bytes.
const WANTED: libc::c_uint = libc::SOF_TIMESTAMPING_TX_SOFTWARE
    | libc::SOF_TIMESTAMPING_RX_SOFTWARE
    | libc::SOF_TIMESTAMPING_SOFTWARE
    | libc::SOF_TIMESTAMPING_OPT_ID
    | libc::SOF_TIMESTAMPING_OPT_TSONLY;
/// The kind of timestamp that means: passed to the device (`linux/errqueue.h`).
const SCM_TSTAMP_SND: u32 = 0;
/// Size of the buffer for control messages of a call. Both kinds together take 128 bytes.
const CONTROL: usize = 256;
/// Most attempts to get a first timestamp, 1 ms apart.
const TRIES: usize = 500;

/// The timestamps of a driver's connections.
pub struct Stamps {
    wall: Wall,
    /// The kernel takes timestamps while any socket asks for them, and starts and stops with a delay. This socket stays
    /// open, so that the first bytes of every connection get theirs.
    _keeper: Socket,
    sent: Vec<Sent>,
    arrived: Option<Nanos>,
}

/// The bytes sent on the connection of a slot.
#[derive(Clone, Copy, Default)]
struct Sent {
    /// Number of bytes since the connection began, counted as the kernel does.
    bytes: u32,
    /// When the last of them was sent.
    left: Option<Nanos>,
}

impl Stamps {
    /// Timestamps for a run with this offset to the wall clock.
    ///
    /// # Errors
    /// When the kernel gives no stamps.
    pub fn new(wall: Wall) -> io::Result<Self> {
        let keeper = keeper().map_err(|e| {
            let words = format!("the kernel provides no timestamps (SO_TIMESTAMPING): {e}");
            io::Error::new(e.kind(), words)
        })?;
        Ok(Self {
            wall,
            _keeper: keeper,
            sent: Vec::new(),
            arrived: None,
        })
    }

    /// Starts with a new connection, before anything is sent: the kernel counts its bytes from now on. A socket that
    /// does not support timestamps has none.
    pub fn begin(&mut self, slot: u32, socket: &Socket) {
        let index = slot as usize;
        if index >= self.sent.len() {
            self.sent.resize(index + 1, Sent::default());
        }
        self.sent[index] = Sent::default();
        let _ = ask(socket);
    }

    /// Records that the kernel took `count` more bytes. If it passed them on at once, their timestamp is available now;
    /// left on the error queue, it would make the socket look failed in the next wait.
    pub fn sent(&mut self, slot: u32, count: usize, socket: &Socket) {
        if count == 0 {
            return;
        }
        let sent = &mut self.sent[slot as usize];
        sent.bytes = sent.bytes.wrapping_add(count as u32);
        sent.left = None;
        self.left(slot, socket);
    }

    /// When the last byte so far was sent, if the kernel has reported it.
    pub fn left(&mut self, slot: u32, socket: &Socket) -> Option<Nanos> {
        let sent = self.sent.get_mut(slot as usize)?;
        let last = sent.bytes.wrapping_sub(1);
        while sent.left.is_none() {
            let said = receive(socket, &mut [], libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT).ok()?;
            if said.left == Some(last) {
                sent.left = said.stamp.and_then(|stamp| self.wall.to_run(stamp));
            }
        }
        sent.left
    }

    /// Receives bytes, and records when they arrived.
    pub fn receive(&mut self, socket: &Socket, buffer: &mut [u8]) -> io::Result<usize> {
        self.arrived = None;
        let said = receive(socket, buffer, 0)?;
        // A full buffer may end before the segment that has the timestamp.
        if said.count < buffer.len() {
            self.arrived = said.stamp.and_then(|stamp| self.wall.to_run(stamp));
        }
        Ok(said.count)
    }

    /// When the last bytes received had arrived, if the kernel reported it.
    pub fn arrived(&self) -> Option<Nanos> {
        self.arrived
    }
}

/// Opens a socket with timestamps that has received one for a datagram to itself.
fn keeper() -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM.cloexec(), None)?;
    ask(&socket)?;
    socket.set_read_timeout(Some(Duration::from_secs(1)))?;
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
    socket.connect(&socket.local_addr()?)?;
    for _ in 0..TRIES {
        socket.send(b"?")?;
        if receive(&socket, &mut [0; 2], 0)?.stamp.is_some() {
            return Ok(socket);
        }
        thread::sleep(Duration::from_millis(1));
    }
    Err(io::Error::new(
        io::ErrorKind::TimedOut,
        "no timestamp arrived with a datagram on loopback",
    ))
}

/// Turns on timestamps for a socket.
fn ask(socket: &Socket) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the value points to a c_uint of the length given.
    let answer = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPING,
            std::ptr::from_ref(&WANTED).cast(),
            size_of_val(&WANTED) as libc::socklen_t,
        )
    };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// The result of a `recvmsg`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    count: usize,
    /// A time of the wall clock.
    stamp: Option<Nanos>,
    /// The position of the byte that was sent, for timestamps of sent bytes.
    left: Option<u32>,
}

/// Calls `recvmsg` and reads its control messages.
fn receive(socket: &Socket, bytes: &mut [u8], flags: libc::c_int) -> io::Result<Said> {
    let mut part = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    let mut control = Control([0; CONTROL]);
    // SAFETY: msghdr is plain data for which all zeroes is a value.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = CONTROL as _;
    // SAFETY: the message points to one part and to a control buffer that are alive and as long as it says.
    let count = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, flags) };
    if count < 0 {
        return Err(io::Error::last_os_error());
    }
    let mut said = Said {
        count: count as usize,
        ..Said::default()
    };
    // SAFETY: the kernel has filled the control buffer, which is aligned as its headers are, and set its length.
    let mut next = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
    while !next.is_null() {
        // SAFETY: what CMSG_FIRSTHDR and CMSG_NXTHDR give is a whole header inside the control buffer.
        unsafe {
            said.note(&*next, libc::CMSG_DATA(next));
            next = libc::CMSG_NXTHDR(&raw const message, next);
        }
    }
    Ok(said)
}

/// A buffer with the alignment of control messages.
#[repr(C, align(8))]
struct Control([u8; CONTROL]);

impl Said {
    /// Takes one control message.
    ///
    /// # Safety
    /// `data` points to what the kernel wrote behind `header`.
    unsafe fn note(&mut self, header: &libc::cmsghdr, data: *const u8) {
        match (header.cmsg_level, header.cmsg_type) {
            (libc::SOL_SOCKET, libc::SCM_TIMESTAMPING) => {
                // SAFETY: the message is three timespecs, of which the first is the software's.
                let time: libc::timespec =
                    unsafe { data.cast::<libc::timespec>().read_unaligned() };
                self.stamp = Some(nanos(time.tv_sec, time.tv_nsec)).filter(|stamp| *stamp > 0);
            }
            (libc::SOL_IP, libc::IP_RECVERR) | (libc::SOL_IPV6, libc::IPV6_RECVERR) => {
                // SAFETY: the message begins with a sock_extended_err.
                let error: libc::sock_extended_err =
                    unsafe { data.cast::<libc::sock_extended_err>().read_unaligned() };
                let is_stamp = error.ee_origin == libc::SO_EE_ORIGIN_TIMESTAMPING
                    && error.ee_info == SCM_TSTAMP_SND;
                self.left = is_stamp.then_some(error.ee_data);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;
    use crate::clock::Clock;

    /// Timestamps of slot 0, its connection, and the peer's end of it.
    fn connected(address: &str) -> (Clock, Stamps, Socket, TcpStream) {
        let clock = Clock::start();
        let mut stamps = Stamps::new(Wall::read(clock)).unwrap();
        let listener = TcpListener::bind(address).unwrap();
        let near: Socket = TcpStream::connect(listener.local_addr().unwrap())
            .unwrap()
            .into();
        near.set_tcp_nodelay(true).unwrap();
        stamps.begin(0, &near);
        (clock, stamps, near, listener.accept().unwrap().0)
    }

    fn send(stamps: &mut Stamps, near: &Socket, bytes: &[u8]) {
        let count = near.send(bytes).unwrap();
        assert_eq!(count, bytes.len());
        stamps.sent(0, count, near);
    }

    fn is_drained(socket: &Socket) -> bool {
        let said = receive(socket, &mut [], libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT);
        said.is_err_and(|e| e.kind() == io::ErrorKind::WouldBlock)
    }

    #[test]
    fn each_message_leaves_after_it_is_sent_and_arrives_before_it_is_read() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let (clock, mut stamps, near, mut far) = connected(address);
            let mut buffer = [0; 64];
            for length in [1, 2, 30, 40] {
                let before = clock.now();
                send(&mut stamps, &near, &vec![b'x'; length]);
                far.read_exact(&mut vec![0; length]).unwrap();
                far.write_all(b"reply").unwrap();
                assert_eq!(stamps.receive(&near, &mut buffer).unwrap(), 5);
                let left = stamps.left(0, &near).unwrap();
                let arrived = stamps.arrived().unwrap();
                let after = clock.now();
                assert!(before <= left && left <= arrived && arrived <= after);
                assert!(is_drained(&near), "a timestamp was left on the error queue");
            }
        }
    }

    #[test]
    fn the_stamp_is_that_of_the_last_byte_sent() {
        let (_, mut stamps, near, _far) = connected("127.0.0.1:0");
        send(&mut stamps, &near, b"first");
        let first = stamps.left(0, &near).unwrap();
        send(&mut stamps, &near, b"second");
        assert!(stamps.left(0, &near).unwrap() > first);
        // Counted as sent, but never given to the kernel: this byte has no timestamp.
        stamps.sent(0, 1, &near);
        assert_eq!(stamps.left(0, &near), None);
    }

    #[test]
    fn a_new_connection_in_a_slot_is_counted_from_its_first_byte() {
        let (_, mut stamps, near, _far) = connected("127.0.0.1:0");
        send(&mut stamps, &near, b"on the first connection");
        let (_, _, second, _second_far) = connected("127.0.0.1:0");
        stamps.begin(0, &second);
        send(&mut stamps, &second, b"on the next");
        assert!(stamps.left(0, &second).is_some());
    }

    #[test]
    fn bytes_that_fill_the_buffer_have_no_stamp_and_the_rest_has() {
        let (_, mut stamps, near, mut far) = connected("127.0.0.1:0");
        far.write_all(b"eight by").unwrap();
        let mut buffer = [0; 5];
        assert_eq!(stamps.receive(&near, &mut buffer).unwrap(), 5);
        assert_eq!(stamps.arrived(), None);
        assert_eq!(stamps.receive(&near, &mut buffer).unwrap(), 3);
        assert!(stamps.arrived().is_some());
        drop(far);
        assert_eq!(stamps.receive(&near, &mut buffer).unwrap(), 0);
        assert_eq!(
            stamps.arrived(),
            None,
            "the end of the stream has no timestamp"
        );
    }
}
