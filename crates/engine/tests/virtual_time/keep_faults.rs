//! Plans that keep values from replies and have faults.

use engine::CompiledPlan;
use serde_json::{Value, json};

use crate::kept_values::{keep, plan, token, with_token};
use crate::recording::sessions;

const KEPT: &str = "request `POST /login` keeps `token` for later calls of its session";

/// The faults of a plan that keeps these values.
fn faults(keep: &Value, more: Value) -> String {
    let plan = plan(keep, with_token(), json!({}), more);
    let faults = CompiledPlan::new(&plan).err();
    faults.map_or_else(String::new, |error| error.message)
}

#[test]
fn values_are_kept_only_in_sessions_with_an_order() {
    assert_eq!(
        faults(&token(), json!({"scripts": null})),
        format!("{KEPT}, which has no order: expected `scripts` in the plan")
    );
    let closed = json!({"kind": "closed", "connections": 1});
    assert_eq!(
        faults(&token(), json!({"scripts": null, "load": closed})),
        format!("{KEPT}, with the load `closed`: expected the load `sessions`")
    );
    let trace = json!({"trace": {"most_bytes": 1, "requests": null, "replies": null}});
    assert_eq!(
        faults(&token(), trace),
        format!("{KEPT}, which a trace would show: expected no trace")
    );
}

#[test]
fn a_value_that_is_used_before_it_is_kept_is_a_fault() {
    for (scripts, early) in [
        (json!([[{"requests": [0]}, {"requests": [1]}]]), false),
        (json!([[{"requests": [1]}, {"requests": [0]}]]), true),
        (json!([[{"requests": [0, 1]}]]), true),
        (json!([[{"requests": [0, 1], "first_alone": true}]]), false),
        (
            json!([[{"requests": [0]}, {"requests": [1]}], [{"requests": [1]}]]),
            true,
        ),
    ] {
        let words = if early {
            "request `GET /me`: `{token}` is used before a call of its session has kept it"
        } else {
            ""
        };
        assert_eq!(faults(&token(), json!({"scripts": scripts})), words);
    }
}

#[test]
fn names_and_sources_with_faults_are_listed_with_their_request() {
    let wrong = json!([
        keep("token", "json", "access_token"),
        keep("token", "regex", "a"),
        keep("a.b", "header", "X"),
        keep("uuid", "header", "a b"),
        keep("x", "cookie", ""),
    ]);
    let found = faults(&wrong, json!({}));
    let expected = [
        "`token`: `access_token` is no JSON pointer: expected one such as `/access_token`",
        "`token` is kept twice: expected another name for each value",
        "`token`: the regular expression has no group",
        "`a.b` is no name of a value: expected a letter, then letters, digits and `_`",
        "`uuid` is a placeholder of its own",
        "`uuid`: `a b` is no name of a header",
        "`x`: `` is no name of a cookie",
    ];
    assert_eq!(found.lines().count(), expected.len());
    for (line, expected) in found.lines().zip(expected) {
        assert!(
            line.starts_with(&format!("request `POST /login`: {expected}")),
            "{line}"
        );
    }
}

#[test]
fn values_are_bounded_and_a_reply_without_a_body_has_none_in_it() {
    let many: Vec<Value> = (0..21)
        .map(|number| keep(&format!("v{number}"), "header", "X"))
        .collect();
    let words = "21 values are kept: expected at most 20";
    assert!(faults(&json!(many), json!({})).contains(words));
    let head = json!([{"method": "HEAD", "path": "/", "keep": token()}]);
    let more = json!({"requests": head, "scripts": [[{"requests": [0]}]]});
    let fault = CompiledPlan::new(&sessions(json!({}), more)).unwrap_err();
    let words = "a reply to HEAD has no body: expected `header` or `cookie`";
    assert!(fault.message.ends_with(words), "{}", fault.message);
}
