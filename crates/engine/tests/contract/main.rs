//! The engine on real sockets against the reference server: the same cases on `io_uring` and on epoll.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop there"
)]

mod collector;
mod counts;
mod data;
mod faults;
mod grpc;
mod http2;
mod low_latency;
mod protocol;
mod records;
mod rig;
mod stamps;
mod truth;
mod values;
mod whole;

macro_rules! on_both_drivers {
    ($($module:ident: [$($case:ident),* $(,)?]),* $(,)?) => {
        mod io_uring {
            $($(#[test] fn $case() { crate::$module::$case(&crate::rig::Rig::new("io_uring")); })*)*
        }
        mod epoll {
            $($(#[test] fn $case() { crate::$module::$case(&crate::rig::Rig::new("epoll")); })*)*
        }
    };
}

on_both_drivers!(
    counts: [
        each_load_sends_exactly_its_count,
        several_threads_share_a_count_exactly,
        an_interrupt_gives_what_there_is,
        progress_has_the_times_of_all_threads_second_by_second,
        progress_has_calls_that_timed_out_at_their_age,
        a_thousand_connections_are_open_at_once,
        overload_is_told_by_offered_and_achieved_rates,
    ],
    protocol: [
        every_framing_of_a_reply_is_read,
        a_head_request_expects_no_body,
        half_a_megabyte_is_compared_byte_for_byte,
        a_request_body_from_a_file_arrives,
        unix_sockets_and_ipv6_work_as_ipv4_does,
        connections_leave_from_the_addresses_and_ports_given,
        the_same_body_as_the_first_can_be_demanded,
    ],
    faults: [
        each_fault_of_a_server_ends_in_its_class,
        a_server_that_is_not_there_is_told_before_the_run,
        faults_of_a_plan_are_told_all_at_once,
        what_no_machine_could_do_is_refused_with_its_bound,
        a_server_that_breaks_in_the_middle_leaves_counts_that_add_up,
    ],
    http2: [
        streams_send_exactly_the_count_of_each_load,
        a_trace_has_the_fields_and_the_bodies_of_streams,
        connections_carry_the_planned_number_of_streams,
        streams_carry_large_bodies_both_ways,
        a_fault_of_a_stream_fails_its_call_alone,
        a_server_without_http2_is_told_before_the_run,
    ],
    grpc: [
        each_load_gets_exactly_its_statuses,
        statuses_and_faults_are_told_apart,
    ],
    records: [
        the_call_log_has_every_call_and_connection_of_all_threads,
        lifetimes_and_parts_of_replies_are_measured,
        the_first_reply_shows_its_head,
        the_trace_has_what_was_sent_and_what_came,
        connections_are_closed_with_a_reset_if_so_planned,
        small_socket_buffers_carry_large_messages,
    ],
    low_latency: [
        what_is_granted_is_recorded_and_holds_in_the_run,
        real_time_priority_is_for_paced_loads_that_sleep_on_processors_of_their_own,
    ],
    truth: [
        a_known_delay_is_never_measured_shorter,
        a_stall_is_in_the_response_time_of_all_who_waited,
        who_spins_does_not_sleep_while_a_reply_is_out,
    ],
    data: [
        rows_come_in_order_and_again_from_the_first,
        each_row_is_sent_once_and_then_the_run_ends,
        a_session_has_one_row_for_all_its_calls,
        a_plan_with_wrong_data_is_refused_with_all_its_faults,
        a_call_that_is_computed_again_is_the_one_that_was_sent,
    ],
    values: [
        a_sequence_has_no_gap_and_no_number_twice,
        random_numbers_are_even_and_those_of_their_seed,
        bodies_of_any_width_arrive_whole,
        the_trace_has_the_values_and_messages_the_template,
    ],
    whole: [
        a_result_merged_alone_is_that_of_its_run,
        parts_merged_count_every_call_of_the_plan,
        two_runs_start_at_the_same_instant,
        results_cut_short_are_refused,
    ],
);
