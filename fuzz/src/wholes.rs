//! The reader of whole results: **whatever bytes another machine sends as its counters, they give a measurement or an
//! error, and together with right ones too.**

use engine::simulation::with_counters;
use engine::{Part, Plan, merge};

const PLAN: &str = r#"{
    "target": {"host": "127.0.0.1"},
    "requests": [{"path": "/"}],
    "load": {"kind": "sessions", "arrivals": {
        "spacing": "exponential", "segments": [{"from_per_s": 9000, "to_per_s": 9000}]
    }},
    "stop": {"duration_s": 10}
}"#;

/// Panics unless the sentence above holds for this input.
pub fn hold(data: &[u8]) {
    let plan: Plan = serde_json::from_str(PLAN).expect("a constant plan");
    let part = |index| Plan {
        part: Some(Part { index, of: 2 }),
        ..plan.clone()
    };
    let results = [0, 1].map(|index| with_counters(&part(index), data));
    if let Ok(found) = merge(&plan, &results) {
        serde_json::to_string(&found).expect("a measurement that can be written");
    }
}
