//! The counts of calls: in the plan, at the server, and in the measurement.

use std::time::Duration;

use engine::Phase;
use serde_json::json;

use crate::rig::{Rig, closed, requests, sessions};

pub fn each_load_sends_exactly_its_count(rig: &Rig) {
    let mut seen = 0;
    for (load, more, calls) in [
        (closed(16), json!({}), 1000),
        (closed(16), json!({"burst": 7}), 1000),
        (closed(8), json!({"keep_alive": false}), 1000),
        (closed(8), json!({"http": "1.0", "keep_alive": false}), 1000),
        (closed(8), json!({"http": "1.0"}), 1000),
        (closed(8), json!({"calls_per_connection": 3}), 1000),
        (requests(5000.0, 32), json!({}), 1000),
        (requests(5000.0, 32), json!({"burst": 3, "seed": 3}), 1000),
        (
            sessions(500.0, 10),
            json!({"stop": {"count": 100}, "burst": 5}),
            1000,
        ),
        (
            sessions(500.0, 5),
            json!({"stop": {"count": 200}, "think_s": 0.001}),
            1000,
        ),
        (
            json!({"kind": "sessions", "arrivals": null, "calls": 10, "max_open": 8, "cookies": true}),
            json!({"stop": {"count": 100}, "burst": 5}),
            1000,
        ),
        (
            json!({"kind": "sessions", "arrivals": null, "max_open": 4, "on_close": "resend", "most_connections": 2}),
            json!({"stop": {"count": 200}, "keep_alive": false, "scripts": [[{"requests": [0, 0, 0]}, {"requests": [0, 0]}]]}),
            1000,
        ),
    ] {
        let measured = rig.run(&load, &more);
        assert_eq!(measured["calls"]["ok"], calls, "{load} {more}: {measured}");
        assert_eq!(measured["stopped_by"], "count");
        let asked = rig.server.requests();
        assert_eq!(asked - seen, calls, "{load} {more}");
        seen = asked;
    }
}

pub fn several_threads_share_a_count_exactly(rig: &Rig) {
    for load in [closed(7), requests(20_000.0, 7), sessions(1000.0, 1)] {
        let measured = rig.run(&load, &json!({"threads": 3, "stop": {"count": 1001}}));
        assert_eq!(measured["calls"]["ok"], 1001, "{load}");
        assert_eq!(measured["engine"]["threads"], 3);
    }
}

pub fn an_interrupt_gives_what_there_is(rig: &Rig) {
    let plan = rig.plan(&closed(4), &json!({"stop": {"duration_s": 600.0}}));
    let run = engine::start(&plan).unwrap();
    assert!(run.wait(Phase::Measuring, Duration::from_secs(10)));
    while run.progress().ok == 0 {
        std::thread::yield_now();
    }
    run.stop();
    let measured = serde_json::to_value(run.result().unwrap()).unwrap();
    assert_eq!(measured["stopped_by"], "interrupt");
    assert_eq!(measured["calls"]["due"], measured["calls"]["ok"]);
    assert!(measured["window_s"].as_f64().unwrap() < 60.0);
}

pub fn progress_has_the_times_of_all_threads_second_by_second(rig: &Rig) {
    let more = json!({"threads": 2, "warm_up_s": 0.5, "stop": {"duration_s": 2.0}});
    let run = engine::start(&rig.plan(&requests(800.0, 8), &more)).unwrap();
    let measured = serde_json::to_value(run.result().unwrap()).unwrap();
    let progress = run.progress();
    assert!(
        (progress.window_s - 2.0).abs() < 1e-6,
        "{}",
        progress.window_s
    );
    let so_far = progress.so_far;
    let seconds = measured["intervals"].as_array().unwrap();
    let of_window = seconds.iter().filter(|one| {
        let second = one["second"].as_i64().unwrap();
        (0..2).contains(&second)
    });
    let (mut ok, mut longest_ns) = (0, 0);
    for one in of_window {
        ok += one["ok"].as_u64().unwrap();
        longest_ns = one["max_ns"].as_u64().unwrap().max(longest_ns);
    }
    assert!(ok > 0);
    assert_eq!(so_far.iter().map(|&(_, count)| count).sum::<u64>(), ok);
    assert!(so_far.is_sorted_by(|a, b| a.0 < b.0));
    let shown_ns = so_far[so_far.len() - 1].0;
    assert!(shown_ns.abs_diff(longest_ns) <= longest_ns / 100);
}

pub fn progress_has_calls_that_timed_out_at_their_age(rig: &Rig) {
    let more = json!({
        "requests": [crate::rig::pong("/pong?delay=60s")],
        "timeouts": {"reply_s": 0.2},
        "stop": {"count": 8},
    });
    let run = engine::start(&rig.plan(&closed(4), &more)).unwrap();
    run.result().unwrap();
    let so_far = run.progress().so_far;
    assert!(
        so_far.iter().map(|&(_, count)| count).sum::<u64>() >= 4,
        "{so_far:?}"
    );
    assert!(
        so_far.iter().all(|&(ns, _)| ns >= 195_000_000),
        "{so_far:?}"
    );
}

pub fn a_thousand_connections_are_open_at_once(rig: &Rig) {
    let measured = rig.run(&closed(1000), &json!({"stop": {"count": 5000}}));
    assert_eq!(measured["calls"]["ok"], 5000);
    assert_eq!(measured["connections"]["peak_open"], 1000);
}

pub fn overload_is_told_by_offered_and_achieved_rates(rig: &Rig) {
    // Four connections with a delay of 10 ms carry 400 calls per second; 2,000 are offered.
    let more = json!({
        "requests": [crate::rig::pong("/pong?delay=10ms")],
        "stop": {"duration_s": 2.0, "drain_s": 1.0},
    });
    let measured = rig.run(&requests(2000.0, 4), &more);
    let offered = measured["offered_per_s"].as_f64().unwrap();
    let achieved = measured["throughput_per_s"].as_f64().unwrap();
    assert!((offered - 2000.0).abs() < 1.0, "{offered}");
    assert!(achieved <= 402.0, "{achieved}");
    let calls = &measured["calls"];
    assert_eq!(calls["due"], 4000);
    assert!(calls["unsent"].as_u64().unwrap() >= 3190, "{calls}");
    assert_eq!(
        measured["times"]["response"]["count"], 4000,
        "nobody who waited is left out"
    );
}
