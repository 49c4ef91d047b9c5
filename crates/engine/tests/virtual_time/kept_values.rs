//! Sessions that keep values from replies, and send them with later requests.

use driver::{Act, Nanos, Scene};
use engine::Plan;
use engine::simulation::Counters;
use serde_json::{Value, json};
use tally::ErrorClass;

use crate::decoding::{deflate, gzip};
use crate::recording::{completed_and_failed, sessions};
use crate::server::{self, MS, arrivals};
use crate::translated::{Translated, run_twice};

/// A server that answers by the number of the request, in two pieces, and keeps what is sent.
#[derive(Clone)]
struct Shop {
    answer: fn(usize) -> Vec<u8>,
    /// The length of the first piece of a reply.
    split: usize,
    seen: Vec<(u64, String)>,
}

impl Shop {
    fn answering(answer: fn(usize) -> Vec<u8>) -> Self {
        Self {
            answer,
            split: 0,
            seen: Vec::new(),
        }
    }

    fn requests(&self) -> Vec<&str> {
        self.seen.iter().map(|(_, text)| text.as_str()).collect()
    }
}

impl Scene for Shop {
    fn connect(&mut self, _: Nanos, _: u64) -> (Nanos, bool) {
        (0, true)
    }

    fn receive(&mut self, _: Nanos, connection: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        let reply = (self.answer)(self.seen.len());
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        self.seen.push((connection, text));
        let (first, second) = reply.split_at(self.split.min(reply.len()));
        [(MS, first), (2 * MS, second)]
            .into_iter()
            .filter(|(_, piece)| !piece.is_empty())
            .map(|(delay, piece)| (delay, Act::Reply(piece.to_vec())))
            .collect()
    }
}

/// Runs a plan over HTTP/1 and over HTTP/2.
fn run(plan: &Plan, server: Shop) -> (Counters, Shop) {
    run_twice(plan, server, |shop| shop.seen.clone())
}

fn reply(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

/// A login that keeps these values, and a request with them.
pub fn plan(keep: &Value, request: Value, load: Value, more: Value) -> Plan {
    let login = json!({"method": "POST", "path": "/login", "keep": keep, "body": {"text": "me"}});
    let mut fields = json!({
        "requests": [login, request],
        "scripts": [[{"requests": [0]}, {"requests": [1]}]],
    });
    if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
        fields.extend(more);
    }
    sessions(load, fields)
}

pub fn keep(name: &str, kind: &str, text: &str) -> Value {
    json!({"name": name, "source": {kind: text}})
}

pub fn token() -> Value {
    json!([keep("token", "json", "/access_token")])
}

pub fn with_token() -> Value {
    json!({"path": "/me", "placeholders": true, "headers": [["Authorization", "Bearer {token}"]]})
}

