//! Connected UDP sockets by epoll, for protocols that keep their connections themselves.
//!
//! Several datagrams leave with one call, and arrive with one: the kernel divides and joins them (`UDP_SEGMENT`, `UDP_GRO`;
//! `Documentation/networking/segmentation-offloads.rst`). Where it cannot, each has a call of its own.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use socket2::Socket;

use crate::clock::{Clock, Nanos};
use crate::epoll::poller::{Interest, Poller, ReadyEvent};
use crate::fault::Fault;
use crate::route::Route;

/// Size of the buffer for control messages of a call.
const CONTROL: usize = 64;

/// UDP sockets, by slot.
pub struct Udp {
    clock: Clock,
    poller: Poller,
    slots: Vec<Slot>,
    ready: VecDeque<ReadyEvent>,
    /// The kernel divides what is sent.
    divides: bool,
}

#[derive(Default)]
struct Slot {
    generation: u32,
    socket: Option<Socket>,
}

/// Datagrams that one call received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Bytes of all of them.
    pub length: usize,
    /// Bytes of each but the last.
    pub segment: usize,
}

impl Udp {
    /// No sockets yet.
    ///
    /// # Errors
    /// When the kernel provides no epoll instance.
    pub fn new(clock: Clock) -> io::Result<Self> {
        Ok(Self {
            clock,
            poller: Poller::new()?,
            slots: Vec::new(),
            ready: VecDeque::with_capacity(1024),
            divides: true,
        })
    }

    /// Time since the epoch of the run.
    #[inline]
    pub fn now(&self) -> Nanos {
        self.clock.now()
    }

    /// Opens a socket, and returns the address of the server.
    ///
    /// # Errors
    /// When no socket can be created, bound or connected.
    pub fn open(&mut self, slot: u32, route: &Route) -> Result<SocketAddr, Fault> {
        let address = route.address().ok_or(Fault::Other(libc::EAFNOSUPPORT))?;
        let socket = route.udp_socket()?;
        // Older kernels join nothing.
        let _ = set_option(&socket, libc::UDP_GRO, 1);
        let index = slot as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, Slot::default);
        }
        let state = &mut self.slots[index];
        state.generation = state.generation.wrapping_add(1);
        let key = u64::from(state.generation) << 32 | u64::from(slot);
        self.poller
            .add(socket.as_fd(), key, Interest::BOTH, true)
            .map_err(|e| Fault::from(&e))?;
        state.socket = Some(socket);
        Ok(address)
    }

    /// Closes a socket.
    pub fn close(&mut self, slot: u32) {
        if let Some(state) = self.slots.get_mut(slot as usize) {
            state.generation = state.generation.wrapping_add(1);
            state.socket = None;
        }
    }

    /// Waits until a socket is ready, until `until` at the latest.
    ///
    /// # Errors
    /// When epoll fails.
    pub fn wait(&mut self, until: Nanos) -> io::Result<()> {
        let timeout = if self.ready.is_empty() {
            self.clock.until(until)
        } else {
            Duration::ZERO
        };
        self.ready.extend(self.poller.wait(Some(timeout))?);
        Ok(())
    }

    /// The next socket that may be read or written.
    pub fn next_ready(&mut self) -> Option<(u32, ReadyEvent)> {
        while let Some(ready) = self.ready.pop_front() {
            let slot = ready.key as u32;
            let state = &self.slots[slot as usize];
            if state.socket.is_some() && state.generation == (ready.key >> 32) as u32 {
                return Some((slot, ready));
            }
        }
        None
    }

    /// A socket may have more to be read: it is ready once more.
    pub fn put_back(&mut self, ready: ReadyEvent) {
        self.ready.push_back(ready);
    }

    /// Receives datagrams; `None`: there are none.
    ///
    /// # Errors
    /// The network reported an error, such as a closed port.
    pub fn receive(&self, slot: u32, buffer: &mut [u8]) -> Result<Option<Received>, Fault> {
        let Some(socket) = &self.slots[slot as usize].socket else {
            return Ok(None);
        };
        loop {
            match receive(socket, buffer) {
                Ok(received) => return Ok(Some(received)),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Fault::from(&e)),
            }
        }
    }

    /// Sends datagrams of `segment` bytes each, the last one of the rest. Returns how many calls it took; `None`: the buffer of the
    /// socket is full, and nothing was sent.
    ///
    /// # Errors
    /// The network reported an error, such as a closed port.
    pub fn send(&mut self, slot: u32, bytes: &[u8], segment: usize) -> Result<Option<u64>, Fault> {
        let Some(socket) = &self.slots[slot as usize].socket else {
            return Ok(Some(0));
        };
        if bytes.len() > segment && self.divides {
            match send(socket, bytes, Some(segment as u16)) {
                // The device cannot divide, or the kernel does not know how to.
                Err(e) if matches!(e.raw_os_error(), Some(libc::EIO | libc::EINVAL)) => {
                    self.divides = false;
                }
                sent => return is_sent(sent).map(|sent| sent.then_some(1)),
            }
        }
        let mut calls = 0;
        for datagram in bytes.chunks(segment.max(1)) {
            if !is_sent(send(socket, datagram, None))? && calls == 0 {
                return Ok(None);
            }
            // One in the middle that finds no room is lost, as on any network.
            calls += 1;
        }
        Ok(Some(calls))
    }
}

