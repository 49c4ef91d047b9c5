//! Hostile bodies, examples and expressions: faults in short words, in bounded time.

use answer::{Answer, MOST_BYTES};

fn fault(answer: &Answer, body: &[u8]) -> String {
    answer.fault(body, &[]).expect("the body is wrong")
}

#[test]
fn deep_nesting_is_a_fault_for_any_example() {
    let deep = "[".repeat(1 << 20);
    let objects = "{\"a\":".repeat(200_000);
    for example in [
        r#""{any}""#,
        r#"["{each}", "{any}"]"#,
        r#"{"{others}": "{any}"}"#,
        r#"{"a": "{object}"}"#,
    ] {
        let answer = Answer::json(example, &[]).unwrap();
        for body in [&deep, &objects] {
            let words = fault(&answer, body.as_bytes());
            assert!(
                words.contains("expected a") || words.contains("nested too deep"),
                "{words}"
            );
        }
    }
    let answer = Answer::json(r#""{any}""#, &[]).unwrap();
    let nested = |levels| [vec![b'['; levels], vec![b']'; levels]].concat();
    assert_eq!(answer.fault(&nested(127), &[]), None);
    let words = "it is nested too deep (more than 127 levels)";
    assert_eq!(fault(&answer, &nested(128)), words);
    assert!(Answer::json(&"[".repeat(300), &[]).is_err());
}

#[test]
fn words_about_a_body_are_short_and_printable() {
    let long = "\\u001b[31m\u{7}é".repeat(10_000).replace('\u{7}', "");
    let object = format!("{{\"{long}\": {{\"{long}\": \"{long}\"}}}}");
    let answers = [
        r#"{"{others}": {"{others}": 1}}"#,
        r#"{"a": 1}"#,
        "1",
        r#"{"{others}": 1}"#,
    ];
    for example in answers {
        let words = fault(&Answer::json(example, &[]).unwrap(), object.as_bytes());
        assert!(words.chars().count() < 400, "{words}");
        assert!(!words.contains(char::is_control), "{words:?}");
    }
    let path = format!("{}1{}", "{\"key\":".repeat(120), "}".repeat(120));
    let example = format!("{}2{}", "{\"key\":".repeat(120), "}".repeat(120));
    let words = fault(&Answer::json(&example, &[]).unwrap(), path.as_bytes());
    assert!(words.starts_with('…') && words.len() < 300, "{words}");
}

#[test]
fn long_bodies_and_examples_are_refused() {
    let long = format!("\"{}\"", "x".repeat(MOST_BYTES));
    let words = "it has more than 1 MiB (1,048,576 bytes), the most that is judged";
    let (any, text) = (
        Answer::json(r#""{any}""#, &[]).unwrap(),
        Answer::regex("x").unwrap(),
    );
    assert_eq!(fault(&any, long.as_bytes()), words);
    assert_eq!(fault(&text, long.as_bytes()), words);
    assert_eq!(text.fault(&long.as_bytes()[..MOST_BYTES], &[]), None);
    assert!(Answer::json(&long, &[]).unwrap_err().contains("1 MiB"));
}

#[test]
fn large_expressions_are_refused() {
    let fault = |expression: &str| Answer::regex(expression).unwrap_err();
    assert!(fault(&"a".repeat(1001)).contains("expected at most 1000"));
    assert!(fault(r"(\w{1000}){1000}").contains("too large"));
    assert!(fault(r"a{4000000000}").contains("regular expression"));
    assert!(fault("(?=a)").contains("look-around"));
    let many: Vec<_> = (0..101).map(|_| r#""{regex:a}""#).collect();
    let words = Answer::json(&format!("[{}]", many.join(",")), &[]).unwrap_err();
    assert!(words.contains("at most 100 regular expressions"), "{words}");
}

#[test]
fn expressions_that_are_catastrophic_elsewhere_end_soon() {
    let body = vec![b'a'; MOST_BYTES];
    for expression in [
        "(a+)+$b",
        "(a|a)*b",
        "(a*)*b",
        "(.*)(.*)(.*)(.*)[^a]",
        "(x+x+)+y",
    ] {
        let answer = Answer::regex(expression).unwrap();
        fault(&answer, &body);
    }
}

#[test]
fn an_expression_is_found_anywhere_and_its_fault_shows_the_beginning() {
    let answer = Answer::regex("(?i)<title>shop</title>").unwrap();
    assert_eq!(answer.fault(b"<html>\n<TITLE>Shop</TITLE>\xff", &[]), None);
    assert_eq!(
        answer.words(),
        "matched by the regular expression `(?i)<title>shop</title>`"
    );
    assert_eq!(
        fault(&answer, b"<html>\n\x1b[0m"),
        "it begins with \"<html>\\n\\u{1b}[0m\""
    );
    assert_eq!(fault(&answer, b""), "it is empty");
}
