//! The parts of a plan on several machines are the plan, in virtual time.

use engine::simulation::Counters;
use engine::{CompiledPlan, Part, Plan};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::server::{MS, SECOND, Server, arrivals, plan, pong_after, run};

fn server() -> Server {
    Server::answering(|_, _| pong_after(MS))
}

/// Runs all parts of a plan, and the whole of it.
fn both(whole: &Plan, of: u32) -> (Vec<(Counters, Server)>, (Counters, Server)) {
    let part = |index| Plan {
        part: Some(Part { index, of }),
        ..whole.clone()
    };
    let parts = (0..of).map(|index| run(&part(index), server()));
    (parts.collect(), run(whole, server()))
}

fn sum(parts: &[(Counters, Server)], of: impl Fn(&Counters) -> u64) -> u64 {
    parts.iter().map(|(counters, _)| of(counters)).sum()
}

fn steps(spacing: &str, rates: &[u32]) -> Value {
    let step = |rate: &u32| json!({"from_per_s": rate, "to_per_s": 2 * rate, "seconds": 0.4});
    let steps: Vec<Value> = rates.iter().map(step).collect();
    json!({"spacing": spacing, "segments": steps, "cycle": true})
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn requests_of_all_parts_go_out_when_those_of_the_whole_do(
        rates in prop::collection::vec(1..400_u32, 1..4), of in 1..7_u32, uniform: bool, sessions: bool,
        burst in 1..4_u32,
    ) {
        let arrivals = steps(if uniform { "uniform" } else { "constant" }, &rates);
        let load = if sessions {
            json!({"kind": "sessions", "calls": burst, "arrivals": arrivals})
        } else {
            json!({"kind": "requests", "connections": 500, "arrivals": arrivals})
        };
        let more = json!({"burst": burst, "stop": {"duration_s": 2.0}, "warm_up_s": 0.3});
        let (parts, whole) = both(&plan(load, more), of);
        let mut asked: Vec<u64> = parts.iter().flat_map(|(_, server)| server.asked.clone()).collect();
        asked.sort_unstable();
        prop_assert_eq!(asked, whole.1.asked);
        prop_assert_eq!(sum(&parts, |c| c.calls.due), whole.0.calls.due);
        prop_assert_eq!(sum(&parts, |c| c.warm_up.due), whole.0.warm_up.due);
    }

    #[test]
    fn a_count_and_the_connections_are_shared_without_rest(
        count in 8..500_u64, connections in 8..40_u32, of in 1..8_u32, kind in 0..3_usize, warm_up: bool,
    ) {
        let load = [
            json!({"kind": "closed", "connections": connections}),
            json!({"kind": "requests", "connections": connections, "arrivals": arrivals(300.0)}),
            json!({"kind": "sessions", "arrivals": null, "max_open": connections}),
        ];
        let more = json!({"stop": {"count": count}, "warm_up_s": if warm_up { 0.1 } else { 0.0 }});
        let (parts, whole) = both(&plan(load[kind].clone(), more), of);
        prop_assert_eq!(sum(&parts, |c| c.calls.ok), count);
        prop_assert_eq!(whole.0.calls.ok, count);
        if kind == 0 {
            prop_assert_eq!(sum(&parts, |c| c.connections.begun), whole.0.connections.begun);
        }
    }
}

#[test]
fn exponential_parts_send_as_many_as_the_whole_on_average_and_not_the_same() {
    let load = json!({"kind": "requests", "connections": 500, "arrivals": {
        "spacing": "exponential", "segments": [{"from_per_s": 1000, "to_per_s": 1000}],
    }});
    let (parts, _) = both(&plan(load, json!({"stop": {"duration_s": 10.0}})), 4);
    let all = sum(&parts, |counters| counters.calls.due);
    assert!((9_600..10_400).contains(&all), "{all}");
    for (one, (_, server)) in parts.iter().enumerate() {
        let mine = server.asked.len();
        assert!((2_250..2_750).contains(&mine), "part {one}: {mine}");
        assert!(server.asked[0] < SECOND);
        assert_eq!(parts[0].1.asked == server.asked, one == 0);
    }
}

#[test]
fn sessions_of_parts_follow_the_scripts_of_their_numbers() {
    let load = json!({"kind": "sessions", "arrivals": arrivals(100.0)});
    let script = |calls: usize| json!([{"requests": vec![0; calls]}]);
    let more = json!({"scripts": [script(1), script(2), script(3)], "stop": {"count": 60}});
    for of in [2, 3, 4] {
        let (parts, whole) = both(&plan(load.clone(), more.clone()), of);
        let lengths = |counters: &Counters| counters.session_ends.clone().unwrap().lengths;
        let mut all = vec![0; 4];
        for (counters, _) in &parts {
            let lengths = lengths(counters);
            all.iter_mut()
                .zip(lengths)
                .for_each(|(mine, theirs)| *mine += theirs);
        }
        assert_eq!(all, lengths(&whole.0), "{of} parts");
    }
}

#[test]
fn a_plan_that_cannot_be_shared_by_so_many_is_refused_with_every_reason() {
    let load = json!({"kind": "requests", "connections": 2, "arrivals": arrivals(100.0)});
    let until = json!({"quantile": 0.5, "within": 0.1});
    let more = json!({"part": {"index": 0, "of": 3}, "stop": {"count": 1, "until": until}});
    let refused = CompiledPlan::new(&plan(load.clone(), more)).unwrap_err();
    let found: Vec<&str> = refused.message.lines().collect();
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].starts_with("`2` connections cannot be shared by 3 load generators"));
    assert!(found[1].starts_with("`1` calls cannot be shared by 3 load generators"));
    for (index, of) in [(3, 3), (0, 0), (0, 1001)] {
        let more = json!({"part": {"index": index, "of": of}});
        assert!(CompiledPlan::new(&plan(load.clone(), more)).is_err());
    }
}
