//! The receive buffers: a ring that the kernel takes them from, and to which they are given back.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::IoUring;
use io_uring::types::BufRingEntry;

const SIZE: usize = 32 * 1024;
/// Distance of the buffers: not a power of two, so that their first lines fall into different cache sets.
const STRIDE: usize = SIZE + 5 * 64;
const FEWEST: u16 = 64;
const MOST: u16 = 256;
const PAGE: usize = 4096;

/// A registered ring of receive buffers. It must not outlive the `IoUring` that uses it; both end with the driver.
pub struct Buffers {
    ring: NonNull<BufRingEntry>,
    memory: NonNull<u8>,
    count: u16,
    tail: u16,
}

impl Buffers {
    /// The only buffer group of this driver.
    pub const GROUP: u16 = 0;

    /// Allocates buffers for this number of connections and registers them.
    pub fn register(ring: &IoUring, connections: usize) -> io::Result<Self> {
        let wanted = connections.next_power_of_two().min(usize::from(MOST));
        let count = (wanted as u16).max(FEWEST);
        let memory = allocate(memory_layout(count))?;
        let entries = allocate(ring_layout(count)).inspect_err(|_| {
            // SAFETY: it was allocated just now with this layout, and nobody else knows of it.
            unsafe { dealloc(memory.as_ptr(), memory_layout(count)) }
        })?;
        let mut buffers = Self {
            ring: entries.cast(),
            memory,
            count,
            tail: 0,
        };
        // SAFETY: the memory is page-aligned, holds `count` entries, and lives until `drop`, which follows the
        // unregistering that closing the ring does.
        unsafe {
            ring.submitter().register_buf_ring_with_flags(
                buffers.ring.as_ptr() as u64,
                count,
                Self::GROUP,
                0,
            )?;
        }
        for id in 0..count {
            buffers.give_back(id);
        }
        Ok(buffers)
    }

    /// The first `length` bytes of a buffer that the kernel has handed out.
    pub fn filled(&self, id: u16, length: usize) -> &[u8] {
        debug_assert!(id < self.count && length <= SIZE);
        // SAFETY: the kernel filled `length` bytes of buffer `id` and does not touch it until it is given back,
        // which takes `&mut self`.
        unsafe { std::slice::from_raw_parts(self.at(id), length.min(SIZE)) }
    }

    /// Gives a buffer back to the kernel.
    pub fn give_back(&mut self, id: u16) {
        let place = self.tail & (self.count - 1);
        // SAFETY: `place` is below `count`, so the entry lies inside the ring; the kernel reads entries only below
        // the tail that is published after it is written.
        let entry = unsafe { &mut *self.ring.as_ptr().add(usize::from(place)) };
        entry.set_addr(self.at(id) as u64);
        entry.set_len(SIZE as u32);
        entry.set_bid(id);
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the tail is a u16 inside the first entry of the ring, shared with the kernel, hence atomic.
        let tail = unsafe { &*BufRingEntry::tail(self.ring.as_ptr()).cast::<AtomicU16>() };
        tail.store(self.tail, Ordering::Release);
    }

    fn at(&self, id: u16) -> *mut u8 {
        // SAFETY: `id` is below `count`, so the buffer lies inside the allocation.
        unsafe { self.memory.as_ptr().add(usize::from(id) * STRIDE) }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: both were allocated with these layouts; the ring that used them is closed before (field order in
        // the driver).
        unsafe {
            dealloc(self.ring.as_ptr().cast(), ring_layout(self.count));
            dealloc(self.memory.as_ptr(), memory_layout(self.count));
        }
    }
}

fn allocate(layout: Layout) -> io::Result<NonNull<u8>> {
    // SAFETY: the layout is not empty.
    let memory = unsafe { alloc_zeroed(layout) };
    NonNull::new(memory).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

fn ring_layout(count: u16) -> Layout {
    layout(usize::from(count) * size_of::<BufRingEntry>())
}

fn memory_layout(count: u16) -> Layout {
    layout(usize::from(count) * STRIDE)
}

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, PAGE).unwrap_or(Layout::new::<[u8; PAGE]>())
}
