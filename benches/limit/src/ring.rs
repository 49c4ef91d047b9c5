//! A ring set up as in the engine, with its receive buffers and a counter of system calls.

use std::alloc::Layout;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use io_uring::types::{BufRingEntry, SubmitArgs, Timespec};
use io_uring::{IoUring, Submitter, cqueue, squeue};

use crate::Failure;
use crate::variant::Variant;

/// The only group of receive buffers.
pub const GROUP: u16 = 0;
const SIZE: usize = 32 * 1024;
const STRIDE: usize = SIZE + 5 * 64;
const BUFFERS: u16 = 256;
const SUBMISSIONS: u32 = 1024;
const COMPLETIONS: u32 = 16 * 1024;

/// A ring, and receive buffers that the kernel takes from a second ring.
pub struct Ring {
    uring: IoUring,
    buffers: Buffers,
    /// Number of calls of `io_uring_enter`.
    pub enters: u64,
}

impl Ring {
    pub fn new(variant: Variant) -> Result<Self, Failure> {
        let mut builder = IoUring::builder();
        builder
            .setup_single_issuer()
            .setup_clamp()
            .setup_cqsize(COMPLETIONS);
        if variant != Variant::NoDeferTaskrun {
            builder.setup_defer_taskrun().setup_taskrun_flag();
        }
        let uring = builder.build(SUBMISSIONS)?;
        let mut buffers = Buffers {
            ring: entries(),
            memory: vec![0; usize::from(BUFFERS) * STRIDE],
            tail: 0,
        };
        let first = buffers.ring.as_ptr() as u64;
        // SAFETY: the ring of buffers is page-aligned, has this many entries, and lives until the program ends.
        unsafe {
            uring
                .submitter()
                .register_buf_ring_with_flags(first, BUFFERS, GROUP, 0)?;
        }
        (0..BUFFERS).for_each(|id| buffers.give_back(id));
        Ok(Self {
            uring,
            buffers,
            enters: 0,
        })
    }

    pub fn submitter(&self) -> Submitter<'_> {
        self.uring.submitter()
    }

    /// Queues an operation; submits a full queue first.
    pub fn push(&mut self, entry: &squeue::Entry) {
        // SAFETY: what entries point to (the request, the buffers, a time) lives until they are submitted or until the
        // program ends.
        while unsafe { self.uring.submission().push(entry) }.is_err() {
            let _ = self.submit();
        }
    }

    /// Submits the queue.
    pub fn submit(&mut self) -> Result<(), Failure> {
        self.enters += 1;
        self.uring.submit()?;
        Ok(())
    }

    /// Submits the queue and waits for this number of completions.
    pub fn wait(&mut self, completions: usize) -> Result<(), Failure> {
        self.enters += 1;
        self.uring.submit_and_wait(completions)?;
        Ok(())
    }

    /// Submits the queue and waits for a completion, for `most` at the longest.
    pub fn wait_at_most(&mut self, most: Duration) -> Result<(), Failure> {
        self.enters += 1;
        let most = Timespec::from(most);
        let timeout = SubmitArgs::new().timespec(&most);
        match self.uring.submitter().submit_with_args(1, &timeout) {
            Err(error) if error.raw_os_error() != Some(libc::ETIME) => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Returns the next completion and gives its buffer back unread.
    pub fn next(&mut self) -> Option<cqueue::Entry> {
        let completion = self.uring.completion().next()?;
        if let Some(id) = cqueue::buffer_select(completion.flags()) {
            self.buffers.give_back(id);
        }
        Some(completion)
    }
}

struct Buffers {
    ring: Box<[BufRingEntry]>,
    memory: Vec<u8>,
    tail: u16,
}

impl Buffers {
    fn give_back(&mut self, id: u16) {
        let address = self.memory[usize::from(id) * STRIDE..].as_ptr() as u64;
        let entry = &mut self.ring[usize::from(self.tail % BUFFERS)];
        entry.set_addr(address);
        entry.set_len(SIZE as u32);
        entry.set_bid(id);
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the tail lies inside the ring's first entry; the kernel reads it, only this thread writes it.
        unsafe {
            let tail = BufRingEntry::tail(self.ring.as_ptr()).cast::<AtomicU16>();
            (*tail).store(self.tail, Ordering::Release);
        }
    }
}

/// A page-aligned ring of zeroed entries.
#[expect(clippy::cast_ptr_alignment, reason = "the layout asks for a page")]
fn entries() -> Box<[BufRingEntry]> {
    let layout = Layout::from_size_align(usize::from(BUFFERS) * size_of::<BufRingEntry>(), 4096);
    // SAFETY: the entries are plain numbers, for which zero is a value; the slice has the size that was allocated,
    // and is never freed before the program ends.
    unsafe {
        let memory =
            std::alloc::alloc_zeroed(layout.unwrap_or_else(|_| Layout::new::<BufRingEntry>()));
        let slice =
            std::ptr::slice_from_raw_parts_mut(memory.cast::<BufRingEntry>(), usize::from(BUFFERS));
        Box::from_raw(slice)
    }
}
