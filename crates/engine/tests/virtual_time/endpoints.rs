//! The counters of each endpoint, and their sums.

use driver::{Act, Nanos};
use engine::simulation::{Counters, with_counters};
use engine::{Part, Plan, merge};
use proptest::prelude::*;
use serde_json::{Value, json};
use tally::Packed;

use crate::server::{MS, Server, close_to, plan, pong_after, requests, run};

fn several(load: Value, mut more: Value) -> Plan {
    more["requests"] = json!([
        {"path": "/items?page=1"}, {"path": "/orders", "method": "POST"}, {"path": "/items?page=2"},
    ]);
    plan(load, more)
}

fn packed(counters: &Counters) -> Vec<u8> {
    let mut bytes = Vec::new();
    counters.pack(&mut bytes);
    bytes
}

fn measured(plan: &Plan, counters: &Counters) -> Value {
    let found = merge(plan, &[with_counters(plan, &packed(counters))]).unwrap();
    serde_json::to_value(found).unwrap()
}

/// Every third request is slow and wrong.
fn order_after(number: usize, _: Nanos) -> Vec<(Nanos, Act)> {
    if number % 3 == 1 {
        let error = b"HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno";
        return vec![(5 * MS, Act::Reply(error.to_vec()))];
    }
    pong_after(2 * MS)
}

#[test]
fn each_endpoint_has_its_own_calls_statuses_bytes_and_times() {
    let plan = several(
        json!({"kind": "closed", "connections": 1}),
        json!({"stop": {"count": 300}}),
    );
    let (counters, _) = run(&plan, Server::answering(order_after));
    let found = measured(&plan, &counters);
    let (items, orders) = (&found["endpoints"][0], &found["endpoints"][1]);
    assert_eq!(found["endpoints"].as_array().unwrap().len(), 2);
    assert_eq!(items["name"], "GET /items");
    assert_eq!(
        items["calls"],
        json!({"ok": 200, "wrong_status": 0, "wrong_body": 0, "errors": {}, "in_flight": 0, "unsent": 0})
    );
    assert_eq!(items["statuses"], json!({"200": 200}));
    // The last reply ends the window of a counted run, and is not inside.
    assert_eq!(
        items["body_bytes"],
        found["body_bytes"].as_u64().unwrap() - 2 * 100
    );
    assert!(close_to(
        items["response"]["p99_ns"].as_u64().unwrap(),
        2 * MS
    ));
    assert!(close_to(
        items["service"]["p99_ns"].as_u64().unwrap(),
        2 * MS
    ));
    assert_eq!(items["percentiles"][2]["quantile"], 0.99);
    assert_eq!(orders["name"], "POST /orders");
    assert_eq!(orders["calls"]["wrong_status"], 100);
    assert_eq!(orders["statuses"], json!({"500": 100}));
    assert_eq!(orders["body_bytes"], 200);
    assert_eq!(orders["response"]["count"], 0);
}

#[test]
fn calls_that_time_out_or_are_never_begun_belong_to_their_endpoints() {
    // One call in four is answered, each third one never: the others wait until the stop.
    fn answer(number: usize, _: Nanos) -> Vec<(Nanos, Act)> {
        if number % 3 == 1 {
            vec![]
        } else {
            pong_after(40 * MS)
        }
    }
    let more = json!({"timeouts": {"reply_s": 0.1}, "stop": {"duration_s": 1.0, "drain_s": 0.01}});
    let plan = several(requests(100.0, 1), more);
    let (counters, _) = run(&plan, Server::answering(answer));
    assert!(counters.calls.unsent > 50);
    let each = &counters.endpoints.as_ref().unwrap().each;
    // 100 calls fell due, of which the rotation has 67 items and 33 orders.
    let due = |one: usize| {
        let calls = &each[one].calls;
        calls.ok + calls.errors.iter().sum::<u64>() + calls.in_flight + calls.unsent
    };
    assert_eq!((due(0), due(1)), (67, 33));
    assert_eq!(each[1].calls.ok, 0);
    assert_eq!(each[1].response.count(), 33);
    assert_eq!(each[0].response.count() + 33, counters.response.count());
}

