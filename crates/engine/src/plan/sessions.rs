//! The `sessions` load and the scripts of its sessions, as their caller writes them.

use pace::Arrivals;
use serde::{Deserialize, Serialize};

use crate::plan::Plan;

/// Most connections that one session may have at once.
const MOST_EACH: u32 = 100;
/// Most scripts, and most calls in all of them together.
const MOST_SCRIPTS: usize = 100_000;
const MOST_SCRIPTED: usize = 1_000_000;
/// Most calls of one step.
const LONGEST_STEP: usize = 10_000;
/// Longest think time, in seconds: a week.
const LONGEST: f64 = 7.0 * 86_400.0;
/// Most faults of scripts that are listed one by one.
const MOST_LISTED: usize = 10;

/// Sessions that arrive at a rate, or follow one another.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionsLoad {
    /// When sessions begin; null: each begins when one ends, `max_open` at once.
    #[serde(deserialize_with = "Option::deserialize")]
    pub arrivals: Option<Arrivals>,
    /// Calls of a session without a script.
    #[serde(default = "one")]
    pub calls: u32,
    #[serde(default)]
    pub max_open: Option<u32>,
    #[serde(default)]
    pub on_wrong: OnWrong,
    #[serde(default)]
    pub on_close: OnClose,
    /// Send on a connection although a reply has announced that the server closes it.
    #[serde(default)]
    pub ignore_close: bool,
    /// Send the cookies that replies of the session have set.
    #[serde(default)]
    pub cookies: bool,
    /// Most calls pipelined on a connection; null: no limit.
    #[serde(default)]
    pub most_pipelined: Option<u32>,
    /// Connections that a session may have at once, if one does not take all calls of a burst.
    #[serde(default = "one")]
    pub most_connections: u32,
}

/// The reaction of a session to a wrong reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnWrong {
    #[default]
    GoOn,
    /// The session ends, failed.
    Fail,
    /// The same call is sent again at once.
    Retry,
}

/// The reaction of a session when the server closes its connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnClose {
    /// The next burst goes out on a new connection; calls pipelined behind the reply fail.
    #[default]
    Reconnect,
    /// As `Reconnect`, but unanswered calls are sent again on new connections, if the old one has answered any.
    Resend,
    /// The session ends.
    End,
}

/// A burst of a scripted session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptStep {
    /// Indices of the plan's requests, pipelined in this order.
    pub requests: Vec<u32>,
    /// Seconds between the last reply of this step and the next step.
    #[serde(default)]
    pub think_s: f64,
    /// The first call is sent alone, the others once its reply is complete.
    #[serde(default)]
    pub first_alone: bool,
}

impl SessionsLoad {
    /// Sessions that may be open at once; `None`: the load sets no limit.
    pub fn most_open(&self) -> Option<u32> {
        self.max_open.or(self.arrivals.is_none().then_some(1))
    }

    /// The faults of the settings that only this load has.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.calls == 0 {
            faults.push("calls per session `0`: expected at least 1".into());
        }
        if self.most_pipelined == Some(0) {
            faults.push("most pipelined calls `0`: expected at least 1".into());
        }
        if !(1..=MOST_EACH).contains(&self.most_connections) {
            faults.push(format!(
                "connections per session `{}`: expected 1 to {MOST_EACH}",
                self.most_connections
            ));
        }
        faults
    }
}

/// The faults of the plan's scripts.
pub fn script_faults(plan: &Plan) -> Vec<String> {
    let Some(scripts) = &plan.scripts else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    if plan.load.sessions().is_none() {
        let kind = plan.load.kind();
        faults.push(format!(
            "scripts with the load `{kind}`: expected the load `sessions`"
        ));
    }
    if scripts.is_empty() || scripts.len() > MOST_SCRIPTS {
        let count = scripts.len();
        faults.push(format!("`{count}` scripts: expected 1 to {MOST_SCRIPTS}"));
    }
    let calls: usize = scripts.iter().flatten().map(|s| s.requests.len()).sum();
    if calls > MOST_SCRIPTED {
        faults.push(format!(
            "scripts with `{calls}` calls in all: expected at most {MOST_SCRIPTED}"
        ));
    }
    let mut wrong = scripts
        .iter()
        .enumerate()
        .flat_map(|(number, steps)| faults_of(number, steps, plan.requests.len()));
    faults.extend(wrong.by_ref().take(MOST_LISTED));
    let more = wrong.count();
    if more > 0 {
        faults.push(format!("… and {more} more faults in the scripts"));
    }
    faults
}

fn faults_of(number: usize, steps: &[ScriptStep], requests: usize) -> Vec<String> {
    let mut faults = Vec::new();
    let name = format!("script {number}");
    if steps.is_empty() {
        faults.push(format!("{name} has no step: expected at least one"));
    }
    for (number, step) in steps.iter().enumerate() {
        let calls = step.requests.len();
        if !(1..=LONGEST_STEP).contains(&calls) {
            faults.push(format!(
                "{name}, step {number}, `{calls}` requests: expected 1 to {LONGEST_STEP}"
            ));
        }
        let beyond = step.requests.iter().find(|&&r| r as usize >= requests);
        if let (Some(index), Some(last)) = (beyond, requests.checked_sub(1)) {
            faults.push(format!(
                "{name}, step {number}, request `{index}`: expected 0 to {last}"
            ));
        }
        if !(0.0..=LONGEST).contains(&step.think_s) {
            faults.push(format!(
                "{name}, step {number}, think time `{}` s: expected 0 s to {LONGEST} s (a week)",
                step.think_s
            ));
        }
    }
    faults
}

fn one() -> u32 {
    1
}
