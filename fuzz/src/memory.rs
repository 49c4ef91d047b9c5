//! Counts the memory that a piece of code allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes that this thread has allocated so far. Has no destructor and no lazy parts, so an allocator may use it.
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, with a count of the allocated bytes.
#[derive(Debug)]
pub struct Counting;

fn count(bytes: usize) {
    ALLOCATED.with(|allocated| allocated.set(allocated.get().wrapping_add(bytes)));
}

// SAFETY: every call goes to the system's allocator unchanged; counting allocates no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller fulfils the contract of this function, which is that of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above; `pointer` came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Returns the result of `work`, and the bytes that it allocated.
pub fn allocated_by<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATED.with(Cell::get);
    let result = work();
    (result, ALLOCATED.with(Cell::get).wrapping_sub(before))
}
