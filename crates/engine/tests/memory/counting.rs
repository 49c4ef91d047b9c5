//! A counting allocator: the number of allocations, and the bytes held now and at most.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The allocator of the system, counted over all threads of the process.
pub struct Counting {
    allocations: AtomicU64,
    held: AtomicUsize,
    peak: AtomicUsize,
}

impl Counting {
    /// An allocator with counts of zero.
    pub const fn new() -> Self {
        Self {
            allocations: AtomicU64::new(0),
            held: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
        }
    }

    /// Number of allocations, reallocations included.
    pub fn allocations(&self) -> u64 {
        self.allocations.load(Ordering::SeqCst)
    }

    /// Bytes held now.
    pub fn held(&self) -> usize {
        self.held.load(Ordering::SeqCst)
    }

    /// Most bytes held at once since the last call of this method.
    pub fn take_peak(&self) -> usize {
        self.peak.swap(self.held(), Ordering::SeqCst)
    }

    fn add(&self, bytes: usize) {
        self.allocations.fetch_add(1, Ordering::SeqCst);
        let held = self.held.fetch_add(bytes, Ordering::SeqCst) + bytes;
        self.peak.fetch_max(held, Ordering::SeqCst);
    }

    fn subtract(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::SeqCst);
    }
}

// SAFETY: every call goes to the system's allocator unchanged; counting touches atomics only, and allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        self.subtract(layout.size());
        // SAFETY: the memory is the system's, given with this layout.
        unsafe { System.dealloc(memory, layout) };
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.subtract(layout.size());
        self.add(size);
        // SAFETY: the memory is the system's, given with this layout; the caller keeps the contract of `realloc`.
        unsafe { System.realloc(memory, layout, size) }
    }
}
