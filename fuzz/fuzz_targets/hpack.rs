#![no_main]

use httpdyno_fuzz::memory::Counting;

#[global_allocator]
static MEMORY: Counting = Counting;

libfuzzer_sys::fuzz_target!(|data: &[u8]| httpdyno_fuzz::hpack::hold(data));
