//! How much memory a piece of code asks for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes asked for by this thread, ever. No destructor and nothing lazy: an allocator may use it.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting.
#[derive(Debug)]
pub struct Counting;

fn count(bytes: usize) {
    ASKED.with(|asked| asked.set(asked.get().wrapping_add(bytes)));
}

// SAFETY: every request goes to the system's allocator as it is; counting touches no memory of its own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps to the contract of this function, which is that of the system's.
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

/// What `work` gives, and the bytes that it asked for.
pub fn asked_by<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = ASKED.with(Cell::get);
    let result = work();
    (result, ASKED.with(Cell::get).wrapping_sub(before))
}
