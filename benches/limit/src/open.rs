//! The bare limit of a paced load: requests at a rate on keep-alive connections, each sent when it is due. The thread sleeps
//! in between.

use std::collections::VecDeque;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use io_uring::opcode;
use io_uring::squeue::Flags;
use io_uring::types::Fd;

use crate::keep::connect;
use crate::ring::{GROUP, Ring};
use crate::variant::Variant;
use crate::{Failure, Replies};

const SEND: u64 = 1 << 32;

/// Sends evenly spaced requests until the time is up. A request without a free connection waits for one.
pub fn exchange(
    address: &str,
    request: &[u8],
    wanted: usize,
    connections: usize,
    duration: Duration,
    per_s: f64,
) -> Result<Replies, Failure> {
    let mut ring = Ring::new(Variant::Plain)?;
    let sockets = connect(address, connections, Variant::Plain)?;
    for (index, socket) in sockets.iter().enumerate() {
        let receive = opcode::RecvMulti::new(Fd(socket.as_raw_fd()), GROUP).build();
        ring.push(&receive.user_data(index as u64));
    }
    let mut free: VecDeque<usize> = (0..connections).collect();
    let mut missing = vec![wanted; connections];
    let (mut asked, mut replies, begin) = (0_u64, 0, Instant::now());
    while begin.elapsed() < duration {
        let mut due = Duration::from_secs_f64(asked as f64 / per_s);
        while due <= begin.elapsed()
            && let Some(index) = free.pop_front()
        {
            let socket = Fd(sockets[index].as_raw_fd());
            let send = opcode::Send::new(socket, request.as_ptr(), request.len() as u32)
                .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
                .build()
                .flags(Flags::SKIP_SUCCESS);
            ring.push(&send.user_data(SEND | index as u64));
            asked += 1;
            due = Duration::from_secs_f64(asked as f64 / per_s);
        }
        // Without a free connection only a reply or the end of the run changes anything.
        let next = if free.is_empty() {
            duration
        } else {
            due.min(duration)
        };
        ring.wait_at_most(next.saturating_sub(begin.elapsed()))?;
        while let Some(completion) = ring.next() {
            let (index, result) = (completion.user_data() as usize, completion.result());
            if completion.user_data() >= SEND || result <= 0 {
                return Err(format!("connection {} ended: {result}", index as u32).into());
            }
            missing[index] = missing[index].saturating_sub(result as usize);
            if missing[index] == 0 {
                missing[index] = wanted;
                replies += 1;
                free.push_back(index);
            }
        }
    }
    Ok(Replies {
        count: replies,
        enters: ring.enters,
    })
}
