//! Readiness by epoll, with timeouts in nanoseconds.
//!
//! `epoll_wait` takes whole milliseconds, the scale of the latencies measured here. `epoll_pwait2` (Linux 5.11) takes
//! nanoseconds; `rustix` calls it with its feature `linux_5_11`, which this crate enables. The kernel's timer slack
//! remains, 50 µs by default: see [`set_exact_timers`](crate::set_exact_timers).

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{EventfdFlags, Timespec, eventfd};
use rustix::io::Errno;

/// Most events returned by one wait. The rest comes with the next one.
const EVENTS_PER_WAIT: usize = 512;

/// The events to watch a descriptor for. With neither set, only its closing is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest {
    pub read: bool,
    pub write: bool,
}

impl Interest {
    pub const READ: Self = Self {
        read: true,
        write: false,
    };
    pub const WRITE: Self = Self {
        read: false,
        write: true,
    };
    pub const BOTH: Self = Self {
        read: true,
        write: true,
    };

    fn flags(self, edge: bool) -> EventFlags {
        let mut flags = EventFlags::RDHUP;
        flags.set(EventFlags::IN | EventFlags::PRI, self.read);
        flags.set(EventFlags::OUT, self.write);
        flags.set(EventFlags::ET, edge);
        flags
    }
}

/// Readiness of a descriptor. A failed or closed one counts as readable and writable: the next call returns the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags of the kernel, each independent of the others"
)]
pub struct ReadyEvent {
    /// The key the descriptor was added with.
    pub key: u64,
    pub readable: bool,
    pub writable: bool,
    /// The peer will send no more, or the connection failed. Earlier bytes may still be unread.
    pub closed: bool,
    /// TCP urgent data arrived: a read stops at its mark, so a short read may leave bytes behind.
    pub urgent: bool,
}

impl ReadyEvent {
    fn new(event: Event) -> Self {
        let (flags, data) = (event.flags, event.data);
        let broken = flags.intersects(EventFlags::ERR | EventFlags::HUP);
        let half_closed = flags.contains(EventFlags::RDHUP);
        Self {
            key: data.u64(),
            readable: broken || half_closed || flags.contains(EventFlags::IN),
            writable: broken || flags.contains(EventFlags::OUT),
            closed: broken || half_closed,
            urgent: flags.contains(EventFlags::PRI),
        }
    }
}

/// An epoll set. A descriptor leaves it by [`remove`](Self::remove) or by being closed.
#[derive(Debug)]
pub struct Poller {
    epoll: OwnedFd,
    ready: Vec<ReadyEvent>,
}

impl Poller {
    /// Creates an empty set. Fails with `Unsupported` if the kernel lacks `epoll_pwait2` or a sandbox forbids it.
    pub fn new() -> io::Result<Self> {
        let mut poller = Self {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            ready: Vec::with_capacity(EVENTS_PER_WAIT),
        };
        match poller.take_events(Some(Duration::ZERO)) {
            Ok(()) => Ok(poller),
            Err(Errno::NOSYS | Errno::PERM) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "`epoll_pwait2` is missing or forbidden here; Linux 5.11 or newer is needed",
            )),
            Err(other) => Err(other.into()),
        }
    }

    /// Watches `fd`, reported under `key`. With `edge`, each change is reported once: read or write until `WouldBlock`.
    pub fn add(&self, fd: BorrowedFd, key: u64, interest: Interest, edge: bool) -> io::Result<()> {
        Ok(epoll::add(
            &self.epoll,
            fd,
            EventData::new_u64(key),
            interest.flags(edge),
        )?)
    }

    /// Replaces key, interest and trigger of a watched `fd`. Current readiness is reported again.
    pub fn modify(
        &self,
        fd: BorrowedFd,
        key: u64,
        interest: Interest,
        edge: bool,
    ) -> io::Result<()> {
        Ok(epoll::modify(
            &self.epoll,
            fd,
            EventData::new_u64(key),
            interest.flags(edge),
        )?)
    }

    /// Stops watching `fd`. Events already returned by the last wait stay in that slice.
    pub fn remove(&self, fd: BorrowedFd) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, fd)?)
    }

    /// Waits until something is ready or `timeout` has passed (`None`: forever), never for a shorter time.
    ///
    /// The result is empty after the timeout, or when a signal interrupted the wait.
    pub fn wait(&mut self, timeout: Option<Duration>) -> io::Result<&[ReadyEvent]> {
        self.ready.clear();
        match self.take_events(timeout) {
            Ok(()) | Err(Errno::INTR) => Ok(&self.ready),
            Err(other) => Err(other.into()),
        }
    }

    fn take_events(&mut self, timeout: Option<Duration>) -> Result<(), Errno> {
        // On the stack: an `Event` may hold a pointer, which would bind the poller to one thread.
        let mut room = [const { MaybeUninit::<Event>::uninit() }; EVENTS_PER_WAIT];
        let timeout = timeout.map(timespec);
        let (events, _) = epoll::wait(&self.epoll, &mut room, timeout.as_ref())?;
        self.ready
            .extend(events.iter().copied().map(ReadyEvent::new));
        Ok(())
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}

/// Wakes another thread: add its descriptor to that thread's [`Poller`], then call [`wake`](Self::wake).
#[derive(Debug)]
pub struct Waker(OwnedFd);

