use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn plan(request: Value, more: Value) -> Plan {
    let mut request = request;
    request["placeholders"] = json!(true);
    let mut plan = json!({
        "target": {"host": "h"},
        "requests": [request],
        "load": {"kind": "closed", "connections": 1},
        "stop": {"count": 1},
    });
    if let (Value::Object(plan), Value::Object(more)) = (&mut plan, more) {
        plan.extend(more);
    }
    serde_json::from_value(plan).unwrap()
}

fn compile(request: Value, more: Value) -> Result<Template, Vec<String>> {
    let plan = plan(request, more);
    Template::new(&plan, &["token".into()], 0, &plan.requests[0])
}

/// One cookie, and a value of every name.
struct One;

impl Values for One {
    fn cookies(&self, extends: bool, out: &mut Vec<u8>) {
        let text: &[u8] = if extends {
            b"; c=1"
        } else {
            b"Cookie: c=1\r\n"
        };
        out.extend_from_slice(text);
    }

    fn named(&self, name: usize, place: Place, out: &mut Vec<u8>) {
        place.write(format!("{name} \"&\"").as_bytes(), out);
    }
}

/// The request of a call.
fn sent(template: &Template, call: u64) -> String {
    let mut out = b"before".to_vec();
    template.write(call, &One, &mut out);
    String::from_utf8(out).unwrap().split_off("before".len())
}