/// 100 calls per second for 10 s, 2 s of them warm-up, then 200 for 10.5 s; the window ends in the second step.
fn in_steps(load: &mut Value) -> Value {
    load["arrivals"]["segments"] = json!([
        {"from_per_s": 100.0, "to_per_s": 100.0, "seconds": 10.0},
        {"from_per_s": 200.0, "to_per_s": 200.0, "seconds": 10.5},
        {"from_per_s": 50.0, "to_per_s": 50.0},
    ]);
    json!({"warm_up_s": 2.0, "stop": {"duration_s": 15.5, "drain_s": 1.0}, "timeouts": {"reply_s": 0.4}})
}

#[test]
fn each_step_of_the_rate_has_the_calls_and_times_of_each_endpoint() {
    /// Orders are slow from 10 s on, and one in ten of them is never answered.
    fn answer(number: usize, at: Nanos) -> Vec<(Nanos, Act)> {
        match (number % 3, at / MS) {
            (1, 10_000..) if number.is_multiple_of(10) => vec![],
            (1, 10_000..) => pong_after(50 * MS),
            _ => pong_after(2 * MS),
        }
    }
    let mut load = requests(100.0, 200);
    let more = in_steps(&mut load);
    let plan = several(load, more);
    let (counters, _) = run(&plan, Server::answering(answer));
    let found = measured(&plan, &counters);
    let steps = |at: usize| found["endpoints"][at]["steps"].as_array().unwrap().clone();
    let (items, orders) = (steps(0), steps(1));
    assert_eq!((items.len(), orders.len()), (2, 2));
    for (step, begins, ends, per_s) in [(0, -2.0, 8.0, 100.0), (1, 8.0, 18.5, 200.0)] {
        assert_eq!(orders[step]["begins_s"], begins);
        assert_eq!(orders[step]["ends_s"], ends);
        assert_eq!(orders[step]["from_per_s"], per_s);
        assert_eq!(orders[step]["to_per_s"], per_s);
    }
    // 8 s of the window in the first step; 7.5 s in the second, of which 7 are whole.
    assert_eq!(
        (&orders[0]["seconds"], &orders[1]["seconds"]),
        (&json!(8), &json!(7))
    );
    let p99 = |step: &Value| step["percentiles"][2]["value_ns"].as_u64().unwrap();
    let near = |ns: u64, expected: u64| ns.abs_diff(expected) <= expected / 100;
    assert!(near(p99(&orders[0]), 2 * MS) && near(p99(&items[1]), 2 * MS));
    // Calls that timed out are among the times, at their age.
    assert!(near(p99(&orders[1]), 400 * MS), "{}", p99(&orders[1]));
    assert!(near(
        orders[1]["percentiles"][0]["value_ns"].as_u64().unwrap(),
        50 * MS
    ));
    assert!(orders[1]["percentiles"][2]["design_effect"].is_number());
    let (ok, failed) = (&orders[1]["ok"], &orders[1]["failed"]);
    let (ok, failed) = (ok.as_u64().unwrap(), failed.as_u64().unwrap());
    assert!(
        (415..=425).contains(&ok) && (40..=48).contains(&failed),
        "{ok} {failed}"
    );
    assert_eq!(orders[1]["throughput_per_s"], ok as f64 / 7.0);
    assert_eq!(orders[1]["body_bytes"], 4 * ok);
    assert_eq!(items[0]["failed"], 0);
}

#[test]
fn steps_of_several_machines_are_those_of_one() {
    let mut load = requests(100.0, 200);
    let more = in_steps(&mut load);
    let whole = several(load, more);
    let part = |index, of| {
        let plan = Plan {
            part: Some(Part { index, of }),
            ..whole.clone()
        };
        let (counters, _) = run(&plan, Server::answering(|_, _| pong_after(2 * MS)));
        with_counters(&plan, &packed(&counters))
    };
    let of = |results: &[Vec<u8>]| serde_json::to_value(merge(&whole, results).unwrap()).unwrap();
    let (one, two) = (of(&[part(0, 1)]), of(&[part(0, 2), part(1, 2)]));
    for endpoint in [0, 1] {
        for step in [0, 1] {
            let place = format!("/endpoints/{endpoint}/steps/{step}/ok");
            let (one, two) = (one.pointer(&place).unwrap(), two.pointer(&place).unwrap());
            assert!(
                one.as_u64().unwrap().abs_diff(two.as_u64().unwrap()) <= 2,
                "{place}"
            );
        }
    }
}