#[test]
fn values_of_each_part_of_a_reply_are_found_wherever_it_is_split() {
    fn answer(number: usize) -> Vec<u8> {
        let body = r#"{"a": {"token": "q/\u00e9 \"1\""}, "id": 12.50}"#;
        let headers = "Set-Cookie: other=1\r\nset-cookie: sid=s=1; Path=/\r\nX-Csrf:  c1 \r\n";
        reply(if number == 0 { headers } else { "" }, body)
    }
    let keep = json!([
        keep("token", "json", "/a/token"),
        keep("id", "json", "/id"),
        keep("sid", "cookie", "sid"),
        keep("csrf", "header", "x-csrf"),
        keep("again", "regex", "\"id\": ([0-9.]+)"),
    ]);
    let request = json!({
        "method": "POST", "path": "/{token}?a={again}", "placeholders": true,
        "headers": [["X-Csrf", "{csrf}"], ["Cookie", "sid={sid}"], ["Content-Type", "application/json"]],
        "body": {"text": r#"{"t": "{token}", "id": {id}}"#},
    });
    let plan = plan(&keep, request, json!({}), json!({}));
    for split in 0..answer(0).len() {
        let mut server = Shop::answering(answer);
        server.split = split;
        let (counters, server) = run(&plan, server);
        assert_eq!(
            counters.calls.ok, 2,
            "{split}: {:?}",
            counters.first_failure
        );
        let body = "{\"t\": \"q/\u{e9} \\\"1\\\"\", \"id\": 12.50}";
        assert_eq!(
            server.requests()[1],
            format!(
                "POST /q%2F%C3%A9%20%221%22?a=12.50 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Csrf: c1\r\n\
                 Cookie: sid=s=1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
        );
    }
}

#[test]
fn a_session_sends_its_own_values_and_no_other_s() {
    // Several sessions are under way at once, whose connections are used again by later ones.
    fn answer(number: usize) -> Vec<u8> {
        let token = "t".repeat(number % 7) + &number.to_string();
        reply("", format!("{{\"access_token\": \"{token}\"}}"))
    }
    let load = json!({"arrivals": arrivals(500.0), "max_open": 3});
    let request = json!({"path": "/me?{token}", "placeholders": true});
    let script = |calls: Value| {
        json!([[
            {"requests": [0]}, {"requests": calls, "think_s": 0.005}, {"requests": [1]},
        ]])
    };
    let of = |calls: Value, more: Value| {
        let mut fields = json!({"stop": {"count": 50}, "scripts": script(calls)});
        if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
            fields.extend(more);
        }
        plan(&token(), request.clone(), load.clone(), fields)
    };
    let shop = Shop::answering(answer);
    let (counters, server) = server::run(&of(json!([1]), json!({})), shop.clone());
    check_values_of_sessions(&counters, &server, 2);
    for (streams, calls) in [(1, json!([1])), (3, json!([1, 1, 1, 1, 1]))] {
        let each = calls.as_array().unwrap().len() + 1;
        let plan = of(calls, json!({"http": "2", "http2": {"streams": streams}}));
        let (counters, server) = server::run(&plan, Translated::new(shop.clone()));
        check_values_of_sessions(&counters, &server.of, each);
    }
}

/// Checks that each of 50 sessions has sent its own value with so many calls.
fn check_values_of_sessions(counters: &Counters, server: &Shop, each: usize) {
    assert_eq!(
        (counters.calls.ok, completed_and_failed(counters)),
        (50 + 50 * each as u64, (50, 0))
    );
    let mut current = std::collections::HashMap::new();
    let mut checked = 0;
    for (number, (connection, text)) in server.seen.iter().enumerate() {
        if text.starts_with("POST") {
            current.insert(*connection, "t".repeat(number % 7) + &number.to_string());
        } else {
            let expected = format!("GET /me?{} ", current[connection]);
            assert!(text.starts_with(&expected), "{text}");
            checked += 1;
        }
    }
    assert_eq!(checked, 50 * each);
}

#[test]
fn a_value_that_is_missing_ends_its_session_in_a_class_of_its_own() {
    fn answer(_: usize) -> Vec<u8> {
        reply("X-A: \r\n", r#"{"error": "locked"}"#)
    }
    for (keep, words) in [
        (
            token(),
            "no value for `token`: no value at `/access_token`: it begins with \"{\"error\": \"locked\"}\"",
        ),
        (
            json!([keep("csrf", "header", "X-Csrf")]),
            "no value for `csrf`: no header `X-Csrf` that can be sent: it begins with \"{\"error\": \"locked\"}\"",
        ),
        (
            json!([keep("sid", "cookie", "sid")]),
            "no value for `sid`: no cookie `sid` that can be sent: it begins with \"{\"error\": \"locked\"}\"",
        ),
    ] {
        let name = keep[0]["name"].as_str().unwrap();
        let request = json!({"path": format!("/{{{name}}}"), "placeholders": true});
        for (load, sent) in [
            (json!({}), 1),
            (json!({"on_wrong": "fail"}), 1),
            (json!({"on_wrong": "retry"}), 101),
        ] {
            let (counters, server) = run(
                &plan(&keep, request.clone(), load, json!({})),
                Shop::answering(answer),
            );
            assert_eq!(server.seen.len(), sent);
            assert_eq!(
                counters.calls.errors[ErrorClass::ValueNotFound as usize],
                sent as u64
            );
            assert_eq!((counters.calls.ok, counters.calls.unsent), (0, 1));
            assert_eq!(completed_and_failed(&counters), (0, 1));
            assert_eq!(
                counters.first_failure.as_deref(),
                Some(&*format!("POST /login: {words}"))
            );
        }
    }
}

#[test]
fn a_wrong_reply_of_a_call_that_keeps_values_ends_its_session_too() {
    fn answer(_: usize) -> Vec<u8> {
        b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n".to_vec()
    }
    let plan = plan(&token(), with_token(), json!({}), json!({}));
    let (counters, server) = run(&plan, Shop::answering(answer));
    assert_eq!(server.seen.len(), 1);
    assert_eq!((counters.calls.wrong_status, counters.calls.unsent), (1, 1));
    assert_eq!(completed_and_failed(&counters), (0, 1));
}

#[test]
fn a_call_that_is_retried_keeps_the_value_of_its_right_reply() {
    fn answer(number: usize) -> Vec<u8> {
        match number {
            0 => {
                b"HTTP/1.1 503 No\r\nContent-Length: 22\r\n\r\n{\"access_token\": \"no\"}".to_vec()
            }
            1 => reply("", "{}"),
            _ => reply("", r#"{"access_token": "yes"}"#),
        }
    }
    let plan = plan(
        &token(),
        with_token(),
        json!({"on_wrong": "retry"}),
        json!({}),
    );
    let (counters, server) = run(&plan, Shop::answering(answer));
    assert_eq!(
        completed_and_failed(&counters),
        (1, 0),
        "{:?}",
        counters.first_failure
    );
    assert!(server.requests()[3].contains("Bearer yes\r\n"));
}

#[test]
fn compressed_replies_are_decoded_for_their_values() {
    fn zipped(number: usize) -> Vec<u8> {
        let body = gzip(&json_of(number), 6);
        reply("Content-Encoding: gzip\r\n", body)
    }
    fn deflated(number: usize) -> Vec<u8> {
        reply("Content-Encoding: deflate\r\n", deflate(&json_of(number)))
    }
    fn cut(number: usize) -> Vec<u8> {
        let body = gzip(&json_of(number), 6);
        reply("Content-Encoding: gzip\r\n", &body[..body.len() - 9])
    }
    fn unknown(number: usize) -> Vec<u8> {
        reply("Content-Encoding: br\r\n", json_of(number))
    }
    fn json_of(number: usize) -> Vec<u8> {
        let rest = "x".repeat(5000);
        format!(r#"{{"rest": "{rest}", "access_token": "t{number}"}}"#).into_bytes()
    }
    let plan = plan(&token(), with_token(), json!({}), json!({}));
    for answer in [zipped, deflated] {
        for split in [0, 90, 100] {
            let mut server = Shop::answering(answer);
            server.split = split;
            let (counters, server) = run(&plan, server);
            assert_eq!(counters.calls.ok, 2, "{:?}", counters.first_failure);
            assert!(server.requests()[1].contains("Bearer t0\r\n"));
        }
    }
    for answer in [cut, unknown] {
        let (counters, _) = run(&plan, Shop::answering(answer));
        assert!(
            counters
                .first_failure
                .unwrap()
                .ends_with("the body cannot be decoded")
        );
    }
}

#[test]
fn long_bodies_and_bombs_are_searched_to_their_bound() {
    fn bomb(_: usize) -> Vec<u8> {
        reply("Content-Encoding: gzip\r\n", gzip(&vec![b' '; 64 << 20], 9))
    }
    fn long(_: usize) -> Vec<u8> {
        reply(
            "",
            [&b"<token>t1</token>"[..], &vec![b' '; 2 << 20]].concat(),
        )
    }
    let by_pointer = plan(&token(), with_token(), json!({}), json!({}));
    let (counters, _) = run(&by_pointer, Shop::answering(bomb));
    assert!(
        counters
            .first_failure
            .unwrap()
            .contains("more than 256 KiB")
    );
    let keep = json!([keep("token", "regex", "<token>(.*?)</token>")]);
    let (_, server) = run(
        &plan(&keep, with_token(), json!({}), json!({})),
        Shop::answering(long),
    );
    assert!(server.requests()[1].contains("Bearer t1\r\n"));
    let (counters, _) = run(
        &plan(&keep, with_token(), json!({}), json!({})),
        Shop::answering(bomb),
    );
    assert_eq!(counters.calls.errors[ErrorClass::ValueNotFound as usize], 1);
}

#[test]
fn values_from_headers_are_masked_in_the_first_reply() {
    fn answer(_: usize) -> Vec<u8> {
        reply(
            "Set-Cookie: sid=secret\r\nX-Csrf: secret\r\nX-Else: shown\r\n",
            "",
        )
    }
    let keep = json!([
        keep("sid", "cookie", "sid"),
        keep("csrf", "header", "X-Csrf")
    ]);
    let request = json!({"path": "/{csrf}{sid}", "placeholders": true});
    let (counters, _) = run(
        &plan(&keep, request, json!({}), json!({})),
        Shop::answering(answer),
    );
    assert_eq!(counters.calls.ok, 2);
    let first = serde_json::to_string(counters.records.first.known().unwrap()).unwrap();
    assert!(
        first.contains("shown") && !first.contains("secret"),
        "{first}"
    );
}