impl Waker {
    pub fn new() -> io::Result<Self> {
        Ok(Self(eventfd(
            0,
            EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK,
        )?))
    }

    /// Makes the descriptor readable until [`reset`](Self::reset).
    pub fn wake(&self) -> io::Result<()> {
        match rustix::io::write(&self.0, &1_u64.to_ne_bytes()) {
            // The counter is full, so the descriptor is readable already.
            Ok(_) | Err(Errno::AGAIN) => Ok(()),
            Err(other) => Err(other.into()),
        }
    }

    /// Clears earlier calls of [`wake`](Self::wake).
    pub fn reset(&self) -> io::Result<()> {
        match rustix::io::read(&self.0, &mut [0_u8; 8]) {
            Ok(_) | Err(Errno::AGAIN) => Ok(()),
            Err(other) => Err(other.into()),
        }
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;
    use std::time::Instant;

    use super::*;

    fn watched(interest: Interest, edge: bool) -> (Poller, UnixStream, UnixStream) {
        let poller = Poller::new().unwrap();
        let (near, far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        poller.add(near.as_fd(), 7, interest, edge).unwrap();
        (poller, near, far)
    }

    fn now(poller: &mut Poller) -> Vec<ReadyEvent> {
        poller.wait(Some(Duration::ZERO)).unwrap().to_vec()
    }

    fn ready(readable: bool, writable: bool, closed: bool) -> Vec<ReadyEvent> {
        vec![ReadyEvent {
            key: 7,
            readable,
            writable,
            closed,
            urgent: false,
        }]
    }

    #[test]
    fn a_socket_is_readable_once_bytes_have_come() {
        let (mut poller, _near, mut far) = watched(Interest::READ, false);
        assert_eq!(now(&mut poller), []);
        far.write_all(b"x").unwrap();
        assert_eq!(now(&mut poller), ready(true, false, false));
        assert_eq!(
            now(&mut poller),
            ready(true, false, false),
            "a level is reported again"
        );
    }

    #[test]
    fn an_edge_is_reported_once_until_more_bytes_come() {
        let (mut poller, _near, mut far) = watched(Interest::BOTH, true);
        far.write_all(b"x").unwrap();
        assert_eq!(now(&mut poller), ready(true, true, false));
        assert_eq!(now(&mut poller), []);
        far.write_all(b"x").unwrap();
        assert!(now(&mut poller)[0].readable);
    }

    #[test]
    fn a_closed_peer_is_reported_and_its_last_bytes_can_be_read() {
        let (mut poller, mut near, mut far) = watched(Interest::READ, true);
        far.write_all(b"last").unwrap();
        drop(far);
        let event = now(&mut poller)[0];
        assert!(event.closed && event.readable);
        let mut rest = String::new();
        near.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "last");
    }

    #[test]
    fn interest_can_be_changed_and_dropped() {
        let (mut poller, near, _far) = watched(Interest::READ, true);
        poller
            .modify(near.as_fd(), 7, Interest::WRITE, true)
            .unwrap();
        assert_eq!(now(&mut poller), ready(false, true, false));
        poller
            .modify(near.as_fd(), 7, Interest::WRITE, true)
            .unwrap();
        assert_eq!(
            now(&mut poller),
            ready(false, true, false),
            "a change reports readiness again"
        );
        poller
            .modify(near.as_fd(), 7, Interest::WRITE, true)
            .unwrap();
        poller.remove(near.as_fd()).unwrap();
        assert_eq!(now(&mut poller), []);
    }

    #[test]
    fn a_wait_with_a_timeout_never_ends_early_and_is_not_rounded_to_milliseconds() {
        crate::thread::set_exact_timers().unwrap();
        let mut poller = Poller::new().unwrap();
        let wanted = Duration::from_nanos(200_001);
        let took = |poller: &mut Poller| {
            let start = Instant::now();
            assert!(poller.wait(Some(wanted)).unwrap().is_empty());
            start.elapsed()
        };
        let all: Vec<Duration> = (0..50).map(|_| took(&mut poller)).collect();
        assert!(
            all.iter().all(|waited| *waited >= wanted),
            "ended early: {all:?}"
        );
        // A timeout in milliseconds would make each of them 1 ms at least, on any machine.
        assert!(
            all.iter().any(|waited| *waited < Duration::from_millis(1)),
            "rounded: {all:?}"
        );
    }

    #[test]
    fn a_waker_ends_the_wait_of_another_thread() {
        let waker = Waker::new().unwrap();
        let mut poller = Poller::new().unwrap();
        poller.add(waker.as_fd(), 7, Interest::READ, false).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(move || poller.wait(None).unwrap().to_vec());
            waker.wake().unwrap();
            assert_eq!(waiting.join().unwrap(), ready(true, false, false));
        });
    }

    #[test]
    fn a_reset_waker_can_wake_again() {
        let waker = Waker::new().unwrap();
        let mut poller = Poller::new().unwrap();
        poller.add(waker.as_fd(), 7, Interest::READ, false).unwrap();
        waker.wake().unwrap();
        waker.reset().unwrap();
        waker.reset().unwrap();
        assert_eq!(now(&mut poller), []);
        waker.wake().unwrap();
        assert_eq!(now(&mut poller), ready(true, false, false));
    }
}
