//! The times at which requests are sent.

use driver::{Act, Scene};
use engine::CompiledPlan;
use engine::simulation::simulate;
use serde_json::json;

use crate::server::{
    MS, PONG, SECOND, Server, arrivals, close_to, plan, pong_after, requests, run,
};

#[test]
fn requests_go_out_at_their_due_times_to_the_nanosecond() {
    let plan = plan(requests(1000.0, 64), json!({"stop": {"duration_s": 2.0}}));
    let (counters, server) = run(&plan, Server::answering(|_, _| pong_after(MS / 2)));
    let due: Vec<u64> = (0..2000).map(|k| k * MS).collect();
    assert_eq!(server.asked, due);
    assert_eq!(counters.calls.ok, 2000);
    assert!(close_to(counters.response.quantile(0.99), MS / 2));
    assert_eq!(counters.lag.quantile(1.0), 0);
}

#[test]
fn steps_send_exactly_what_each_step_says() {
    let load = json!({"kind": "requests", "connections": 64, "arrivals": {"spacing": "constant", "segments": [
        {"from_per_s": 100, "to_per_s": 100, "seconds": 1.0},
        {"from_per_s": 300, "to_per_s": 300, "seconds": null},
    ]}});
    let plan = plan(load, json!({"stop": {"duration_s": 2.0}}));
    let (_, server) = run(&plan, Server::answering(|_, _| pong_after(MS)));
    let first = server.asked.iter().filter(|at| **at < SECOND).count();
    assert_eq!((first, server.asked.len()), (100, 400));
}

#[test]
fn a_count_ends_an_open_load_after_exactly_so_many_calls() {
    let plan = plan(requests(1000.0, 8), json!({"stop": {"count": 137}}));
    let (counters, server) = run(&plan, Server::answering(|_, _| pong_after(3 * MS)));
    assert_eq!((counters.calls.due, counters.calls.ok), (137, 137));
    assert_eq!(server.asked.len(), 137);
    assert_eq!(
        counters.window.stop,
        136 * MS + 3 * MS,
        "the window ends with the last reply"
    );
}

#[test]
fn a_closed_load_sends_when_its_reply_is_there_and_not_before() {
    let load = json!({"kind": "closed", "connections": 1});
    let (counters, server) = run(
        &plan(load, json!({})),
        Server::answering(|_, _| pong_after(10 * MS)),
    );
    let due: Vec<u64> = (0..100).map(|k| k * 10 * MS).collect();
    assert_eq!(server.asked, due);
    assert_eq!(counters.calls.ok, 100);
}

#[test]
fn a_session_is_bursts_with_think_time_between_them_on_one_connection() {
    let load = json!({"kind": "sessions", "calls": 6, "arrivals": arrivals(1.0)});
    let more = json!({"burst": 3, "think_s": 0.25, "stop": {"count": 1}});
    let (counters, server) = run(
        &plan(load, more),
        Server::answering(|_, _| pong_after(5 * MS)),
    );
    let second = 5 * MS + 250 * MS;
    assert_eq!(server.asked, [0, 0, 0, second, second, second]);
    assert_eq!(server.connections, 1);
    assert_eq!(
        (counters.sessions.started, counters.sessions.completed),
        (1, 1)
    );
}

#[test]
fn sessions_arrive_whatever_the_server_does() {
    let load = json!({"kind": "sessions", "calls": 1, "arrivals": arrivals(10.0)});
    let more = json!({"timeouts": {"reply_s": 60.0}, "stop": {"duration_s": 1.0, "drain_s": 0.0}});
    let (counters, server) = run(&plan(load, more), Server::answering(|_, _| vec![]));
    assert_eq!(server.connections, 10);
    assert_eq!((counters.calls.due, counters.calls.in_flight), (10, 10));
}

#[test]
fn a_limit_of_open_sessions_makes_the_next_wait_and_its_waiting_counts() {
    let load = json!({"kind": "sessions", "calls": 1, "max_open": 1, "arrivals": arrivals(10.0)});
    let (counters, _) = run(
        &plan(load, json!({"stop": {"count": 3}})),
        Server::answering(|_, _| pong_after(200 * MS)),
    );
    assert_eq!((counters.calls.ok, counters.calls.waited), (3, 2));
    assert!(
        close_to(counters.response.quantile(1.0), 400 * MS),
        "due at 0.2 s, answered at 0.6 s"
    );
}

#[test]
fn a_burst_goes_out_in_one_piece_and_the_rate_of_requests_stays() {
    let plan = plan(requests(100.0, 4), json!({"burst": 5}));
    let (counters, server) = run(&plan, Server::answering(|_, _| pong_after(MS)));
    assert_eq!(server.asked.len(), 100);
    assert!(
        server
            .asked
            .chunks(5)
            .all(|burst| burst.iter().all(|at| at == &burst[0]))
    );
    assert_eq!(counters.calls.ok, 100);
}

