//! Schedules, timeouts and counts, tested exactly in virtual time against simulated servers, without sleeping.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop there"
)]
#![expect(clippy::needless_pass_by_value, reason = "plans are written in place")]

mod answers;
mod closing;
mod counts;
mod decoding;
mod endpoints;
mod errors;
mod grpc;
mod http2;
mod http3;
mod keep_faults;
mod kept_values;
mod multiplexer;
mod parts;
mod recording;
mod records;
mod resending;
mod schedules;
mod sent_values;
mod server;
mod sessions;
mod stall;
mod translated;
mod validity;
mod wholes;
