//! Whatever a server does, every call is counted once and the run ends.

use driver::{Act, Nanos, Scene};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::server::{MS, PONG, SECOND, arrivals, plan, run};

/// A server that treats each request in the next way of a list.
#[derive(Clone, Debug)]
struct Whimsical {
    whims: Vec<Whim>,
    turn: usize,
}

#[derive(Clone, Copy, Debug)]
enum Whim {
    Answer(Nanos),
    Close,
    Reset,
    Never,
    Half,
    Garbage,
    SaysClose,
    Error500,
}

impl Whimsical {
    fn next(&mut self) -> Whim {
        self.turn += 1;
        self.whims[self.turn % self.whims.len()]
    }
}

impl Scene for Whimsical {
    fn connect(&mut self, _: Nanos, connection: u64) -> (Nanos, bool) {
        (MS, connection % 7 != 3)
    }

    fn receive(&mut self, _: Nanos, _: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        let requests = bytes.windows(4).filter(|w| w == b"\r\n\r\n").count();
        let mut acts = Vec::new();
        for _ in 0..requests {
            match self.next() {
                Whim::Answer(delay) => acts.push((delay, Act::Reply(PONG.to_vec()))),
                Whim::Close => acts.push((MS, Act::End)),
                Whim::Reset => acts.push((MS, Act::Reset)),
                Whim::Never => {}
                Whim::Half => acts.push((MS, Act::Reply(PONG[..30].to_vec()))),
                Whim::Garbage => acts.push((MS, Act::Reply(vec![0xff; 100]))),
                Whim::SaysClose => acts.push((
                    MS,
                    Act::Reply(
                        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nPONG"
                            .to_vec(),
                    ),
                )),
                Whim::Error500 => acts.push((
                    MS,
                    Act::Reply(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".to_vec()),
                )),
            }
        }
        acts
    }
}

fn whim() -> impl Strategy<Value = Whim> {
    prop_oneof![
        6 => (1..40_u64).prop_map(|delay| Whim::Answer(delay * MS)),
        1 => Just(Whim::Close),
        1 => Just(Whim::Reset),
        1 => Just(Whim::Never),
        1 => Just(Whim::Half),
        1 => Just(Whim::Garbage),
        1 => Just(Whim::SaysClose),
        1 => Just(Whim::Error500),
    ]
}

fn load() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => (1..8_u32).prop_map(|c| json!({"kind": "closed", "connections": c})),
        1 => (1..8_u32, 10..400_u32).prop_map(|(c, rate)| {
            json!({"kind": "requests", "connections": c, "arrivals": arrivals(f64::from(rate))})
        }),
        3 => sessions(),
    ]
}

fn sessions() -> impl Strategy<Value = Value> {
    let arrivals = prop_oneof![
        4 => (1..60_u32).prop_map(|rate| arrivals(f64::from(rate))),
        1 => Just(Value::Null),
    ];
    let reactions = (
        prop::sample::select(vec!["go_on", "fail", "retry"]),
        prop::sample::select(vec!["reconnect", "resend", "end"]),
    );
    let limits = (
        1..6_u32,
        prop_oneof![Just(None), (1..4_u32).prop_map(Some)],
        1..4_u32,
    );
    let flags = any::<(bool, bool)>();
    (1..8_u32, arrivals, reactions, limits, flags).prop_map(
        |(calls, arrivals, (on_wrong, on_close), (open, pipelined, each), (cookies, ignore))| {
            json!({
                "kind": "sessions", "calls": calls, "arrivals": arrivals, "max_open": open,
                "on_wrong": on_wrong, "on_close": on_close, "ignore_close": ignore, "cookies": cookies,
                "most_pipelined": pipelined, "most_connections": each,
            })
        },
    )
}

/// Scripts of the only request.
fn scripts() -> impl Strategy<Value = Value> {
    let step = (1..5_usize, any::<bool>(), prop_oneof![Just(0.0), Just(0.05)])
        .prop_map(|(calls, alone, think)| {
            json!({"requests": vec![0; calls], "first_alone": alone, "think_s": think})
        });
    let script = prop::collection::vec(step, 1..4);
    prop_oneof![
        Just(Value::Null),
        prop::collection::vec(script, 1..4).prop_map(Value::from),
    ]
}

fn stop() -> impl Strategy<Value = Value> {
    prop_oneof![
        (1..120_u64).prop_map(|count| json!({"count": count, "drain_s": 0.2})),
        (1..30_u32)
            .prop_map(|tenths| json!({"duration_s": f64::from(tenths) / 10.0, "drain_s": 0.2})),
        (1..120_u64).prop_map(|count| json!({"count": count, "duration_s": 2.0, "drain_s": 0.0})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_call_is_accounted_for_and_the_run_ends(
        whims in prop::collection::vec(whim(), 1..12),
        load in load(),
        stop in stop(),
        burst in 1..5_u32,
        scripts in scripts(),
        warm_up in prop_oneof![Just(0.0), Just(0.3)],
        think in prop_oneof![Just(0.0), Just(0.02)],
    ) {
        let counted = stop.get("duration_s").is_none();
        let count = stop.get("count").and_then(Value::as_u64);
        let sessions = load["kind"] == "sessions";
        let scripts = if sessions { scripts } else { Value::Null };
        let more = json!({
            "scripts": scripts, "stop": stop, "burst": burst, "warm_up_s": warm_up, "think_s": think,
            "timeouts": {"connect_s": 0.5, "reply_s": 0.5},
        });
        // `run` checks that both sets of counts add up.
        let (counters, _) = run(&plan(load, more), Whimsical { whims, turn: 0 });
        prop_assert!(counters.ended < 600 * SECOND);
        if let Some(count) = count {
            let due = if sessions { counters.sessions.due } else { counters.calls.due };
            let right = due == count || (!counted && due < count);
            prop_assert!(right, "{} due, {} asked for", due, count);
        }
        prop_assert_eq!(counters.in_flight(), 0);
    }
}
