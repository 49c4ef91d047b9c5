//! JSON examples: what is like them, what is not, and in which words.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop there"
)]

use answer::Answer;

fn json(example: &str) -> Answer {
    Answer::json(example, &[]).unwrap()
}

#[track_caller]
fn right(example: &str, bodies: &[&str]) {
    let answer = json(example);
    for body in bodies {
        assert_eq!(answer.fault(body.as_bytes(), &[]), None, "{example} {body}");
    }
}

#[track_caller]
fn wrong(example: &str, bodies: &[(&str, &str)]) {
    let answer = json(example);
    for (body, fault) in bodies {
        let found = answer.fault(body.as_bytes(), &[]);
        assert_eq!(found.as_deref(), Some(*fault), "{example} {body}");
    }
}

#[test]
fn values_are_equal_whatever_the_order_of_keys_the_white_space_and_the_form_of_numbers() {
    let example =
        r#"{"id": 7, "price": 1.75, "tags": ["new", null, true], "of": {"a": 1, "b": {}}}"#;
    right(
        example,
        &[
            example,
            r#"{"tags":["new",null,true],"of":{"b":{},"a":1.0},"price":175e-2,"id":70e-1}"#,
            " {\"id\" : 7,\n\"price\":1.750, \"t\\u0061gs\":[\"n\\u0065w\",null,true],\"of\":{\"a\":1,\"b\":{ }}}\r\n",
        ],
    );
    right("18446744073709551615", &["18446744073709551615"]);
    wrong(
        "18446744073709551615",
        &[(
            "18446744073709551614",
            "expected 18446744073709551615, found 18446744073709551614",
        )],
    );
    right("-0.0", &["0", "-0", "0.0"]);
    right("1e300", &["1.0e300", "10e299"]);
}

