//! The only crate that uses the operating system: sockets, clocks, threads.
//!
//! A [`Driver`] opens connections, sends ranges of a fixed script and returns what arrives. There are three: `io_uring`,
//! epoll, and a simulated one with virtual time. The same contract tests run on all of them.

mod clock;
mod driver;
mod epoll;
mod fault;
mod huge_pages;
mod low_latency;
mod prefetch;
mod probe;
mod queue;
mod route;
mod simulated;
mod thread;
mod udp;
mod uring;
mod wall;

pub use clock::{Clock, NEVER, Nanos};
pub use driver::{Datagrams, Driver, Event, Handshakes, What};
pub use epoll::Epoll;
pub use epoll::poller::{Interest, Poller, ReadyEvent, Waker};
pub use fault::Fault;
pub use huge_pages::use_huge_pages;
pub use low_latency::{ShallowIdle, ordinary_priority, real_time_priority};
pub use prefetch::prefetch;
pub use probe::{Availability, probe};
pub use queue::SendQueue;
pub use route::{Route, SocketOptions, preflight};
pub use simulated::{Act, Scene, Simulated};
pub use thread::{
    ThreadUsage, make_room_for_descriptors, pin_thread, raise_descriptor_limit, set_exact_timers,
    set_short_slice, thread_cpu_wait, thread_usage,
};
pub use udp::{Received, Udp};
pub use uring::Uring;
pub use wall::Wall;
