//! Times measured against a server with known delays. Upper bounds belong to `benches/`: a busy machine may add any
//! time.

use serde_json::json;

use crate::rig::{Rig, closed, pong, requests};

pub fn a_known_delay_is_never_measured_shorter(rig: &Rig) {
    for (delay, nanoseconds) in [("1ms", 1_000_000_u64), ("10ms", 10_000_000)] {
        let more = json!({
            "requests": [pong(&format!("/pong?delay={delay}"))],
            "stop": {"count": 200},
        });
        let measured = rig.run(&requests(400.0, 64), &more);
        for time in ["response", "service", "first_byte"] {
            let least = measured["times"][time]["min_ns"].as_u64().unwrap();
            assert!(least >= nanoseconds, "{time} {least} ns of {delay}");
        }
    }
}

pub fn a_stall_is_in_the_response_time_of_all_who_waited(rig: &Rig) {
    let stalling = json!([
        {"path": "/pong", "weight": 299},
        {"path": "/control/stall?for=500ms", "weight": 1},
    ]);
    let more = json!({"requests": stalling, "stop": {"duration_s": 2.9}});
    let measured = rig.run(&requests(200.0, 1), &more);
    let times = &measured["times"];
    let share_over = |time: &str, limit: u64| {
        let hdr = times[time]["hdr"].as_str().unwrap();
        let shares: Vec<f64> = (0..1000).map(|n| f64::from(n) / 1000.0).collect();
        let values = engine::quantiles(hdr, &shares).unwrap();
        values.iter().filter(|value| **value > limit).count() as f64 / 1000.0
    };
    let waited = share_over("response", 100_000_000);
    let served = share_over("service", 100_000_000);
    // 200 a second over half a second: 100 calls fell due while the server stood still, 80 of which waited 100 ms or
    // more.
    assert!(waited >= 0.13, "{waited} of the calls waited");
    assert!(served <= 0.03, "{served} of the calls were served slowly");
}

pub fn who_spins_does_not_sleep_while_a_reply_is_out(rig: &Rig) {
    let sleeps = |spin: bool| {
        let more = json!({
            "requests": [pong("/pong?delay=5ms")],
            "stop": {"count": 100},
            "spin": spin,
        });
        let measured = rig.run(&closed(1), &more);
        measured["cpu"]["voluntary_switches"].as_u64().unwrap()
    };
    let (asleep, spinning) = (sleeps(false), sleeps(true));
    assert!(asleep >= 100, "slept {asleep} times through 100 delays");
    assert!(spinning <= 20, "slept {spinning} times");
}
