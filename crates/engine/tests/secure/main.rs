//! The engine over TLS and through proxies, on `io_uring` and on epoll: a TLS terminator in front of the reference
//! server, with certificates generated for the run.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop there"
)]

mod faults;
mod papers;
mod proxies;
mod proxy;
mod rig;
mod sound;
mod terminator;

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
    sound: [
        connections_are_kept_and_counts_agree_in_both_versions,
        each_load_sends_exactly_its_count,
        values_are_written_into_encrypted_requests,
        sessions_are_resumed_unless_that_is_turned_off,
        large_replies_and_bursts_come_byte_for_byte,
        a_large_upload_arrives_although_the_server_reads_slowly,
        a_reply_that_the_close_ends_is_complete_with_close_notify_alone,
        a_reply_that_is_whole_without_the_close_needs_no_close_notify,
        a_handshake_is_no_part_of_connecting,
        streams_of_http2_are_encrypted_and_their_protocol_is_negotiated,
    ],
    faults: [
        a_server_that_is_not_trusted_is_told_before_anything_is_sent,
        whom_to_trust_can_be_given_or_waived,
        a_client_certificate_is_shown_when_it_is_asked_for,
        versions_that_do_not_meet_are_told_in_words,
        a_server_that_chooses_another_protocol_is_told_before_the_run,
        files_that_cannot_be_used_are_told_at_once,
        what_goes_wrong_in_the_run_has_its_class,
        a_handshake_that_is_never_answered_is_a_connect_timeout,
    ],
    proxies: [
        a_tunnel_carries_tls_byte_for_byte,
        a_proxy_that_does_not_open_a_way_is_told_before_the_run,
        a_proxy_that_fails_in_the_run_has_its_class,
        a_forward_proxy_is_asked_for_the_whole_address,
    ],
);
