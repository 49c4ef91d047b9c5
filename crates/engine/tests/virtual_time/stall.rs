//! Stalls and overload, where response time and service time differ.

use driver::Nanos;
use serde_json::json;

use crate::server::{MS, SECOND, Server, close_to, plan, pong_after, requests, run};

/// Answers after 1 ms, except between 2 s and 3 s.
fn stalls_for_a_second(_: usize, at: Nanos) -> Vec<(Nanos, driver::Act)> {
    let stalled = (2 * SECOND..3 * SECOND).contains(&at);
    pong_after(MS + if stalled { 3 * SECOND - at } else { 0 })
}

#[test]
fn a_stall_is_one_slow_call_in_service_time_and_a_queue_of_them_in_response_time() {
    let plan = plan(requests(100.0, 1), json!({"stop": {"duration_s": 10.0}}));
    let (counters, _) = run(&plan, Server::answering(stalls_for_a_second));
    let slow_service = 1.0 - share_below(&counters.service, 10 * MS);
    let slow_response = 1.0 - share_below(&counters.response, 10 * MS);
    assert!(
        slow_service < 0.002,
        "one call of a thousand saw the stall: {slow_service}"
    );
    // A hundred calls fell due during the stall. They were then sent as fast as the server answers, 1 ms each, while
    // ten more fell due every 100 ms. So about 110 waited longer than 10 ms.
    assert!((0.10..0.12).contains(&slow_response), "{slow_response}");
    assert!(close_to(counters.response.quantile(1.0), SECOND + MS));
}

#[test]
fn with_connections_to_spare_each_call_of_a_stall_shows_its_own_wait_in_both() {
    let plan = plan(requests(100.0, 200), json!({"stop": {"duration_s": 10.0}}));
    let (counters, _) = run(&plan, Server::answering(stalls_for_a_second));
    // Calls due during the stalled second wait between 1 s and nothing: half of those 10 % for over 0.5 s.
    assert!(
        close_to(counters.response.quantile(0.95), 500 * MS + MS) || {
            let p95 = counters.response.quantile(0.95);
            (480 * MS..520 * MS).contains(&p95)
        }
    );
    assert_eq!(
        counters.response.quantile(0.95),
        counters.service.quantile(0.95)
    );
}

/// One call at a time, 1 ms each.
#[derive(Clone)]
struct OneAtATime {
    free_at: Nanos,
}

impl driver::Scene for OneAtATime {
    fn connect(&mut self, _: Nanos, _: u64) -> (Nanos, bool) {
        (0, true)
    }

    fn receive(&mut self, at: Nanos, _: u64, _: &[u8]) -> Vec<(Nanos, driver::Act)> {
        self.free_at = self.free_at.max(at) + MS;
        pong_after(self.free_at - at)
    }
}

#[test]
fn twice_the_capacity_shows_as_unsent_calls_half_the_rate_and_a_growing_wait() {
    let plan = plan(
        requests(2000.0, 10),
        json!({"stop": {"duration_s": 5.0, "drain_s": 1.0}}),
    );
    let (counters, _) = run(&plan, OneAtATime { free_at: 0 });
    assert_eq!(counters.calls.due, 10_000);
    let achieved = counters.completed_in_window;
    assert!((4_990..=5_000).contains(&achieved), "{achieved}");
    assert_eq!(
        counters.calls.due,
        counters.calls.ok + counters.calls.unsent
    );
    // The last call that was sent was due at half time, and those that were never sent are in the tail at their age.
    assert!(
        counters.response.quantile(0.99) > 2 * SECOND,
        "{}",
        counters.response.quantile(0.99)
    );
    assert_eq!(counters.response.count(), 10_000);
    assert!(
        close_to(counters.service.quantile(0.5), 10 * MS),
        "ten in the queue, 1 ms each"
    );
}

#[test]
fn a_count_that_fell_due_before_the_time_was_over_is_offered_at_its_rate() {
    let stop = json!({"stop": {"count": 1000, "duration_s": 0.8, "drain_s": 0.0}});
    let plan = plan(requests(2000.0, 10), stop);
    let (counters, _) = run(&plan, OneAtATime { free_at: 0 });
    assert_eq!((counters.calls.due, counters.calls.ok), (1000, 800));
    assert!(
        (counters.offered_per_s() - 2000.0).abs() < 1.0,
        "{}",
        counters.offered_per_s()
    );
    let facts = engine::simulation::simulated(&plan);
    let found = serde_json::to_value(engine::Validity::new(&facts, &counters));
    assert!(found.unwrap()["arrivals"]["scheduled"].is_null());
}

#[test]
fn a_counted_overload_is_offered_at_its_rate_however_long_the_replies_take() {
    let plan = plan(requests(2000.0, 10), json!({"stop": {"count": 1000}}));
    let (counters, _) = run(&plan, OneAtATime { free_at: 0 });
    assert_eq!(counters.calls.ok, 1000);
    assert!(
        (counters.offered_per_s() - 2000.0).abs() < 1.0,
        "{}",
        counters.offered_per_s()
    );
    assert_eq!(
        counters.window.stop,
        1000 * MS,
        "the replies took twice as long as the schedule"
    );
}

#[test]
fn littles_law_holds_for_what_was_in_flight() {
    let plan = plan(requests(500.0, 64), json!({"stop": {"duration_s": 4.0}}));
    let (counters, _) = run(&plan, Server::answering(|_, _| pong_after(20 * MS)));
    let mean = counters.flight_area() / (4.0 * 1e9);
    assert!((mean - 500.0 * 0.020).abs() < 0.1, "N = {mean}, X·R = 10");
}

/// The share of a histogram below a time, by bisection over its quantiles.
fn share_below(times: &tally::Times, limit: Nanos) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if times.quantile(middle) < limit {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
