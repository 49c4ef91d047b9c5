//! Unary calls of gRPC to the reference server.

use serde_json::{Value, json};

use crate::rig::{Rig, closed, requests};

/// 1,000 calls for the sum of 1 and 2.
fn sums(query: &str, more: &Value) -> Value {
    let mut plan = json!({
        "http": "2", "http2": {"streams": 4},
        "requests": [{
            "method": "POST", "path": format!("/httpdyno.Reference/GetSum{query}"), "grpc": true,
            "headers": [["content-type", "application/grpc"], ["te", "trailers"]],
            "body": {"base64": "AAAAAAQIARAC"},
            "expect": {"status": [200], "body": {"base64": "AAAAAAIIAw=="}},
        }],
    });
    let (Value::Object(fields), Value::Object(more)) = (&mut plan, more) else {
        unreachable!("both are objects");
    };
    fields.extend(more.clone());
    plan
}

pub fn each_load_gets_exactly_its_statuses(rig: &Rig) {
    let mut seen = 0;
    for (load, more) in [
        (closed(4), json!({})),
        (closed(3), json!({"threads": 2})),
        (requests(5000.0, 4), json!({})),
        (
            json!({"kind": "sessions", "calls": 10, "max_open": 5, "arrivals": null}),
            json!({"burst": 8, "stop": {"count": 100}}),
        ),
    ] {
        let measured = rig.run(&load, &sums("", &more));
        seen += 1000;
        assert_eq!(measured["calls"]["ok"], 1000, "{load} {measured}");
        assert_eq!(measured["grpc"], json!({"statuses": {"OK": 1000}}));
        assert_eq!(rig.server.requests(), seen);
    }
}

pub fn statuses_and_faults_are_told_apart(rig: &Rig) {
    let measured = rig.run(&closed(4), &sums("?fault=grpc:14&share=0.25", &json!({})));
    let (calls, statuses) = (&measured["calls"], &measured["grpc"]["statuses"]);
    let failed = calls["errors"]["grpc_status"].as_u64().unwrap();
    assert!((150..350).contains(&failed), "{calls}");
    assert_eq!(
        statuses,
        &json!({"OK": 1000 - failed, "UNAVAILABLE": failed})
    );
    let first = measured["first_failure"].as_str().unwrap();
    assert!(
        first.ends_with("grpc-status 14 (UNAVAILABLE): as the fault says"),
        "{first}"
    );

    for (fault, outcome, statuses) in [
        ("half", "/errors/stream_reset", json!({})),
        ("status:503", "/wrong_status", json!({})),
    ] {
        let measured = rig.run(&closed(4), &sums(&format!("?fault={fault}"), &json!({})));
        assert_eq!(
            measured["calls"].pointer(outcome),
            Some(&json!(1000)),
            "{measured}"
        );
        assert_eq!(measured["grpc"], json!({"statuses": statuses}));
    }
}
