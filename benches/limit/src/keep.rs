//! The bare limit with keep-alive connections: send, wait for the bytes of the reply, send again.

use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use io_uring::squeue::{Entry, Flags};
use io_uring::types::{Fd, Timespec};
use io_uring::{cqueue, opcode};

use crate::ring::{GROUP, Ring};
use crate::variant::Variant;
use crate::{Failure, Replies};

const SEND: u64 = 1 << 32;
const TIMER: u64 = 2 << 32;
/// A timeout longer than any run.
static TIMEOUT: Timespec = Timespec::new().sec(3600);

/// Keep-alive connections, and how requests are sent on them.
struct Exchange<'a> {
    ring: Ring,
    sockets: Vec<TcpStream>,
    request: &'a [u8],
    variant: Variant,
}

/// Exchanges requests and replies on all connections until the time is up.
pub fn exchange(
    address: &str,
    request: &[u8],
    wanted: usize,
    connections: usize,
    duration: Duration,
    variant: Variant,
) -> Result<Replies, Failure> {
    let mut exchange = Exchange {
        ring: Ring::new(variant)?,
        sockets: connect(address, connections, variant)?,
        request,
        variant,
    };
    exchange.register()?;
    exchange.begin();
    let count = exchange.run(wanted, duration)?;
    Ok(Replies {
        count,
        enters: exchange.ring.enters,
    })
}

/// Opens all connections.
pub fn connect(
    address: &str,
    connections: usize,
    variant: Variant,
) -> Result<Vec<TcpStream>, Failure> {
    let mut sockets = Vec::with_capacity(connections);
    for _ in 0..connections {
        let socket = TcpStream::connect(address)?;
        socket.set_nodelay(true)?;
        if variant == Variant::Reno {
            socket2::SockRef::from(&socket).set_tcp_congestion(b"reno")?;
        }
        sockets.push(socket);
    }
    Ok(sockets)
}

impl Exchange<'_> {
    /// Registers with the ring what the variant asks for.
    fn register(&self) -> Result<(), Failure> {
        let submitter = self.ring.submitter();
        if self.variant == Variant::FixedFiles {
            let all: Vec<_> = self.sockets.iter().map(AsRawFd::as_raw_fd).collect();
            submitter.register_files(&all)?;
        }
        if self.variant.registers_request() {
            let request = libc::iovec {
                iov_base: self.request.as_ptr().cast_mut().cast(),
                iov_len: self.request.len(),
            };
            // SAFETY: the request lives until the program ends and is only read.
            unsafe { submitter.register_buffers(&[request])? };
        }
        Ok(())
    }

    fn begin(&mut self) {
        for index in 0..self.sockets.len() {
            if self.variant == Variant::KernelTimers {
                let timer = opcode::Timeout::new(&raw const TIMEOUT).build();
                self.ring.push(&timer.user_data(TIMER | index as u64));
            }
            if !self.variant.receives_once() {
                self.receive(index);
            }
            self.call(index);
        }
    }

    fn run(&mut self, wanted: usize, duration: Duration) -> Result<u64, Failure> {
        let mut missing = vec![wanted; self.sockets.len()];
        let least = self.variant.waits_for(self.sockets.len());
        let batch = self.variant.batch();
        let (mut replies, begin) = (0, Instant::now());
        while begin.elapsed() < duration {
            self.ring.wait(least)?;
            while let Some(completion) = self.ring.next() {
                let (data, result) = (completion.user_data(), completion.result());
                let index = data as usize & 0xffff_ffff;
                if data >= SEND && result >= 0 && self.variant == Variant::SendZc {
                    // A zero-copy send always completes twice: when sent, and when its buffer is free again.
                    continue;
                }
                if data >= SEND || result == 0 {
                    return Err(format!("connection {index} ended: {result}").into());
                }
                missing[index] = missing[index].saturating_sub(result.max(0) as usize);
                let whole = missing[index] == 0;
                let asked_next = whole && self.variant.receives_once();
                if !(asked_next || cqueue::more(completion.flags())) {
                    self.receive(index);
                }
                if whole {
                    missing[index] = wanted;
                    replies += 1;
                    self.call(index);
                    if replies % batch == 0 {
                        self.ring.submit()?;
                    }
                }
            }
        }
        Ok(replies)
    }

    /// Queues the next request, and what the variant adds to it.
    fn call(&mut self, index: usize) {
        let send = self.send(index);
        self.ring.push(&send);
        if self.variant.receives_once() {
            self.receive(index);
        }
        if self.variant == Variant::KernelTimers {
            let later = opcode::TimeoutUpdate::new(TIMER | index as u64, &raw const TIMEOUT)
                .build()
                .flags(Flags::SKIP_SUCCESS)
                .user_data(TIMER | index as u64);
            self.ring.push(&later);
        }
    }

    fn send(&self, index: usize) -> Entry {
        let (bytes, length) = (self.request.as_ptr(), self.request.len() as u32);
        let (socket, flags) = self.socket(index);
        let whole = libc::MSG_NOSIGNAL | libc::MSG_WAITALL;
        let entry = match self.variant {
            Variant::SendZc => opcode::SendZc::new(socket, bytes, length)
                .buf_index(Some(0))
                .flags(whole)
                .build(),
            Variant::WriteFixed => opcode::WriteFixed::new(socket, bytes, length, 0)
                .build()
                .flags(Flags::SKIP_SUCCESS),
            _ => opcode::Send::new(socket, bytes, length)
                .flags(whole)
                .build()
                .flags(Flags::SKIP_SUCCESS),
        };
        let link = if self.variant == Variant::Link {
            Flags::IO_LINK
        } else {
            Flags::empty()
        };
        entry.flags(flags | link).user_data(SEND | index as u64)
    }

    fn receive(&mut self, index: usize) {
        let (socket, flags) = self.socket(index);
        let entry = if self.variant.receives_once() {
            opcode::Recv::new(socket, std::ptr::null_mut(), 0)
                .buf_group(GROUP)
                .build()
                .flags(Flags::BUFFER_SELECT)
        } else {
            opcode::RecvMulti::new(socket, GROUP).build()
        };
        self.ring.push(&entry.flags(flags).user_data(index as u64));
    }

    /// The socket as operations refer to it: a descriptor, or an index of the registered files.
    fn socket(&self, index: usize) -> (Fd, Flags) {
        if self.variant == Variant::FixedFiles {
            (Fd((index as u32).cast_signed()), Flags::FIXED_FILE)
        } else {
            (Fd(self.sockets[index].as_raw_fd()), Flags::empty())
        }
    }
}