#[test]
fn a_rate_that_does_not_change_has_no_steps() {
    let plan = several(requests(100.0, 4), json!({}));
    let (counters, _) = run(&plan, Server::answering(|_, _| pong_after(MS)));
    assert_eq!(
        measured(&plan, &counters)["endpoints"][0]["steps"],
        json!([])
    );
}

#[test]
fn a_plan_with_one_endpoint_keeps_no_counters_of_it() {
    let plan = plan(json!({"kind": "closed", "connections": 1}), json!({}));
    let (counters, _) = run(&plan, Server::answering(|_, _| pong_after(MS)));
    assert!(counters.endpoints.is_none());
    assert_eq!(measured(&plan, &counters)["endpoints"], json!([]));
}

#[test]
fn endpoints_of_a_result_that_the_plan_has_not_are_refused() {
    let load = json!({"kind": "closed", "connections": 1});
    let plan = several(load.clone(), json!({}));
    let (mut counters, _) = run(&plan, Server::answering(|_, _| pong_after(MS)));
    let all = counters.endpoints.as_mut().unwrap();
    all.each.push(all.each[0].clone());
    let refused = merge(&plan, &[with_counters(&plan, &packed(&counters))]).unwrap_err();
    assert!(
        refused.message.contains("another number of endpoints"),
        "{}",
        refused.message
    );
    let all = counters.endpoints.as_mut().unwrap();
    let one = all.each[0].clone();
    all.each.resize(202, one);
    let refused = merge(&plan, &[with_counters(&plan, &packed(&counters))]).unwrap_err();
    assert!(refused.message.contains("too long"), "{}", refused.message);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn endpoints_add_up_to_the_whole_on_one_machine_and_on_several(
        per_s in 20..400_u32, connections in 4..9_u32, of in 1..4_u32, burst in 1..4_u32, warm_up: bool,
    ) {
        let more = json!({
            "burst": burst, "warm_up_s": if warm_up { 0.2 } else { 0.0 },
            "stop": {"duration_s": 0.7, "drain_s": 0.02}, "timeouts": {"reply_s": 0.05},
        });
        let whole = several(requests(f64::from(per_s), connections), more);
        let part = |index| {
            let plan = Plan { part: Some(Part { index, of }), ..whole.clone() };
            let (counters, _) = run(&plan, Server::answering(|number, _| match number % 7 {
                2 => vec![],
                3 => vec![(MS, Act::Reset)],
                5 => order_after(1, 0),
                _ => pong_after(9 * MS),
            }));
            with_counters(&plan, &packed(&counters))
        };
        let results: Vec<Vec<u8>> = (0..of).map(part).collect();
        let found = serde_json::to_value(merge(&whole, &results).unwrap()).unwrap();
        let each = found["endpoints"].as_array().unwrap();
        let total = |of: &dyn Fn(&Value) -> &Value| {
            each.iter().map(|one| of(one).as_u64().unwrap_or(0)).sum::<u64>()
        };
        for name in ["ok", "wrong_status", "wrong_body", "in_flight", "unsent"] {
            prop_assert_eq!(total(&|one| &one["calls"][name]), found["calls"][name].as_u64().unwrap(), "{}", name);
        }
        for class in ["reset", "reply_timeout", "early_close"] {
            let all = found["calls"]["errors"][class].as_u64().unwrap_or(0);
            prop_assert_eq!(total(&|one| &one["calls"]["errors"][class]), all, "{}", class);
        }
        for field in ["body_bytes", "completed_in_window"] {
            prop_assert_eq!(total(&|one| &one[field]), found[field].as_u64().unwrap(), "{}", field);
        }
        for time in ["response", "service"] {
            let (all, censored) = (&found["times"][time]["count"], &found["times"][time]["censored"]);
            prop_assert_eq!(total(&|one| &one[time]["count"]), all.as_u64().unwrap());
            prop_assert_eq!(total(&|one| &one[time]["censored"]), censored.as_u64().unwrap());
        }
    }
}