/// False if there was no room.
fn is_sent(sent: io::Result<()>) -> Result<bool, Fault> {
    match sent {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(false),
        // Larger than the path allows: a probe of its size, which is lost then.
        Err(e) if e.raw_os_error() == Some(libc::EMSGSIZE) => Ok(true),
        Err(e) => Err(Fault::from(&e)),
    }
}

fn set_option(socket: &Socket, name: libc::c_int, value: libc::c_int) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the value points to a c_int of the length given.
    let answer = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_UDP,
            name,
            std::ptr::from_ref(&value).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// A buffer with the alignment of control messages.
#[repr(C, align(8))]
struct Control([u8; CONTROL]);

fn send(socket: &Socket, bytes: &[u8], segment: Option<u16>) -> io::Result<()> {
    let Some(segment) = segment else {
        return socket.send(bytes).map(|_| ());
    };
    let mut part = libc::iovec {
        iov_base: bytes.as_ptr().cast_mut().cast(),
        iov_len: bytes.len(),
    };
    let mut control = Control([0; CONTROL]);
    // SAFETY: msghdr is plain data for which all zeroes is a value.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    // SAFETY: only computes a length.
    message.msg_controllen = unsafe { libc::CMSG_SPACE(size_of::<u16>() as u32) } as _;
    // SAFETY: the control buffer is aligned and longer than one message with two bytes, so the first header and its data are
    // inside it.
    unsafe {
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_UDP;
        (*header).cmsg_type = libc::UDP_SEGMENT;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<u16>() as u32) as _;
        libc::CMSG_DATA(header)
            .cast::<[u8; 2]>()
            .write(segment.to_ne_bytes());
    }
    // SAFETY: the message points to one part, which the kernel only reads, and to a control buffer, both alive.
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const message, 0) };
    if sent < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

fn receive(socket: &Socket, buffer: &mut [u8]) -> io::Result<Received> {
    let mut part = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    let mut control = Control([0; CONTROL]);
    // SAFETY: msghdr is plain data for which all zeroes is a value.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = CONTROL as _;
    // SAFETY: the message points to one part and to a control buffer that are alive and as long as it says.
    let count = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0) };
    if count < 0 {
        return Err(io::Error::last_os_error());
    }
    let length = count as usize;
    let mut segment = length;
    // SAFETY: the kernel has filled the control buffer, which is aligned as its headers are, and set its length. What
    // CMSG_FIRSTHDR and CMSG_NXTHDR give is a whole header inside it; UDP_GRO's data is an int.
    unsafe {
        let mut next = libc::CMSG_FIRSTHDR(&raw const message);
        while !next.is_null() {
            if (*next).cmsg_level == libc::SOL_UDP && (*next).cmsg_type == libc::UDP_GRO {
                let size = libc::CMSG_DATA(next).cast::<[u8; 4]>();
                let size = libc::c_int::from_ne_bytes(size.read());
                segment = usize::try_from(size).unwrap_or(length);
            }
            next = libc::CMSG_NXTHDR(&raw const message, next);
        }
    }
    Ok(Received {
        length,
        segment: segment.max(1),
    })
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    /// A socket in slot 0, and its peer.
    fn connected() -> (Udp, UdpSocket) {
        let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
        let mut udp = Udp::new(Clock::start()).unwrap();
        let route = Route::tcp(peer.local_addr().unwrap(), None);
        assert_eq!(udp.open(0, &route), Ok(peer.local_addr().unwrap()));
        (udp, peer)
    }

    #[test]
    fn datagrams_that_are_sent_with_one_call_arrive_one_by_one() {
        let (mut udp, peer) = connected();
        let bytes: Vec<u8> = (0..250_u8).collect();
        assert_eq!(udp.send(0, &bytes, 100), Ok(Some(1)));
        let mut buffer = [0; 1000];
        let lengths = [0; 3].map(|_| peer.recv(&mut buffer).unwrap());
        assert_eq!(lengths, [100, 100, 50]);
        assert_eq!(buffer[..50], bytes[200..]);
        // Without the kernel's help.
        udp.divides = false;
        assert_eq!(udp.send(0, &bytes, 100), Ok(Some(3)));
        let lengths = [0; 3].map(|_| peer.recv(&mut buffer).unwrap());
        assert_eq!(lengths, [100, 100, 50]);
    }

    #[test]
    fn datagrams_are_received_whole_and_joined_ones_say_their_length() {
        let (mut udp, peer) = connected();
        let address = udp.slots[0].socket.as_ref().unwrap().local_addr().unwrap();
        peer.connect(address.as_socket().unwrap()).unwrap();
        let socket = Socket::from(peer);
        send(&socket, &[7; 250], Some(100)).unwrap();
        let (mut buffer, mut lengths) = ([0; 1000], Vec::new());
        udp.wait(udp.now() + 1_000_000_000).unwrap();
        assert_eq!(udp.next_ready().map(|(slot, _)| slot), Some(0));
        while let Some(received) = udp.receive(0, &mut buffer).unwrap() {
            let all = buffer[..received.length].chunks(received.segment);
            lengths.extend(all.map(<[u8]>::len));
        }
        assert_eq!(lengths, [100, 100, 50]);
    }

    #[test]
    fn a_port_on_which_nobody_listens_refuses() {
        let (mut udp, peer) = connected();
        drop(peer);
        assert_eq!(udp.send(0, b"anybody?", 8), Ok(Some(1)));
        udp.wait(udp.now() + 1_000_000_000).unwrap();
        assert!(udp.next_ready().is_some());
        assert_eq!(udp.receive(0, &mut [0; 100]), Err(Fault::Refused));
    }
}
