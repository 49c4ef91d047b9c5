//! Tests of the grammar of placeholders.

use proptest::prelude::*;

use super::*;

/// The pieces of a text, those of placeholders in angle brackets; or its faults.
fn pieces(text: &str) -> Vec<String> {
    match parse(text, &[]) {
        Ok(pieces) => pieces
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(text) => text,
                Piece::Value(value) => format!("<{}>", value.text),
            })
            .collect(),
        Err(faults) => faults,
    }
}

#[test]
fn a_text_is_divided_at_its_placeholders() {
    assert_eq!(
        pieces("/items/{random:1:9}?n={sequence:1}"),
        ["/items/", "<{random:1:9}>", "?n=", "<{sequence:1}>"]
    );
    assert_eq!(pieces("{uuid}{now}"), ["<{uuid}>", "<{now}>"]);
    assert_eq!(pieces(""), [""]);
}

#[test]
fn braces_that_are_no_placeholder_are_braces() {
    for text in [
        r#"{"a":{"b":[{}]},"c":{}}"#,
        "{ uuid }",
        "{1}",
        "{_a}",
        "{}",
        "{a b}",
        "a { b } }",
        "{é}",
        "{name",
        "{a:{",
        "{a=",
        "{a=1}",
        "{a=b",
        "{a = b}",
        "{a:\n}",
        "${uuid} ${any:1}",
    ] {
        assert_eq!(pieces(text), [text]);
        assert_eq!(found_in(text, &[]), Ok(false), "{text}");
    }
}

#[test]
fn doubled_braces_stand_for_the_text_of_a_placeholder() {
    assert_eq!(pieces("{{uuid}} {{any.name:1}}"), ["{uuid} {any.name:1}"]);
    assert_eq!(pieces("{{{uuid}}} ${{uuid}}"), ["{{uuid}} ${uuid}"]);
    assert_eq!(pieces("{{uuid}"), ["{", "<{uuid}>"]);
    assert_eq!(pieces("{uuid}}"), ["<{uuid}>", "}"]);
    assert_eq!(found_in("{{uuid}}", &[]), Ok(true));
}

#[test]
fn a_placeholder_may_have_a_name_of_its_own() {
    let names = ["users.id".to_owned()];
    let pieces = parse("/{id=random:1:9}/{who=users.id}/{uuid}", &names).unwrap();
    let found = pieces.iter().filter_map(|piece| match piece {
        Piece::Value(value) => Some((value.name.as_deref(), value.text.as_str())),
        Piece::Text(_) => None,
    });
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            (Some("id"), "{id=random:1:9}"),
            (Some("who"), "{who=users.id}"),
            (None, "{uuid}")
        ]
    );
    for (text, fault) in [
        (
            "{uuid=now}",
            "`uuid` is a placeholder: expected another name before `=`",
        ),
        (
            "{a.b=now}",
            "`a.b`: expected a name of letters, digits and `_` before `=`",
        ),
        ("{a=randm:1:9}", "`randm` is no placeholder: expected"),
        (
            "{a=now:ms}",
            "the time of sending is not kept, so it has no name: expected `{now}`",
        ),
        ("{a=b=now}", "{a=b=now}"),
    ] {
        let said = parse(text, &names).map_or_else(|faults| faults[0].clone(), |_| text.into());
        assert!(said.contains(fault), "{said}");
    }
    assert_eq!(literal("{id=uuid}"), "{{id=uuid}}");
}

#[test]
fn faults_have_their_place_and_are_reported_together() {
    assert_eq!(
        pieces("/{id}/é{random:2:1}"),
        [
            "column 2: `{id}`: `id` is no placeholder: expected `{random:LOW:HIGH}`, `{sequence:START}`, `{zipf:LOW:HIGH:EXPONENT}`, `{choice:A,B,…}`, `{uuid}` or `{now}`; write `{{id}}` for the text itself",
            "column 8: `{random:2:1}`: expected LOW up to HIGH, as in `{random:1:10000}`",
        ]
    );
    assert_eq!(
        pieces("{\n  \"a\": {uuid:4}\n}"),
        ["line 2, column 8: `{uuid:4}`: expected no argument"]
    );
    assert_eq!(
        pieces("/{random:1:10"),
        ["column 2: `{random` is not closed: expected `}` on the same line"]
    );
    assert_eq!(pieces(&"{x}".repeat(50)).len(), MOST_FAULTS);
    let many = "{uuid}".repeat(MOST + 1);
    assert_eq!(
        pieces(&many),
        ["1001 placeholders: expected at most 1000".to_owned()]
    );
}

#[test]
fn known_names_are_placeholders_without_arguments_and_are_listed_for_one_that_is_unknown() {
    let names: Vec<String> = (0..25).map(|number| format!("users.{number}")).collect();
    let pieces = parse("/{users.7}{uuid}", &names).unwrap();
    let [Piece::Text(_), Piece::Value(looked_up), Piece::Value(made)] = &pieces[..] else {
        panic!("{pieces:?}");
    };
    assert_eq!(
        (&looked_up.value, &made.value),
        (&Value::Named(7), &Value::Made(Kind::Uuid))
    );
    let faults = parse("{users.7:1} {users.email}", &names).unwrap_err();
    assert_eq!(faults[0], "column 1: `{users.7:1}`: expected no argument");
    let known = "or a known name: `{users.0}`, `{users.1}`";
    assert!(faults[1].starts_with("column 13: `{users.email}`: `users.email` is no placeholder"));
    assert!(faults[1].contains(known) && faults[1].contains("`{users.19}` and 5 more; write"));
    assert_eq!(found_in("{users.3}", &names), Ok(true));
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic_and_nothing_of_it_is_lost(
        text in r#"([{}:,."a-z0-9é\n]|\{uuid\}|\{random:1:9\}|\{\{now\}\}){0,40}"#,
    ) {
        if let Ok(pieces) = parse(&text, &[]) {
            let again: String = pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => text.clone(),
                    Piece::Value(value) => value.text.clone(),
                })
                .collect();
            // Only braces that are doubled are gone.
            let gone = text.len() - again.len();
            prop_assert_eq!(gone % 2, 0);
            let escaped = text.matches("{{").count().min(text.matches("}}").count());
            prop_assert!(gone / 2 <= escaped);
        }
    }

    #[test]
    fn a_literal_text_is_sent_as_it_is(text in r"([{}:a1$]|\{uuid\}|\{now\}){0,20}") {
        prop_assert_eq!(parse(&literal(&text), &[]), Ok(vec![Piece::Text(text)]));
    }

    #[test]
    fn the_text_of_each_placeholder_is_a_placeholder(low in any::<i64>(), more in any::<u64>()) {
        let high = low.saturating_add_unsigned(more);
        let text = format!("{{random:{low}:{high}}}");
        prop_assert_eq!(pieces(&text), vec![format!("<{text}>")]);
        prop_assert_eq!(pieces(&format!("{{{text}}}")), vec![text]);
    }
}

#[test]
fn the_own_names_of_a_text_are_those_of_its_placeholders() {
    let text = "/{id=random:1:9}/{uuid}?n={n=sequence:1}&{{x=uuid}}";
    assert_eq!(own_names(text, &[]), ["id", "n"]);
    assert!(own_names("/{id=random:1:9}/{unknown}", &[]).is_empty());
}