#[test]
fn without_keep_alive_each_call_has_a_connection_of_its_own() {
    let plan = plan(requests(100.0, 4), json!({"keep_alive": false}));
    let mut server = Server::answering(|_, _| pong_after(MS));
    server.connect = MS;
    let (counters, server) = run(&plan, server);
    assert_eq!(
        (server.connections, counters.connections.opened),
        (100, 100)
    );
    assert!(
        close_to(counters.response.quantile(0.5), 2 * MS),
        "connecting is part of the response time"
    );
    assert!(close_to(counters.service.quantile(0.5), MS));
}

#[test]
fn a_limit_of_calls_closes_the_connection_after_them() {
    let plan = plan(requests(100.0, 1), json!({"calls_per_connection": 25}));
    let (_, server) = run(&plan, Server::answering(|_, _| pong_after(MS)));
    assert_eq!(server.connections, 4);
}

#[test]
fn the_warm_up_is_counted_apart() {
    let plan = plan(
        requests(100.0, 8),
        json!({"warm_up_s": 0.5, "stop": {"duration_s": 1.0}}),
    );
    let (counters, server) = run(&plan, Server::answering(|_, _| pong_after(MS)));
    assert_eq!((counters.warm_up.ok, counters.calls.ok), (50, 100));
    assert_eq!(server.asked.len(), 150);
    assert_eq!(counters.response.count(), 100);
    let bytes = counters.bytes;
    let replies = 100 * PONG.len() as u64;
    assert_eq!((bytes.received, bytes.bodies), (replies, 400));
    assert_eq!(bytes.sent % 100, 0);
}

#[test]
fn a_failure_in_the_warm_up_explains_no_measured_call() {
    let more = json!({"warm_up_s": 0.5, "stop": {"duration_s": 1.0}});
    let (counters, _) = run(
        &plan(requests(100.0, 8), more),
        Server::answering(|number, _| {
            let failure = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n";
            let reply = if number < 50 { &failure[..] } else { PONG };
            vec![(MS, driver::Act::Reply(reply.to_vec()))]
        }),
    );
    assert_eq!(
        (counters.warm_up.wrong_status, counters.calls.ok),
        (50, 100)
    );
    assert_eq!(counters.first_failure, None);
}

#[test]
fn requests_rotate_by_their_weights() {
    let more = json!({"requests": [
        {"path": "/a", "weight": 2, "expect": {"status": [200]}},
        {"path": "/b", "weight": 1, "expect": {"status": [404]}},
    ]});
    let (counters, _) = run(
        &plan(requests(90.0, 2), more),
        Server::answering(|number, _| {
            let reply: &[u8] = if number % 3 == 1 {
                b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
            } else {
                PONG
            };
            vec![(MS, driver::Act::Reply(reply.to_vec()))]
        }),
    );
    assert_eq!((counters.calls.ok, counters.calls.wrong_status), (90, 0));
    assert_eq!(
        (counters.statuses.count(200), counters.statuses.count(404)),
        (60, 30)
    );
}

#[test]
fn threads_share_one_schedule_without_overlap() {
    let order: pace::Arrivals = serde_json::from_value(arrivals(1000.0)).unwrap();
    let whole: Vec<u64> = order.schedule(7).take(100).collect();
    let mut shares: Vec<u64> = (0..3)
        .flat_map(|nth| order.schedule(7).every(3, nth).take(34).collect::<Vec<_>>())
        .collect();
    shares.sort_unstable();
    assert_eq!(shares[..100], whole[..]);
}

/// Answers at once, and keeps the number of connections at the time of the first request.
#[derive(Clone, Default)]
struct Eager {
    connections: u64,
    at_first_request: Option<u64>,
}

impl Scene for Eager {
    fn connect(&mut self, _at: u64, _connection: u64) -> (u64, bool) {
        self.connections += 1;
        (0, true)
    }

    fn receive(&mut self, _at: u64, _connection: u64, _bytes: &[u8]) -> Vec<(u64, Act)> {
        self.at_first_request.get_or_insert(self.connections);
        pong_after(0)
    }
}

#[test]
fn what_comes_is_taken_while_thousands_of_connections_are_still_to_be_opened() {
    // They fall due within one nanosecond, at a rate that no plan may have.
    let many = arrivals(5e12);
    for load in [
        json!({"kind": "closed", "connections": 5000}),
        json!({"kind": "requests", "connections": 5000, "arrivals": many}),
        json!({"kind": "sessions", "calls": 1, "max_open": 5000, "arrivals": many}),
    ] {
        let allowed = plan(requests(1.0, 5000), json!({"stop": {"count": 5000}}));
        let mut compiled = CompiledPlan::new(&allowed).unwrap();
        compiled.load = serde_json::from_value(load.clone()).unwrap();
        let (counters, server) = simulate(compiled, Eager::default()).unwrap();
        assert_eq!(counters.calls.ok, 5000, "{load}");
        let begun = server.at_first_request.unwrap();
        assert!(
            (1..1000).contains(&begun),
            "{begun} before the first: {load}"
        );
    }
}