#[test]
fn a_fault_names_its_place_what_was_expected_and_what_was_found() {
    wrong(
        r#"{"items": [{"price": "{number}"}, {"price": 2}], "a/b~": "x"}"#,
        &[
            (
                r#"{"items": [{"price": "12"}]}"#,
                r#"/items/0/price: expected a number, found "12""#,
            ),
            (
                r#"{"items": [{"price": 12}, {"price": 3}]}"#,
                "/items/1/price: expected 2, found 3",
            ),
            (
                r#"{"items": [{"price": 1}]}"#,
                "/items: expected an array of 2 elements, found 1 element",
            ),
            (
                r#"{"items": [{"price": 1}, {"price": 2}, 3, 4], "a/b~": "x"}"#,
                "/items: expected an array of 2 elements, found 4 elements",
            ),
            (r#"{"a/b~": null}"#, r#"/a~1b~0: expected "x", found null"#),
            (r#"{"a/b~": "x"}"#, "the key `items` is missing"),
            (r#"{"more": 1}"#, "unexpected key `more`"),
            (
                r#"{"a/b~": "x", "a/b~": "x"}"#,
                "the key `a/b~` comes twice",
            ),
            ("[]", "expected an object, found an array"),
            ("true", "expected an object, found true"),
        ],
    );
}

#[test]
fn a_body_that_is_no_json_is_shown_by_its_beginning() {
    let fault = |body: &str| json("{}").fault(body.as_bytes(), &[]).unwrap();
    assert_eq!(
        fault("<html>\u{1b}"),
        "no JSON (expected value at line 1 column 1), it begins with \"<html>\\u{1b}\""
    );
    assert_eq!(
        fault(""),
        "no JSON (EOF while parsing a value at line 1 column 0), it is empty"
    );
    for body in ["{", "{} {}", "{\"a\": 1}}", "{\"\\ud800\": 1}"] {
        fault(body);
    }
    assert!(json("\"{any}\"").fault(b"\"\xff\"", &[]).is_some());
}

#[test]
fn wildcards_take_any_value_of_their_kind_within_their_bounds() {
    right(r#""{int}""#, &["0", "-3", "1e3", "2.0"]);
    right(r#""{int:1:10}""#, &["1", "10"]);
    right(r#""{int::10}""#, &["-99999999999"]);
    right(r#""{int:1:}""#, &["18446744073709551615"]);
    right(r#""{number}""#, &["1", "1.5", "-1e300"]);
    right(r#""{number:0:0.5}""#, &["0", "0.5"]);
    right(r#""{string}""#, &["\"\"", "\"a\\u0000b\""]);
    right(r#""{string:2:3}""#, &["\"éé\"", "\"abc\""]);
    right(r#""{bool}""#, &["true", "false"]);
    right(r#""{any}""#, &["null", "1", "[[]]", "{\"a\": {}}"]);
    right(r#""{object}""#, &["{}", "{\"a\": [1, {\"b\": null}]}"]);
    right(r#""{array}""#, &["[]", "[1, \"a\", []]"]);
    right(r#""{array:1:2}""#, &["[null]", "[1, 2]"]);
    right(r#""{regex:^item [0-9]{1,3}$}""#, &["\"item 123\""]);
    right(r#""{null or int}""#, &["null", "1"]);
    right(
        r#""{null or regex:^a|null or b$}""#,
        &["null", "\"null or b\""],
    );
    right(r#"["{each}", "{int}"]"#, &["[]", "[1, 2, 3]"]);
    right(
        r#"["{each:1:2}", {"id": "{int}"}]"#,
        &["[{\"id\": 1}]", "[{\"id\": 1}, {\"id\": 2}]"],
    );
    right(
        r#"{"id": 1, "{optional:note}": "{string}", "{others}": "{int}"}"#,
        &[r#"{"id": 1}"#, r#"{"x": 1, "id": 1, "note": "a", "y": 2}"#],
    );
    right(r#"{"{others}": "{any}"}"#, &["{}", r#"{"a": [{"b": {}}]}"#]);
}

/// An example, a body that is not like it, and its fault.
const REFUSED: [(&str, &str, &str); 18] = [
    (
        r#""{int:1:10}""#,
        "11",
        "expected a whole number from 1 to 10, found 11",
    ),
    (
        r#""{int:1:}""#,
        "0",
        "expected a whole number from 1 on, found 0",
    ),
    (
        r#""{int::10}""#,
        "1.5",
        "expected a whole number up to 10, found 1.5",
    ),
    (
        r#""{int}""#,
        "\"1\"",
        "expected a whole number, found \"1\"",
    ),
    (
        r#""{number:0:1}""#,
        "2",
        "expected a number from 0 to 1, found 2",
    ),
    (
        r#""{string:2:3}""#,
        "\"a\"",
        "expected a string of 2 to 3 characters, found \"a\"",
    ),
    (
        r#""{string:1:}""#,
        "\"\"",
        "expected a string of 1 characters or more, found \"\"",
    ),
    (r#""{string}""#, "null", "expected a string, found null"),
    (r#""{bool}""#, "0", "expected true or false, found 0"),
    (r#""{object}""#, "[]", "expected an object, found an array"),
    (
        r#""{array:2:2}""#,
        "[1]",
        "expected an array of 2 elements, found 1 element",
    ),
    (r#""{array}""#, "{}", "expected an array, found an object"),
    (
        r#""{regex:^a}""#,
        "\"xa\"",
        "expected a string that matches `^a`, found \"xa\"",
    ),
    (
        r#""{null or int}""#,
        "true",
        "expected null or a whole number, found true",
    ),
    (
        r#"["{each:1:}", 1]"#,
        "[]",
        "expected an array of 1 elements or more, found 0 elements",
    ),
    (
        r#"["{each}", "{int}"]"#,
        "[1, null]",
        "/1: expected a whole number, found null",
    ),
    (
        r#"{"{others}": "{int}"}"#,
        r#"{"a": "b"}"#,
        "/a: expected a whole number, found \"b\"",
    ),
    (
        r#"{"{optional:a}": 1}"#,
        r#"{"a": 2}"#,
        "/a: expected 1, found 2",
    ),
];

#[test]
fn wildcards_refuse_other_kinds_and_values_beyond_their_bounds() {
    for (example, body, fault) in REFUSED {
        wrong(example, &[(body, fault)]);
    }
}

#[test]
fn each_key_of_a_large_object_is_found() {
    let key = |n: u32| format!("\"key {n}\": {n}");
    let all: Vec<_> = (0..1000).map(key).collect();
    let answer = json(&format!("{{{}}}", all.join(",")));
    let mut reversed = all.clone();
    reversed.reverse();
    let object = |keys: &[String]| format!("{{{}}}", keys.join(","));
    assert_eq!(answer.fault(object(&reversed).as_bytes(), &[]), None);
    assert_eq!(
        answer.fault(object(&all[1..]).as_bytes(), &[]).as_deref(),
        Some("the key `key 0` is missing")
    );
}

#[test]
fn text_that_looks_like_a_wildcard_can_be_written() {
    right(r#""{{int}}""#, &[r#""{int}""#]);
    right(r#""{{int:1:2}}""#, &[r#""{int:1:2}""#]);
    right(
        r#""Dear {{user.name}}, {}""#,
        &[r#""Dear {user.name}, {}""#],
    );
    right(r#"{"{{others}}": 1}"#, &[r#"{"{others}": 1}"#]);
    for same in [
        r#""{}""#,
        r#""{ int }""#,
        r#""{1}""#,
        r#""{a b}c""#,
        r#""a { b""#,
        r#""{{}}""#,
        r#""}{""#,
    ] {
        right(same, &[same]);
    }
}

#[test]
fn faults_of_an_example_name_their_place_and_what_can_be_written() {
    let fault = |example: &str| Answer::json(example, &[]).unwrap_err();
    assert_eq!(
        fault(r#"{"items": [{"id": "{itn}"}]}"#),
        "in the example, /items/0/id: `{itn}` is no wildcard: expected {int}, {number}, {string}, {regex:…}, {bool}, \
         {array}, {object} or {any}; the text itself is written `{{itn}}`"
    );
    for (example, words) in [
        (
            r#"{"a": "{int:10:1}"}"#,
            "/a: `{int:10:1}`: expected `{int}`, or from the least",
        ),
        (r#""{int:1}""#, "`{int:1}`: expected"),
        (r#""{int:a:b}""#, "`{int:a:b}`: expected"),
        (r#""{string:-1:2}""#, "`{string:-1:2}`: expected"),
        (r#""{bool:1:2}""#, "`{bool:1:2}` is no wildcard"),
        (r#"["{each:x}", 1]"#, "/0: `{each:x}`: expected"),
        (r#"["{each}"]"#, "`{each}` is the first of two elements"),
        (
            r#"{"a": "{each}"}"#,
            "/a: `{each}` is the first of two elements",
        ),
        (
            r#"{"{optional}": 1}"#,
            "the key `{optional}` is no wildcard",
        ),
        (
            r#"{"{optional:a}": 1, "a": 2}"#,
            "the key `a` is there twice",
        ),
        (r#""item {id}""#, "`item {id}` has a wildcard inside"),
        (
            r#""{regex:(}""#,
            "the regular expression has a fault: unclosed group",
        ),
        (r#""{regex:}""#, "is no wildcard"),
        (
            "{",
            "the example is no JSON: EOF while parsing an object at line 1 column 1",
        ),
    ] {
        let found = fault(example);
        assert!(found.contains(words), "{example}: {found}");
    }
}
