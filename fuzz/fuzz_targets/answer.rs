#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| httpdyno_fuzz::answers::hold(data));
