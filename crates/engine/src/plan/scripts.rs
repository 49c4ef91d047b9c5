//! The scripts of sessions, compiled: each step is a range of places in the rotation.

use std::collections::HashMap;

use driver::Nanos;

use crate::plan::sessions::ScriptStep;

/// The scripts of sessions.
#[derive(Debug)]
pub struct Scripts {
    sessions: Vec<Script>,
    steps: Vec<Step>,
    calls: u64,
}

/// The script of one session.
#[derive(Clone, Copy, Debug, Default)]
pub struct Script {
    /// The index of its first step.
    pub first: u32,
    /// Calls in all its steps.
    pub calls: u32,
}

/// A burst: the calls at successive places of the rotation.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub place: usize,
    pub calls: u32,
    pub think: Nanos,
    /// The first call is sent alone, the others once its reply is complete.
    pub first_alone: bool,
}

impl Scripts {
    /// Compiles scripts. Returns them, and the request at each place. Equal steps share their places.
    pub fn new(scripts: &[Vec<ScriptStep>]) -> (Self, Vec<u32>) {
        let mut places: HashMap<&[u32], usize> = HashMap::new();
        let mut requests = Vec::new();
        let mut compiled = Self {
            sessions: Vec::with_capacity(scripts.len()),
            steps: Vec::new(),
            calls: 0,
        };
        for script in scripts {
            let first = compiled.steps.len() as u32;
            for step in script {
                let place = *places.entry(&step.requests).or_insert_with(|| {
                    requests.extend_from_slice(&step.requests);
                    requests.len() - step.requests.len()
                });
                compiled.steps.push(Step {
                    place,
                    calls: step.requests.len() as u32,
                    think: (step.think_s * 1e9).round() as Nanos,
                    first_alone: step.first_alone,
                });
            }
            let calls = script.iter().map(|step| step.requests.len()).sum::<usize>() as u32;
            compiled.calls += u64::from(calls);
            compiled.sessions.push(Script { first, calls });
        }
        (compiled, requests)
    }

    /// The script of the session with this number.
    pub fn script(&self, number: u64) -> Script {
        self.sessions[(number % self.sessions.len() as u64) as usize]
    }

    /// The step with this index.
    pub fn step(&self, index: u32) -> Step {
        self.steps[index as usize]
    }

    /// The calls of `sessions` sessions on average, rounded down.
    pub fn average_calls(&self, sessions: u64) -> u64 {
        let calls = u128::from(self.calls) * u128::from(sessions);
        (calls / self.sessions.len() as u128) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(requests: &[u32], think_s: f64) -> ScriptStep {
        ScriptStep {
            requests: requests.to_vec(),
            think_s,
            first_alone: false,
        }
    }

    #[test]
    fn equal_steps_share_their_places_and_sessions_follow_the_scripts_in_turn() {
        let scripts = [
            vec![step(&[0, 1, 1], 0.5), step(&[0], 0.0)],
            vec![step(&[0, 1, 1], 0.0)],
        ];
        let (scripts, requests) = Scripts::new(&scripts);
        assert_eq!(requests, [0, 1, 1, 0]);
        let places: Vec<_> = scripts.steps.iter().map(|s| (s.place, s.calls)).collect();
        assert_eq!(places, [(0, 3), (3, 1), (0, 3)]);
        let calls: Vec<_> = (0..4).map(|number| scripts.script(number).calls).collect();
        assert_eq!(calls, [4, 3, 4, 3]);
        assert_eq!(scripts.step(0).think, 500_000_000);
        assert_eq!(scripts.average_calls(10), 35);
    }
}
