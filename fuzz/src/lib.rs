//! Invariants of the readers, as functions that panic if one does not hold for an input.
//!
//! The fuzz targets call them with the inputs of libFuzzer. `crates/{wire,answer}/tests/fuzz_inputs.rs` call those of their crates with the seeds and
//! every past finding, on each `make test`.

pub mod answers;
pub mod chunks;
pub mod fields;
pub mod hpack;
pub mod http2;
pub mod input;
pub mod memory;
pub mod replies;
pub mod transcript;
pub mod wholes;
