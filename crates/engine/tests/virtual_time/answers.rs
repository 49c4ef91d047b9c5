//! Right bodies that are no fixed bytes: JSON like an example, text that a regular expression matches.

use engine::CompiledPlan;
use serde_json::{Value, json};

use crate::decoding::{counted, deflate, gzip, measured, reply};
use crate::server::plan;

const EXAMPLE: &str = r#"{"id": "{int:1:10}", "name": "{string}"}"#;

fn replies(bodies: &[&str]) -> Vec<Vec<u8>> {
    let plain = |body: &&str| reply("identity", body.as_bytes());
    bodies.iter().map(plain).collect()
}

fn like(example: &str) -> Value {
    json!({"body": {"json": example}})
}

#[test]
fn a_body_is_right_if_it_is_like_the_example_and_otherwise_its_fault_is_named() {
    let bodies = [
        r#"{"id": 7, "name": "a"}"#,
        "{\"name\":\"b\",\n\"id\":1e1}",
        r#"{"id": 11, "name": "c"}"#,
        r#"{"id": 1}"#,
        "<h1>Error</h1>",
    ];
    let (ok, wrong, first) = measured(replies(&bodies), like(EXAMPLE));
    assert_eq!((ok, wrong), (2, 3));
    assert_eq!(
        first,
        "GET /: a body of 23 bytes that is not like the JSON example: /id: expected a whole number from 1 to 10, found \
         11"
    );
}

#[test]
fn a_body_is_right_if_the_regular_expression_matches_it_anywhere() {
    let expect = json!({"body": {"regex": "<h1>(Shop|Cart)</h1>"}});
    let bodies = [
        "<p><h1>Shop</h1>",
        "<h1>Cart</h1>\n",
        "<h1>\u{1b}Error</h1>",
    ];
    let (ok, wrong, first) = measured(replies(&bodies), expect);
    assert_eq!((ok, wrong), (2, 1));
    assert_eq!(
        first,
        "GET /: a body of 15 bytes that is not matched by the regular expression `<h1>(Shop|Cart)</h1>`: it begins \
         with \"<h1>\\u{1b}Error</h1>\""
    );
}

#[test]
fn compressed_bodies_are_decoded_before_they_are_judged() {
    let body = br#"{"id": 7, "name": "a"}"#;
    let replies = vec![
        reply("gzip", &gzip(body, 6)),
        reply("deflate", &deflate(body)),
        reply("identity", body),
        reply("gzip", body),
        reply("gzip", &gzip(b"[]", 6)),
    ];
    let expect = json!({"body": {"json": EXAMPLE}, "decode": "gzip"});
    let (ok, wrong, _) = measured(replies, expect);
    assert_eq!((ok, wrong), (3, 2));
}

#[test]
fn a_compressed_bomb_is_one_wrong_body() {
    let bomb = reply("gzip", &gzip(&vec![b' '; 100 << 20], 9));
    for body in [json!({"json": "\"{any}\""}), json!({"regex": "x"})] {
        let expect = json!({"body": body, "decode": "gzip"});
        let (ok, wrong, first) = measured(vec![bomb.clone()], expect);
        assert_eq!((ok, wrong), (0, 1));
        assert!(
            first.contains("or more when decoded, that is not")
                && first
                    .ends_with("it has more than 1 MiB (1,048,576 bytes), the most that is judged"),
            "{first}"
        );
    }
}

#[test]
fn a_sampled_check_refuses_an_empty_or_overlong_body_each_time() {
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    let expect = json!({"body": {"json": "1"}, "check_one_in": 4});
    for body in ["", &long] {
        let (ok, wrong, _) = measured(replies(&[body; 8]), expect.clone());
        assert_eq!((ok, wrong), (0, 8));
    }
    let (ok, wrong, _) = measured(replies(&["x"; 8]), expect);
    assert_eq!((ok, wrong), (6, 2), "one of four is judged");
}

#[test]
fn checked_bodies_and_those_of_them_that_are_wrong_are_counted() {
    let bodies = [r#"{"id": 1}"#, "{}", r#"{"id": 2}"#, "{}"].repeat(25);
    let json = json!({"json": r#"{"id": "{int}"}"#});
    for (body, one_in, checked, wrong) in [
        (json.clone(), 1, 100, 50..=50),
        (json, 10, 10, 0..=10),
        (json!({"length": 9}), 1, 0, 0..=0),
        (json!(null), 1, 0, 0..=0),
    ] {
        let expect = json!({"body": body, "check_one_in": one_in});
        let replies = counted(replies(&bodies), expect).replies;
        assert_eq!(replies.checked, checked);
        assert!(wrong.contains(&replies.wrong), "{}", replies.wrong);
    }
    let failed = vec![b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n".to_vec()];
    assert_eq!(counted(failed, like(EXAMPLE)).replies.checked, 0);
}

#[test]
fn a_fault_of_an_answer_ends_the_run_before_it_begins() {
    for (body, words) in [
        (
            json!({"json": "{\"id\": \"{itn}\"}"}),
            "GET /items: in the example, /id: `{itn}` is no wildcard",
        ),
        (
            json!({"regex": "("}),
            "GET /items: the regular expression has a fault: unclosed group",
        ),
    ] {
        let more = json!({"requests": [{"path": "/items", "expect": {"body": body}}]});
        let plan = plan(json!({"kind": "closed", "connections": 1}), more);
        let fault = CompiledPlan::new(&plan).unwrap_err().message;
        assert!(fault.starts_with(words), "{fault}");
    }
}
