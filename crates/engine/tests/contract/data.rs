//! The values of data files, as a server receives them.

use engine::Plan;
use serde_json::{Value, json};

use crate::collector::{Collector, Received};
use crate::http2::streams;
use crate::rig::{Rig, Scratch, closed, requests, sessions};
use crate::values::{numbers, sent};

/// A file of so many rows: an id from 1 on, and a name.
fn users(rig: &Rig, test: &str, rows: u64) -> Scratch {
    let lines: Vec<String> = (1..=rows).map(|row| format!("{row},user {row}")).collect();
    let name = format!("{}-{test}.csv", rig.driver);
    Scratch::file(&name, format!("id,name\n{}", lines.join("\n")).as_bytes())
}

fn data(file: &Scratch, order: &str) -> Value {
    json!([{"name": "users", "file": file.0, "order": order}])
}

fn with(more: &Value, path: &str, data: &Value) -> Value {
    let mut fields = json!({"requests": [{"path": path, "placeholders": true}], "data": data});
    fields
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    fields
}

pub fn rows_come_in_order_and_again_from_the_first(rig: &Rig) {
    let file = users(rig, "order", 30);
    let more = with(
        &json!({"stop": {"count": 70}}),
        "/{users.id}",
        &data(&file, "in_order"),
    );
    let found = numbers(&sent(rig, &closed(1), &more, 1), "/");
    let expected: Vec<u64> = (0..70).map(|call| call % 30 + 1).collect();
    assert_eq!(found, expected);
}

pub fn each_row_is_sent_once_and_then_the_run_ends(rig: &Rig) {
    let file = users(rig, "once", 500);
    let all: Vec<u64> = (1..=500).collect();
    for (load, more, parts) in [
        (closed(1), json!({}), 1),
        (closed(6), json!({"threads": 2}), 1),
        (closed(6), json!({"threads": 2, "burst": 7}), 1),
        (closed(6), json!({"threads": 2, "warm_up_s": 0.01}), 1),
        (requests(20_000.0, 8), json!({"threads": 2}), 1),
        (closed(4), json!({"threads": 2}), 3),
        (closed(3), streams(4, json!({"threads": 2})), 1),
        (requests(20_000.0, 2), streams(4, json!({})), 2),
    ] {
        let mut more = with(&more, "/{users.id}", &data(&file, "once"));
        more["stop"] = json!({"duration_s": 60.0});
        let mut found = numbers(&sent(rig, &load, &more, parts), "/");
        found.sort_unstable();
        assert_eq!(found, all, "{load} {more}");
    }
}

pub fn a_session_has_one_row_for_all_its_calls(rig: &Rig) {
    let file = users(rig, "sessions", 120);
    let more = json!({
        "requests": [
            {"path": "/{users.id}", "placeholders": true},
            {"path": "/again", "placeholders": true, "headers": [["X-User", "{users.name}"]]},
        ],
        "scripts": [[{"requests": [0, 1]}, {"requests": [0]}, {"requests": [1]}]],
        "data": data(&file, "once"), "threads": 2, "stop": {"duration_s": 60.0},
    });
    let of_streams = streams(3, more.clone());
    for more in [more, of_streams] {
        check_rows_of_sessions(rig, &more);
    }
}

fn check_rows_of_sessions(rig: &Rig, more: &Value) {
    let all = sent(rig, &sessions(2000.0, 4), more, 1);
    let (first, again): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.path != "/again");
    let mut ids = numbers(&first, "/");
    ids.sort_unstable();
    let expected: Vec<u64> = (2..=241).map(|twice| twice / 2).collect();
    assert_eq!(ids, expected);
    for id in 1..=120 {
        let header = format!("x-user: user {id}\r\n");
        let has = |one: &&Received| one.head.to_lowercase().contains(&header);
        let of_user = again.iter().filter(has);
        assert_eq!(of_user.count(), 2, "{header}");
    }
}

pub fn a_plan_with_wrong_data_is_refused_with_all_its_faults(rig: &Rig) {
    let file = users(rig, "faults", 3);
    let refused = |more: &Value| {
        let plan: Plan = rig.plan(&closed(1), more);
        engine::start(&plan).err().unwrap().message
    };
    let shown = file.0.display();
    let counted = with(
        &json!({"stop": {"count": 4}}),
        "/{users.id}",
        &data(&file, "once"),
    );
    assert_eq!(
        refused(&counted),
        format!(
            "`{shown}` has 3 rows, each of which is used once: expected at most 3 calls, not 4"
        )
    );
    let fault = refused(&with(&json!({}), "/{users.mail}", &data(&file, "random")));
    assert!(fault.contains("path, column 2: `{users.mail}`: `users.mail` is no placeholder"));
    assert!(
        fault.contains("or a known name: `{users.id}`, `{users.name}`"),
        "{fault}"
    );
    let missing =
        json!([{"name": "users", "file": "/nowhere.csv"}, {"name": "a b", "file": file.0}]);
    let fault = refused(&with(&json!({"burst": 0}), "/", &missing));
    for one in [
        "burst `0`",
        "`/nowhere.csv` cannot be read",
        "data file is `a b`",
    ] {
        assert!(fault.contains(one), "{fault}");
    }
}

pub fn a_call_that_is_computed_again_is_the_one_that_was_sent(rig: &Rig) {
    let file = users(rig, "again", 40);
    let collector = Collector::start();
    let more = with(
        &json!({"target": collector.target(), "stop": {"count": 50}, "seed": 7}),
        "/{users.id}?n={users.name}",
        &data(&file, "random"),
    );
    let plan = rig.plan(&closed(1), &more);
    engine::start(&plan).unwrap().result().unwrap();
    for (call, received) in (0..).zip(collector.take()) {
        let bytes = engine::request_bytes(&plan, 0, call).unwrap();
        let begin = format!("GET {} HTTP/1.1\r\n", received.path);
        assert!(bytes.starts_with(begin.as_bytes()), "{begin}");
    }
}
