//! Right answers: **whatever the example and the body, the fault of one or the other is short and printable. A body is
//! like an example without wildcards only if both are equal JSON, and each such example is like itself. A value in a body
//! is bounded and has no control character, and that behind a pointer is what another parser finds there.** The first
//! line of an input is the example, the expression and the pointer; the rest is the body.

use answer::Answer;
use answer::value::{LONGEST_VALUE, ValuePlace};
use serde_json::{Number, Value};

/// Longest fault in characters.
const MOST: usize = 700;

/// Panics unless the sentences above hold for this input.
pub fn hold(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n');
    let (first, rest) = data.split_at(end.unwrap_or(data.len()));
    let body = rest.strip_prefix(b"\n").unwrap_or(rest);
    let Ok(text) = std::str::from_utf8(first) else {
        return;
    };
    match Answer::regex(text) {
        Ok(answer) => check(answer.fault(body, &[])),
        Err(fault) => check(Some(fault)),
    }
    match Answer::json(text, &[]) {
        Ok(answer) => json(&answer, text, body),
        Err(fault) => check(Some(fault)),
    }
    value(ValuePlace::regex(text), body);
    if let Some(found) = value(ValuePlace::json(text), body)
        && let Ok(all) = serde_json::from_slice::<Value>(body)
    {
        match all.pointer(text) {
            Some(Value::String(text)) => assert_eq!(*text, found),
            Some(Value::Bool(value)) => assert_eq!(value.to_string(), found),
            Some(Value::Number(_)) => {}
            other => panic!("{other:?} is no value, but `{found}` was found"),
        }
    }
}

/// The value at a place, if it is UTF-8.
fn value(place: Result<ValuePlace, String>, body: &[u8]) -> Option<String> {
    let mut value = Vec::new();
    match place.and_then(|mut place| place.find(body, &mut value)) {
        Ok(()) => {
            assert!(value.len() <= LONGEST_VALUE);
            assert!(!value.iter().any(u8::is_ascii_control), "{value:?}");
            String::from_utf8(value).ok()
        }
        Err(fault) => {
            check(Some(fault));
            None
        }
    }
}

fn json(answer: &Answer, text: &str, body: &[u8]) {
    let fault = answer.fault(body, &[]);
    let is_right = fault.is_none();
    check(fault);
    if text.contains(['{', '}']) && text.contains("\"{") || text.contains("{{") {
        return;
    }
    let Ok(example) = serde_json::from_str::<Value>(text) else {
        return;
    };
    if is_right {
        let found = serde_json::from_slice::<Value>(body).expect("JSON, since it is right");
        assert!(equal(&example, &found), "{example} {found}");
    }
    let written = example.to_string();
    assert_eq!(answer.fault(written.as_bytes(), &[]), None, "{written}");
}

/// Faults go to terminals and pages.
fn check(fault: Option<String>) {
    let fault = fault.unwrap_or_default();
    assert!(fault.chars().count() <= MOST, "{fault}");
    assert!(!fault.contains(char::is_control), "{fault:?}");
}

/// True if two values are equal, whatever the form of their numbers.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => same(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let alike = |(key, one)| other.get(key).is_some_and(|other| equal(one, other));
            one.len() == other.len() && one.iter().all(alike)
        }
        _ => one == other,
    }
}

fn same(one: &Number, other: &Number) -> bool {
    one == other || one.as_f64() == other.as_f64()
}
