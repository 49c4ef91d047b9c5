//! Sessions whose connections the server closes.

use serde_json::{Value, json};
use tally::ErrorClass;

use crate::recording::{CLOSING, Recording, completed_and_failed, pong, sessions};
use crate::server::run;

fn closing(_: usize, _: &str) -> Vec<u8> {
    CLOSING.to_vec()
}

/// Closes each connection after its second reply, and says so or not.
fn second_closes(says_so: bool) -> Recording {
    let mut server = Recording::answering(pong);
    server.closes_after = Some((2, says_so));
    server
}

#[test]
fn calls_behind_a_closing_reply_fail_or_are_sent_again_or_end_the_session() {
    let burst = json!({"burst": 4});
    let of = |load: Value| {
        run(
            &sessions(load, burst.clone()),
            Recording::answering(closing),
        )
    };

    let (counters, server) = of(json!({"calls": 8}));
    let calls = &counters.calls;
    let early = calls.errors[ErrorClass::EarlyClose as usize];
    assert_eq!((calls.ok, early, calls.unsent), (1, 3, 4));
    assert_eq!(completed_and_failed(&counters), (0, 1));
    assert_eq!(server.seen.len(), 1);

    let (counters, server) = of(json!({"calls": 8, "on_close": "resend", "most_connections": 2}));
    assert_eq!((counters.calls.ok, counters.calls.sent), (8, 8));
    assert_eq!(server.times(), [0, 1, 1, 2, 3, 3, 4, 4]);
    assert_eq!(
        server.targets(),
        ["/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7"]
    );
    assert_eq!(completed_and_failed(&counters), (1, 0));
    assert_eq!(counters.sessions.connections, 8);

    let (counters, server) = of(json!({"calls": 8, "on_close": "end"}));
    let calls = &counters.calls;
    assert_eq!((calls.ok, calls.in_flight, calls.unsent), (1, 3, 4));
    assert_eq!(completed_and_failed(&counters), (1, 0));
    assert_eq!(server.connects, 1);
}

#[test]
fn a_call_that_is_sent_again_has_the_same_values() {
    let load = json!({"calls": 8, "on_close": "resend", "most_connections": 2});
    let request = json!({"path": "/{sequence:0}", "placeholders": true});
    let more = json!({"burst": 4, "requests": [request]});
    let (counters, server) = run(&sessions(load, more), Recording::answering(closing));
    assert_eq!((counters.calls.ok, counters.calls.sent), (8, 8));
    assert_eq!(
        server.targets(),
        ["/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7"]
    );
}

#[test]
fn a_reply_that_only_the_close_delimits_does_not_lose_the_calls_behind_it() {
    let endless =
        |_: usize, _: &str| b"HTTP/1.0 200 OK\r\nX: Connection: close\r\n\r\nPONG".to_vec();
    let load = json!({"calls": 3, "on_close": "resend", "most_connections": 3});
    let (counters, server) = run(
        &sessions(load, json!({"burst": 3})),
        Recording::answering(endless),
    );
    assert_eq!((counters.calls.ok, counters.calls.sent), (3, 3));
    assert_eq!(server.times(), [0, 1, 1]);
}

#[test]
fn a_session_that_ignores_announcements_sends_all_unanswered_calls_again_together() {
    for says_so in [true, false] {
        let load = json!({"calls": 5, "on_close": "resend", "ignore_close": true});
        let plan = sessions(load, json!({"burst": 5}));
        let (counters, server) = run(&plan, second_closes(says_so));
        assert_eq!(server.times(), [0, 0, 1, 1, 2]);
        assert_eq!(server.connections(), [1, 1, 2, 2, 3]);
        assert_eq!(server.targets(), ["/0", "/1", "/2", "/3", "/4"]);
        assert_eq!((counters.calls.ok, counters.calls.sent), (5, 5));
        assert_eq!(
            (counters.sessions.resent, counters.sessions.connections),
            (4, 3)
        );
        assert_eq!(completed_and_failed(&counters), (1, 0));
    }
}

#[test]
fn an_unannounced_close_loses_no_call_of_a_session_that_sends_them_again() {
    let load = json!({"calls": 5, "on_close": "resend", "most_connections": 3});
    let (counters, server) = run(&sessions(load, json!({"burst": 5})), second_closes(false));
    assert_eq!(server.times(), [0, 0, 1, 1, 1]);
    assert_eq!(server.connections(), [1, 1, 2, 3, 4]);
    assert_eq!((counters.calls.ok, counters.sessions.resent), (5, 3));
}

#[test]
fn a_connection_that_answers_nothing_fails_its_session_instead_of_being_opened_for_ever() {
    let load = json!({"calls": 2, "on_close": "resend", "ignore_close": true});
    let mut server = Recording::answering(pong);
    server.answer =
        |_, _| b"HTTP/1.1 200 OK\r\nX: Connection: close\r\nContent-Length: 9\r\n\r\n".to_vec();
    let (counters, server) = run(&sessions(load, json!({})), server);
    assert_eq!((server.connects, counters.sessions.failed), (1, 1));
}

#[test]
fn a_session_that_ends_with_its_connection_may_still_try_to_send_on_it() {
    let load = json!({"calls": 5, "on_close": "end", "ignore_close": true});
    let (counters, server) = run(&sessions(load, json!({})), second_closes(true));
    // The third call goes out on the closing connection.
    let early = counters.calls.errors[ErrorClass::EarlyClose as usize];
    let calls = &counters.calls;
    assert_eq!((calls.sent, calls.ok, early, calls.unsent), (3, 2, 1, 2));
    assert_eq!((server.connects, counters.sessions.failed), (1, 1));
}
