//! JSON examples with values that were sent.

use answer::{Answer, Name};

fn name(text: &str, is_secret: bool) -> Name<'_> {
    Name { text, is_secret }
}

#[test]
fn a_value_that_was_sent_stands_for_itself_as_text_or_as_a_number() {
    let names = [
        name("other", false),
        name("users.email", true),
        name("id", false),
    ];
    let example =
        r#"{"id": "{id}", "url": "/{{x}}/{id}", "who": "{users.email}", "text": "{{id}}"}"#;
    let answer = Answer::json(example, &names).unwrap();
    assert_eq!(answer.names(), [2, 1]);
    let values = ["7".to_owned(), "ann@example.org".to_owned()];
    for id in ["7", "7.0", "\"7\""] {
        let body = format!(
            r#"{{"id": {id}, "url": "/{{x}}/7", "who": "ann@example.org", "text": "{{id}}"}}"#
        );
        assert_eq!(answer.fault(body.as_bytes(), &values), None, "{body}");
    }
    for (body, words) in [
        (
            r#"{"id": 8}"#,
            r#"/id: expected "7", as it was sent, found 8"#,
        ),
        (
            r#"{"id": "8"}"#,
            r#"/id: expected "7", as it was sent, found "8""#,
        ),
        (
            r#"{"id": true}"#,
            r#"/id: expected "7", as it was sent, found true"#,
        ),
        (
            r#"{"url": "/{x}/8"}"#,
            r#"/url: expected "/{x}/7", as it was sent, found "/{x}/8""#,
        ),
        (
            r#"{"url": 7}"#,
            r#"/url: expected "/{x}/7", as it was sent, found 7"#,
        ),
        (
            r#"{"who": null}"#,
            r#"/who: expected "{users.email}", as it was sent, found null"#,
        ),
    ] {
        assert_eq!(
            answer.fault(body.as_bytes(), &values).as_deref(),
            Some(words)
        );
    }
}

#[test]
fn a_value_that_was_sent_may_be_a_boolean_or_null() {
    let answer = Answer::json(r#"["{sent}"]"#, &[name("sent", false)]).unwrap();
    for sent in ["true", "false", "null", "7"] {
        let values = [sent.to_owned()];
        for found in ["true", "false", "null", "7"] {
            let fault = answer.fault(format!("[{found}]").as_bytes(), &values);
            assert_eq!(fault.is_none(), found == sent, "{found} {sent}");
        }
        assert_eq!(
            answer.fault(format!("[\"{sent}\"]").as_bytes(), &values),
            None
        );
    }
}

#[test]
fn a_name_that_is_not_sent_is_a_fault_which_lists_those_that_are() {
    let all: Vec<String> = (0..22).map(|number| format!("n{number}")).collect();
    let names: Vec<Name> = all.iter().map(|text| name(text, false)).collect();
    let fault = |example: &str| Answer::json(example, &names).unwrap_err();
    let words = fault(r#"{"id": "{name}"}"#);
    assert!(
        words.contains("/id: `{name}` is no wildcard: expected {int}, ")
            && words.contains("{object} or {any}, or a value that is sent: {n0}, {n1}, ")
            && words.contains(", {n19} and 2 more; the text"),
        "{words}"
    );
    for text in ["{n0} and {name}", "{n0:1}"] {
        let words = fault(&format!("[\"{text}\"]"));
        assert!(words.contains("wildcard"), "{words}");
    }
}
