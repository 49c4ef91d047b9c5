//! The contract of a driver, tested on each: `io_uring`, epoll with and without kernel timestamps, and the simulated one.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop there"
)]

mod cases;
mod peer;
mod stamps;

/// The same cases for each driver; a test's path names the driver it ran on.
macro_rules! on_every_driver {
    ($($case:ident),* $(,)?) => {
        mod io_uring {
            $(#[test] fn $case() { crate::cases::$case(&crate::peer::Uring); })*
        }
        mod epoll {
            $(#[test] fn $case() { crate::cases::$case(&crate::peer::Epoll); })*
        }
        mod stamping {
            $(#[test] fn $case() { crate::cases::$case(&crate::peer::Stamping); })*
        }
        mod simulated {
            $(#[test] fn $case() { crate::cases::$case(&crate::peer::Simulated); })*
        }
    };
}

on_every_driver!(
    what_is_sent_comes_back,
    a_megabyte_comes_back_whole,
    the_end_of_the_peer_is_reported_once,
    a_reset_is_reported_as_a_reset,
    a_refusal_is_reported_as_a_refusal,
    waiting_ends_at_its_time_when_nothing_happens,
    a_closed_slot_is_silent_and_can_be_opened_again_at_once,
    bytes_after_urgent_data_are_received,
    two_hundred_connections_do_not_mix,
    bytes_of_the_caller_are_sent_in_order,
    ranges_of_the_script_and_bytes_are_sent_in_the_order_given,
    the_end_of_a_long_send_is_reported_once,
    the_end_of_a_long_send_of_bytes_is_reported_once,
    a_stuck_send_of_bytes_ends_with_its_connection,
);
