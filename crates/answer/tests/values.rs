//! Values in bodies: found behind JSON pointers and by regular expressions, in hostile bodies too.

use std::time::{Duration, Instant};

use answer::value::{LONGEST_VALUE, MOST_SEARCHED, ValuePlace, keep};
use proptest::prelude::*;
use serde_json::Value;

fn found(place: Result<ValuePlace, String>, body: impl AsRef<[u8]>) -> Result<String, String> {
    let mut value = b"the value of the session before".to_vec();
    place
        .expect("a place without faults")
        .find(body.as_ref(), &mut value)?;
    Ok(String::from_utf8(value).expect("text"))
}

fn at(pointer: &str, body: impl AsRef<[u8]>) -> Result<String, String> {
    found(ValuePlace::json(pointer), body)
}

fn by(expression: &str, body: impl AsRef<[u8]>) -> Result<String, String> {
    found(ValuePlace::regex(expression), body)
}

#[test]
fn a_pointer_finds_texts_numbers_and_booleans_as_they_are_written() {
    let body = r#" {"a": {"b/c": ["x", {"~": "y\u00e9\"\\"}]}, "n": 1.50, "big": 12345678901234567890123,
        "": "no name", "t": true, "m~n": 8, "access_token": "eyJ.x-y_z="} "#;
    for (pointer, value) in [
        ("/access_token", "eyJ.x-y_z="),
        ("/a/b~1c/0", "x"),
        ("/a/b~1c/1/~0", "y\u{e9}\"\\"),
        ("/n", "1.50"),
        ("/big", "12345678901234567890123"),
        ("/", "no name"),
        ("/t", "true"),
        ("/m~0n", "8"),
    ] {
        assert_eq!(at(pointer, body).as_deref(), Ok(value), "{pointer}");
    }
    assert_eq!(at("", "\"all\"").as_deref(), Ok("all"));
    assert_eq!(at("/a", r#"{"a": 1, "a": "2"}"#).as_deref(), Ok("2"));
}

#[test]
fn a_value_that_is_not_there_is_told_with_the_beginning_of_the_body() {
    let body = r#"{"error": "wrong password", "a": [1, null, {}, []]}"#;
    let begins = r#"no value at `/b`: it begins with "{"error": "wrong password", "a": [1, nul…""#;
    assert_eq!(at("/b", body).unwrap_err(), begins);
    for (pointer, body, fault) in [
        ("/a/1", body, "null is there: expected a text, a number"),
        ("/a/2", body, "an object is there"),
        ("/a/3", body, "an array is there"),
        ("/a/00", body, "it begins with"),
        ("/a/-", body, "it begins with"),
        ("/a/9", body, "it begins with"),
        ("/error/x", body, "it begins with"),
        ("/b", r#"{"b": "x", "b": {}}"#, "an object is there"),
        ("/b", "", "no value at `/b`: it is empty"),
        (
            "/b",
            "<html>",
            "no JSON (expected value at line 1 column 1), it begins with \"<html>\"",
        ),
        ("/b", r#"{"b": "x"} more"#, "no JSON (trailing characters"),
        ("/b", r#"{"b": "x""#, "no JSON (EOF while parsing"),
        (
            "/b",
            r#"{"b": "x\r\nX: y"}"#,
            "a control character, which no header may have",
        ),
    ] {
        let words = at(pointer, body).unwrap_err();
        assert!(words.contains(fault), "{pointer}: {words}");
    }
    let words = by("csrf=(.)", "<b>\x1b[31m").unwrap_err();
    assert_eq!(
        words,
        "no match of `csrf=(.)`: it begins with \"<b>\\u{1b}[31m\""
    );
    let body = r#"{"t": "c2d8f0cc7a004a13", "j": "eyJ.a-b_c/d+e=xxxxx", "id": "short"}"#;
    assert!(
        at("/b", body)
            .unwrap_err()
            .ends_with(r#""{"t": "***", "j": "***", "id": "short"}""#)
    );
    assert!(by("(a)|b", "b").is_err(), "the group is not in the match");
}

#[test]
fn the_first_group_of_an_expression_is_the_value() {
    let page = br#"<input name="csrf" value="t&amp;1"><input name="csrf" value="2">"#;
    let expression = r#"name="csrf" value="([^"]+)"#;
    assert_eq!(by(expression, page).as_deref(), Ok("t&amp;1"));
    assert_eq!(by("(?P<n>[0-9]+).*(b)", "a12cb").as_deref(), Ok("12"));
}

#[test]
fn pointers_and_expressions_with_faults_are_refused() {
    for pointer in ["access_token", "$.a", "/a~2", "/~"] {
        let words = ValuePlace::json(pointer).unwrap_err();
        assert!(words.contains("is no JSON pointer"), "{words}");
    }
    assert!(ValuePlace::json(&"/a".repeat(101)).is_err());
    assert!(ValuePlace::json(&format!("/{}", "a".repeat(1000))).is_err());
    let words = ValuePlace::regex("csrf=[a-z]+").unwrap_err();
    assert!(words.contains("has no group"), "{words}");
    assert!(ValuePlace::regex("(").unwrap_err().contains("has a fault"));
}

#[test]
fn long_values_and_long_bodies_are_bounded() {
    let mut value = b"before".to_vec();
    assert!(keep(&vec![b'x'; LONGEST_VALUE + 1], &mut value).is_err());
    assert!(keep(b"a\nb", &mut value).is_err() && keep(b"\x7f", &mut value).is_err());
    assert_eq!(keep(&[b'x'; LONGEST_VALUE], &mut value), Ok(()));
    assert_eq!(value.len(), LONGEST_VALUE);
    let long = format!("{{\"a\": \"x\", \"b\": \"{}\"}}", "y".repeat(MOST_SEARCHED));
    assert!(at("/a", &long).unwrap_err().contains("more than 256 KiB"));
    assert!(at("/b", format!("{{\"b\": \"{}\"}}", "y".repeat(5000))).is_err());
    assert_eq!(by("(x)", &long).as_deref(), Ok("x"));
    assert!(by("(z)", format!("{long}z")).is_err());
}

#[test]
fn hostile_bodies_are_searched_in_bounded_time() {
    let began = Instant::now();
    for body in [
        "[".repeat(MOST_SEARCHED),
        "{\"a\":".repeat(50_000),
        format!("[{}", "1,".repeat(120_000)),
        format!("{{\"a\": {}", "\"\\u0000".repeat(30_000)),
        "a".repeat(MOST_SEARCHED),
    ] {
        for pointer in ["/a", "/a/a/a/a", &"/a".repeat(100), "/0", ""] {
            let words = at(pointer, &body).unwrap_err();
            assert!(words.chars().count() < 250, "{words}");
            assert!(!words.contains(char::is_control), "{words:?}");
        }
        assert!(by("(a+)+b", &body).is_err());
        assert!(by("(?:(?:a?){50}){50}(b)", &body).is_err());
    }
    let took = began.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
}

/// JSON of few different keys and texts, so that pointers often lead somewhere.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ab\"\\\\/~\u{e9}]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 4, |inside| {
        prop_oneof![
            prop::collection::vec(inside.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[ab/~]{0,1}", inside, 0..4)
                .prop_map(|keys| Value::Object(keys.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_pointer_finds_what_an_independent_parser_finds(
        value in json(),
        pointer in "(/([ab]?|[01]|~0|~1)){0,3}",
    ) {
        let mine = at(&pointer, value.to_string());
        match value.pointer(&pointer) {
            Some(Value::String(text)) => prop_assert_eq!(mine, Ok(text.clone())),
            Some(plain @ (Value::Bool(_) | Value::Number(_))) => prop_assert_eq!(mine, Ok(plain.to_string())),
            _ => prop_assert!(mine.is_err()),
        }
    }

    #[test]
    fn any_bytes_are_searched_without_a_panic_and_no_value_breaks_a_head(body in prop::collection::vec(any::<u8>(), 0..200)) {
        for mut place in [ValuePlace::json("/a"), ValuePlace::json(""), ValuePlace::regex("(?s)(.*)")].into_iter().flatten() {
            let mut value = Vec::new();
            if place.find(&body, &mut value).is_ok() {
                prop_assert!(!value.iter().any(u8::is_ascii_control));
            }
        }
    }
}
