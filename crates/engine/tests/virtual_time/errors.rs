//! Each kind of failure has its class and its time.

use driver::Act;
use serde_json::{Value, json};
use tally::ErrorClass;

use crate::server::{MS, PONG, SECOND, Server, close_to, plan, pong_after, requests, run};

fn errors_of(server: Server, more: Value) -> (Vec<(&'static str, u64)>, u64, Option<String>) {
    let (counters, _) = run(&plan(requests(10.0, 100), more), server);
    let errors = ErrorClass::ALL
        .iter()
        .map(|class| (class.name(), counters.calls.errors[*class as usize]))
        .filter(|(_, count)| *count > 0)
        .collect();
    (errors, counters.calls.ok, counters.first_failure)
}

#[test]
fn a_server_that_never_answers_is_a_reply_timeout_at_its_time() {
    let more = json!({"timeouts": {"reply_s": 0.5}});
    let (counters, _) = run(
        &plan(requests(10.0, 100), more),
        Server::answering(|_, _| vec![]),
    );
    assert_eq!(counters.calls.errors[ErrorClass::ReplyTimeout as usize], 10);
    assert_eq!(
        counters.response.count(),
        10,
        "calls that never came back stay in the tail"
    );
    assert!(close_to(counters.response.quantile(0.5), 500 * MS));
}

#[test]
fn a_late_first_byte_and_a_late_last_byte_are_told_apart() {
    let more = json!({"timeouts": {"first_byte_s": 0.1, "reply_s": 0.5}});
    let (errors, _, _) = errors_of(Server::answering(|_, _| pong_after(200 * MS)), more.clone());
    assert_eq!(errors, [("first_byte_timeout", 10)]);
    let (errors, _, _) = errors_of(
        Server::answering(|_, _| vec![(50 * MS, Act::Reply(PONG[..20].to_vec()))]),
        more,
    );
    assert_eq!(errors, [("reply_timeout", 10)]);
}

#[test]
fn a_connection_that_is_not_made_in_time_is_a_connect_timeout() {
    let mut server = Server::answering(|_, _| pong_after(MS));
    server.connect = SECOND;
    let (errors, _, message) = errors_of(server, json!({"timeouts": {"connect_s": 0.2}}));
    assert_eq!(errors, [("connect_timeout", 10)]);
    assert_eq!(
        message.as_deref(),
        Some("GET /pong: no connection within the timeout")
    );
}

#[test]
fn refused_reset_and_cut_connections_have_classes_of_their_own() {
    let mut refusing = Server::answering(|_, _| vec![]);
    refusing.accepts = false;
    let resetting = Server::answering(|_, _| vec![(MS, Act::Reset)]);
    let closing = Server::answering(|_, _| vec![(MS, Act::End)]);
    let cutting = Server::answering(|_, _| {
        vec![
            (MS, Act::Reply(PONG[..PONG.len() - 1].to_vec())),
            (2 * MS, Act::End),
        ]
    });
    let babbling =
        Server::answering(|_, _| vec![(MS, Act::Reply(b"SSH-2.0-hello\r\n\r\n".to_vec()))]);
    for (server, class) in [
        (refusing, "refused"),
        (resetting, "reset"),
        (closing, "early_close"),
        (cutting, "early_close"),
        (babbling, "protocol"),
    ] {
        let (errors, ok, _) = errors_of(server, json!({}));
        assert_eq!((errors, ok), (vec![(class, 10)], 0));
    }
}

#[test]
fn a_wrong_status_and_a_wrong_body_are_not_errors_and_not_right() {
    let (counters, _) = run(
        &plan(requests(10.0, 4), json!({})),
        Server::answering(|number, _| {
            let reply: &[u8] = if number == 0 {
                b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"
            } else {
                b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nPING"
            };
            vec![(MS, Act::Reply(reply.to_vec()))]
        }),
    );
    assert_eq!(
        (
            counters.calls.wrong_status,
            counters.calls.wrong_body,
            counters.calls.ok
        ),
        (1, 9, 0)
    );
    assert_eq!(
        counters.first_failure.as_deref(),
        Some("GET /pong: status 500")
    );
}

#[test]
fn a_server_that_says_it_closes_is_left_and_met_again() {
    let (counters, server) = run(
        &plan(requests(10.0, 1), json!({})),
        Server::answering(|_, _| {
            vec![(
                MS,
                Act::Reply(
                    b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nPONG"
                        .to_vec(),
                ),
            )]
        }),
    );
    assert_eq!((counters.calls.ok, server.connections), (10, 10));
}

#[test]
fn a_close_delimited_reply_ends_with_the_connection() {
    let (errors, ok, _) = errors_of(
        Server::answering(|_, _| {
            vec![
                (MS, Act::Reply(b"HTTP/1.0 200 OK\r\n\r\nPO".to_vec())),
                (2 * MS, Act::Reply(b"NG".to_vec())),
                (3 * MS, Act::End),
            ]
        }),
        json!({"http": "1.0", "keep_alive": false}),
    );
    assert_eq!((errors.len(), ok), (0, 10));
}

#[test]
fn bytes_nobody_asked_for_cost_the_connection_and_no_call() {
    let (counters, server) = run(
        &plan(requests(10.0, 1), json!({})),
        Server::answering(|_, _| {
            let twice = [PONG, PONG].concat();
            vec![(MS, Act::Reply(twice))]
        }),
    );
    assert_eq!((counters.calls.ok, server.connections), (10, 10));
}

#[test]
fn a_failed_session_leaves_its_other_calls_unsent() {
    let load = json!({"kind": "sessions", "calls": 10, "arrivals": crate::server::arrivals(1.0)});
    let (counters, _) = run(
        &plan(load, json!({"stop": {"count": 1}})),
        Server::answering(|number, _| {
            if number == 3 {
                vec![(MS, Act::Reset)]
            } else {
                pong_after(MS)
            }
        }),
    );
    let calls = &counters.calls;
    assert_eq!((calls.due, calls.ok, calls.unsent), (10, 3, 6));
    assert_eq!(
        (counters.sessions.completed, counters.sessions.failed),
        (0, 1)
    );
}
