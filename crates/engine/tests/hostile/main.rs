//! The engine against servers that break the rules, on `io_uring` and on epoll. Each run ends on time, its counts add
//! up, and each call ends in the right class.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop there"
)]

mod bodies;
mod endings;
mod floods;
mod framing;
mod limits;
mod pipelines;
mod rig;
mod stops;
mod streams;
mod uploads;

macro_rules! on_both_drivers {
    ($($module:ident: [$($case:ident),* $(,)?]),* $(,)?) => {
        mod io_uring {
            $($(#[test] fn $case() { crate::$module::$case("io_uring"); })*)*
        }
        mod epoll {
            $($(#[test] fn $case() { crate::$module::$case("epoll"); })*)*
        }
    };
}

on_both_drivers!(
    bodies: [
        a_hostile_body_is_one_wrong_body_and_soon_judged,
        a_body_without_end_is_not_kept,
    ],
    endings: [
        a_reset_at_every_byte_of_a_reply_is_a_reset,
        a_close_at_every_byte_of_a_reply_is_an_early_close,
        a_body_that_the_close_ends_is_whole_only_when_it_is_closed,
        a_half_closed_connection_is_not_used_again,
        a_reset_before_the_request_is_read_fails_that_call_only,
        no_answer_and_a_slow_answer_end_by_their_timeouts,
        a_server_that_does_not_read_ends_by_the_timeout,
        a_server_that_goes_away_leaves_every_call_accounted_for,
    ],
    floods: [
        heads_and_framing_without_end_are_refused,
        a_body_without_end_is_ended_by_the_timeout,
        a_flood_does_not_hold_up_the_end_of_the_run,
        a_flood_on_one_connection_leaves_the_others_their_turn,
    ],
    framing: [
        each_lie_about_the_length_ends_in_its_class,
        each_malformed_chunk_is_a_protocol_error,
        what_is_not_http_is_a_protocol_error,
        a_doubtful_framing_is_read_and_the_connection_left,
        interim_replies_are_skipped_up_to_a_bound,
        a_coding_that_was_not_asked_for_is_a_wrong_body,
    ],
    pipelines: [
        replies_glued_and_split_at_every_byte_are_told_apart,
        bytes_after_the_replies_end_the_connection_and_no_call,
        bytes_on_an_idle_connection_end_it_and_are_counted,
        replies_that_are_missing_fail_only_their_calls,
    ],
    streams: [
        what_breaks_a_connection_is_one_protocol_error,
        frames_without_end_are_a_protocol_error,
        a_body_without_end_and_a_window_without_room_end_by_the_timeout,
    ],
    uploads: [
        a_reply_before_the_end_of_its_request_ends_the_connection,
        a_connection_given_up_sends_no_more_of_its_request,
    ],
    stops: [
        while_the_target_does_not_accept,
        while_the_target_does_not_answer_the_handshake,
        in_the_warm_up,
        while_replies_do_not_come,
        at_a_rate_that_nobody_could_hold,
    ],
    limits: [
        a_full_backlog_is_a_connect_timeout,
        source_ports_that_are_used_up_are_told_as_such,
        descriptors_that_run_out_are_told_as_such,
        more_connections_than_descriptors_are_refused_before_the_run,
        a_thread_that_cannot_be_started_ends_the_run_with_its_reason,
    ],
);