#[test]
fn values_are_written_in_path_headers_and_body_with_the_right_length() {
    let request = json!({
        "method": "POST",
        "path": "/items/{sequence:9}?{{uuid}}",
        "headers": [["X-Id", "a{sequence:7}b"], ["Content-Type", "application/json; charset=utf-8"]],
        "body": {"text": r#"{sequence:8}{"n": {sequence:98}}"#},
    });
    let template = compile(request, json!({})).unwrap();
    for (call, path, header, first, second, length) in [
        (0, 9, 7, 8, 98, 10),
        (1, 10, 8, 9, 99, 10),
        (2, 11, 9, 10, 100, 12),
    ] {
        assert_eq!(
            sent(&template, call),
            format!(
                "POST /items/{path}?{{uuid}} HTTP/1.1\r\nHost: h\r\nX-Id: a{header}b\r\n\
                 Content-Type: application/json; charset=utf-8\r\nContent-Length: {length}\r\n\r\n\
                 {first}{{\"n\": {second}}}"
            )
        );
    }
}

#[test]
fn a_body_without_placeholders_keeps_its_length_and_a_length_that_is_given_is_kept() {
    let request = json!({"method": "PUT", "path": "/{sequence:1}", "body": {"base64": "AP8="}});
    let plan = plan(request, json!({}));
    let template = Template::new(&plan, &[], 0, &plan.requests[0]).unwrap();
    let mut out = Vec::new();
    template.write(0, &One, &mut out);
    assert_eq!(
        out,
        b"PUT /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n\x00\xff"
    );
    let request = json!({
        "method": "POST", "path": "/", "body": {"text": "{sequence:1}"},
        "headers": [["content-length", "1"]],
    });
    let text = sent(&compile(request, json!({})).unwrap(), 0);
    assert_eq!(
        text,
        "POST / HTTP/1.1\r\nHost: h\r\ncontent-length: 1\r\n\r\n1"
    );
}

#[test]
fn a_proxy_gets_the_absolute_form_and_each_connection_its_last_header() {
    let request = json!({"path": "/{sequence:1}"});
    let more = json!({"proxy": {"host": "p", "port": 1}, "keep_alive": false});
    assert_eq!(
        sent(&compile(request, more).unwrap(), 4),
        "GET http://h/5 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
    );
}

#[test]
fn cookies_extend_a_header_with_values_or_follow_the_last_header() {
    let sessions = json!({"load": {"kind": "sessions", "arrivals": null, "cookies": true}});
    let request = json!({
        "method": "POST", "path": "/", "headers": [["Cookie", "a={sequence:1}"]],
        "body": {"text": "{sequence:1}"},
    });
    assert_eq!(
        sent(&compile(request, sessions.clone()).unwrap(), 0),
        "POST / HTTP/1.1\r\nHost: h\r\nCookie: a=1; c=1\r\nContent-Length: 1\r\n\r\n1"
    );
    let request = json!({"path": "/{sequence:1}"});
    assert_eq!(
        sent(&compile(request, sessions).unwrap(), 0),
        "GET /1 HTTP/1.1\r\nHost: h\r\nCookie: c=1\r\n\r\n"
    );
}

#[test]
fn values_are_escaped_as_the_kind_of_the_body_demands() {
    let body = |media_type: &str, text: &str| {
        let request = json!({
            "method": "POST", "path": "/", "headers": [["Content-Type", media_type]],
            "body": {"text": text},
        });
        let text = sent(&compile(request, json!({})).unwrap(), 0);
        text.split_once("\r\n\r\n").unwrap().1.to_owned()
    };
    let text = r#"{"a": "{choice:"x" & y}"}"#;
    assert_eq!(
        body("application/vnd.api+JSON", text),
        r#"{"a": "\"x\" & y"}"#
    );
    assert_eq!(body("text/plain", text), r#"{"a": ""x" & y"}"#);
    assert_eq!(
        body("application/x-www-form-urlencoded", "a={choice:x & y}"),
        "a=x%20%26%20y"
    );
}

#[test]
fn the_value_of_a_name_is_written_in_the_form_that_its_place_demands() {
    let request = json!({
        "method": "POST", "path": "/{token}", "headers": [["Content-Type", "application/json"], ["X", "{token}"]],
        "body": {"text": r#"{"a": "{token}", "b": {token}}"#},
    });
    assert_eq!(
        sent(&compile(request, json!({})).unwrap(), 0),
        "POST /0%20%22%26%22 HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nX: 0 \"&\"\r\n\
         Content-Length: 28\r\n\r\n{\"a\": \"0 \\\"&\\\"\", \"b\": 0 \"&\"}"
    );
}

#[test]
fn all_faults_of_a_request_are_reported_with_their_places() {
    let request = json!({
        "method": "POST", "path": "/{id:}",
        "headers": [["X", "{random:1}"], ["Content-Type", "application/json"]],
        "body": {"text": "{\n\"a\": {uuid}}"},
    });
    let faults = compile(request, json!({})).unwrap_err();
    assert_eq!(faults.len(), 3);
    assert!(faults[0].starts_with("request `POST /{id:}`: path, column 2: `{id:}`: `id` is no "));
    assert!(faults[1].starts_with("request `POST /{id:}`: header `X`, column 1: `{random:1}`: "));
    assert_eq!(
        faults[2],
        "request `POST /{id:}`: body, line 2, column 6: `{uuid}` is not a JSON value: expected it in double quotes"
    );
    let raw = json!({"path": "{uuid}", "raw": {"text": "x"}});
    assert!(compile(raw, json!({})).unwrap_err()[0].ends_with("expected no placeholders"));
    let marked = json!({"path": "/{uuid}", "body": {"text": "\u{10ffff}"}});
    assert!(compile(marked, json!({})).unwrap_err()[0].contains("U+10FFFF"));
    let smuggled = json!({"path": "/", "headers": [["X", "{choice:a\r\nb}"]]});
    assert!(compile(smuggled, json!({})).is_err());
}

proptest! {
    #[test]
    fn every_request_of_a_template_is_one_request_with_the_length_of_its_body(
        path in "(/|[a-z]|\\{choice:a b,é,\\?\\}|\\{uuid\\}|\\{zipf:1:1000:1\\.1\\}){0,6}",
        body in "([a-z\\r\\n]|\\{sequence:95\\}|\\{now\\}|\\{\\{x\\}\\}){1,9}",
        call in 0..100_u64,
    ) {
        let request = json!({
            "method": "POST", "path": format!("/{path}"), "body": {"text": body},
        });
        let text = sent(&compile(request, json!({})).unwrap(), call);
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let length = head.rsplit(": ").next().unwrap();
        prop_assert_eq!(length.parse::<usize>().unwrap(), body.len());
        let line = head.lines().next().unwrap();
        prop_assert_eq!(line.split(' ').count(), 3);
        let is_sent = line.is_ascii() && !line.contains(['{', '}']);
        prop_assert!(is_sent);
    }
}
