//! What must hold of the readers for every input, as functions that panic where it does not.
//!
//! The fuzz targets feed them what libFuzzer invents; `crates/wire/tests/fuzzed.rs` feeds them the seeds and every past
//! finding on each `make test`.

pub mod chunks;
pub mod input;
pub mod memory;
pub mod replies;
pub mod story;
