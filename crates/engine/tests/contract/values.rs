//! The values of placeholders, as a server receives them.

use std::collections::HashMap;

use engine::Part;
use serde_json::{Value, json};

use crate::collector::{Collector, Received};
use crate::http2::streams;
use crate::rig::{Rig, closed, measure, requests, sessions};

/// The requests that a server receives from a run of this plan, whose calls are all answered.
pub fn sent(rig: &Rig, load: &Value, more: &Value, parts: u32) -> Vec<Received> {
    let collector = Collector::start();
    let mut fields = json!({"target": collector.target()});
    fields
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let plan = rig.plan(load, &fields);
    for index in 0..parts {
        let part = (parts > 1).then_some(Part { index, of: parts });
        let measured = measure(&engine::Plan {
            part,
            ..plan.clone()
        });
        assert_eq!(
            measured["calls"]["ok"], measured["calls"]["due"],
            "{measured}"
        );
    }
    collector.take()
}

pub fn numbers(requests: &[Received], prefix: &str) -> Vec<u64> {
    let number = |one: &Received| one.path.strip_prefix(prefix).unwrap().parse().unwrap();
    requests.iter().map(number).collect()
}

fn varied(path: &str) -> Value {
    json!([{"path": path, "placeholders": true}])
}

pub fn a_sequence_has_no_gap_and_no_number_twice(rig: &Rig) {
    let requests_of = |load: &Value, more: &Value, parts| {
        let mut fields = json!({"requests": varied("/{sequence:1}")});
        fields
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let mut found = numbers(&sent(rig, load, &fields, parts), "/");
        found.sort_unstable();
        found
    };
    let all: Vec<u64> = (1..=1000).collect();
    for (load, more) in [
        (closed(1), json!({})),
        (closed(6), json!({"threads": 3})),
        (closed(6), json!({"burst": 5, "threads": 2})),
        (closed(4), json!({"keep_alive": false})),
        (requests(5000.0, 16), json!({"threads": 3})),
        (
            sessions(500.0, 4),
            json!({"stop": {"count": 250}, "threads": 2}),
        ),
        (closed(3), streams(7, json!({"threads": 3}))),
        (requests(5000.0, 4), streams(4, json!({"threads": 2}))),
        (
            sessions(500.0, 4),
            streams(2, json!({"stop": {"count": 250}, "burst": 4})),
        ),
    ] {
        assert_eq!(requests_of(&load, &more, 1), all, "{load} {more}");
    }
    assert_eq!(
        requests_of(&closed(4), &json!({"threads": 2}), 2),
        all,
        "two load generators"
    );
}

pub fn random_numbers_are_even_and_those_of_their_seed(rig: &Rig) {
    let run = |seed: u64, threads: u32, parts: u32, over: Value| {
        let mut more = json!({
            "requests": varied("/{random:1:50}"), "seed": seed, "threads": threads,
            "stop": {"count": 5000, "duration_s": 20.0},
        });
        let more = more.as_object_mut().unwrap();
        more.extend(over.as_object().unwrap().clone());
        let more = Value::Object(std::mem::take(more));
        let mut counts: HashMap<u64, u64> = HashMap::new();
        for number in numbers(&sent(rig, &closed(4), &more, parts), "/") {
            *counts.entry(number).or_default() += 1;
        }
        counts
    };
    let counts = run(1, 2, 1, json!({}));
    assert!(counts.keys().all(|number| (1..=50).contains(number)));
    let chi: f64 = (1..=50)
        .map(|number| (counts.get(&number).copied().unwrap_or(0) as f64 - 100.0).powi(2) / 100.0)
        .sum();
    // The chance of more is 1 in 1,000: chi-square with 49 degrees of freedom.
    assert!(chi < 85.4, "{chi}");
    let same = [
        (1, 1, json!({}), "one thread"),
        (1, 2, json!({}), "two load generators"),
        (2, 1, streams(5, json!({})), "HTTP/2"),
    ];
    for (threads, parts, over, what) in same {
        assert_eq!(run(1, threads, parts, over), counts, "{what}: the same");
    }
    assert_ne!(run(2, 2, 1, json!({})), counts);
}

pub fn bodies_of_any_width_arrive_whole(rig: &Rig) {
    let body = r#"{"id": {sequence:95}, "name": "{choice:a,bb,ccc}", "note": "{{x}}"}"#;
    let request = json!({
        "method": "POST", "path": "/orders?id={sequence:95}", "placeholders": true,
        "headers": [["Content-Type", "application/json"], ["X-Id", "{sequence:95}"]],
        "body": {"text": body},
    });
    for more in [
        json!({}),
        json!({"burst": 7}),
        json!({"keep_alive": false, "stop": {"count": 50}}),
        streams(4, json!({})),
        streams(4, json!({"http2": {"streams": 4, "encoder_table": 4096}})),
    ] {
        let mut fields = json!({"requests": [request, {"path": "/fixed"}]});
        fields
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let all = sent(rig, &closed(3), &fields, 1);
        let (orders, fixed): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|one| one.path.starts_with("/orders?id="));
        assert!(
            fixed
                .iter()
                .all(|one| one.path == "/fixed" && one.body.is_empty())
        );
        assert_eq!(orders.len(), fixed.len());
        for order in orders {
            let found: Value = serde_json::from_str(&order.body).unwrap();
            let id = found["id"].as_u64().unwrap();
            assert_eq!(order.path, format!("/orders?id={id}"));
            let head = order.head.to_lowercase();
            assert!(head.contains(&format!("x-id: {id}\r\n")));
            assert!(head.contains(&format!("content-length: {}\r\n", order.body.len())));
            assert_eq!(found["note"], "{x}");
            assert!(["a", "bb", "ccc"].contains(&found["name"].as_str().unwrap()));
        }
    }
}

pub fn the_trace_has_the_values_and_messages_the_template(rig: &Rig) {
    let collector = Collector::start();
    let fields = json!({
        "target": collector.target(), "stop": {"count": 3},
        "requests": [{
            "path": "/{sequence:7}", "placeholders": true,
            "expect": {"body": {"text": "{sequence:7}"}},
        }],
        "trace": {"requests": "head"},
    });
    let run = engine::start(&rig.plan(&closed(1), &fields)).unwrap();
    let measured = serde_json::to_value(run.result().unwrap()).unwrap();
    let failure = measured["first_failure"].as_str().unwrap();
    assert!(failure.contains("GET /{sequence:7}: "), "{failure}");
    let parts = run.trace().unwrap();
    for (call, (_, _, bytes)) in parts.iter().enumerate() {
        assert!(bytes.starts_with(format!("GET /{} HTTP/1.1\r\n", call + 7).as_bytes()));
    }
    assert_eq!(parts.len(), 3);
}
