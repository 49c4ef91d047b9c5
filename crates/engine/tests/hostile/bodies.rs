//! Hostile bodies beside right answers: each is one wrong body, in bounded time. `tests/memory` limits their memory.

use std::time::{Duration, Instant};

use reference::hostile::Hostile;
use serde_json::{Value, json};

use crate::floods::flood;
use crate::rig::{ends, run, send};

/// Most time that a run takes for one hostile body: the longest that is judged has 1 MiB.
const MOST: Duration = Duration::from_secs(5);

fn expecting(body: &Value) -> Value {
    json!({"requests": [{"path": "/", "expect": {"body": body}}]})
}

pub fn a_hostile_body_is_one_wrong_body_and_soon_judged(driver: &str) {
    let most = 1 << 20;
    let json = |example: &str| json!({"json": example});
    let anything = json(r#""{any}""#);
    let cases = [
        ("deep arrays", anything.clone(), "[".repeat(most)),
        (
            "deep objects",
            anything.clone(),
            r#"{"a":"#.repeat(most / 5),
        ),
        ("an endless line", anything.clone(), "x".repeat(most)),
        (
            "an endless string",
            anything.clone(),
            format!("\"{}", "\\u00e9".repeat(most / 6 - 1)),
        ),
        ("a long number", json("1"), "9".repeat(most)),
        ("too long", anything, format!("\"{}\"", "x".repeat(most))),
        (
            "many keys",
            json("{}"),
            r#"{"a":1,"b":2}"#.repeat(most / 13),
        ),
        (
            "many elements",
            json(r#"["{each:1:10}", 1]"#),
            format!("[{}1]", "1,".repeat(most / 2 - 2)),
        ),
        (
            "backtracking",
            json!({"regex": "(a+)+$b"}),
            "a".repeat(most),
        ),
        (
            "many states",
            json!({"regex": "(a|b)*a(a|b){100}c"}),
            "ab".repeat(most / 2),
        ),
    ];
    for (name, answer, body) in cases {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        let server = Hostile::start(move |_| vec![send(&head), send(&body)]).unwrap();
        let begun = Instant::now();
        let measured = run(driver, &server, &expecting(&answer));
        assert_eq!(
            ends(&measured),
            json!({"wrong_body": 1}),
            "{name}: {measured}"
        );
        assert!(begun.elapsed() < MOST, "{name} took {:?}", begun.elapsed());
        let words = measured["first_failure"].as_str().unwrap();
        assert!(words.len() < 300, "{name}: {words}");
    }
}

pub fn a_body_without_end_is_not_kept(driver: &str) {
    let acts = flood("HTTP/1.1 200 OK\r\n\r\n", "[1,");
    let server = Hostile::start(move |_| acts.clone()).unwrap();
    let mut more = expecting(&json!({"json": r#""{any}""#}));
    more["timeouts"] = json!({"reply_s": 0.2});
    let measured = run(driver, &server, &more);
    assert_eq!(ends(&measured), json!({"reply_timeout": 1}));
}
