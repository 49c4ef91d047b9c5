//! The results of all machines as one measurement.

use driver::Nanos;

use crate::error::{EngineError, Kind};
use crate::measurement::counters::Counters;
use crate::measurement::nodes::Node;
use crate::measurement::{Ended, Facts, LowLatency, Measurement};
use crate::plan::Plan;
use crate::plan::check::Faults;
use crate::plan::endpoints::Endpoints;
use crate::plan::http2::streams;
use crate::plan::part::Part;
use crate::whole::digest::Digest;
use crate::whole::head::Head;
use crate::whole::read;

/// The results merged so far.
struct Merged {
    counters: Counters,
    nodes: Vec<Node>,
    heads: Vec<Head>,
}

/// Merges the results of all parts of a plan, in any order. `plan` is that of the whole.
///
/// # Errors
/// The plan has faults, or the results are damaged, are not of this plan or of another version of the engine, or are not
/// exactly one of each part.
pub fn merge<B: AsRef<[u8]>>(plan: &Plan, results: &[B]) -> Result<Measurement, EngineError> {
    let mut faults = Faults::default();
    faults.check(&Plan {
        part: None,
        ..plan.clone()
    });
    faults.finish()?;
    let digest = Digest::of(plan);
    let endpoints = Endpoints::names_of(&plan.requests);
    let mut merged: Option<Merged> = None;
    for (number, bytes) in (1..).zip(results) {
        let refused = |why: &str| {
            let message = format!("result {number} of {} {why}", results.len());
            EngineError::new(Kind::Usage, message)
        };
        let (head, theirs, mut counters) = read(bytes.as_ref())
            .map_err(|damage| refused(&format!("cannot be merged: {damage}")))?;
        let differing = digest.differing(&theirs);
        if !differing.is_empty() {
            let fields = differing.join("`, `");
            return Err(refused(&format!("is of another plan: `{fields}` differs")));
        }
        let each = counters.endpoints.as_ref().map(|all| all.each.len());
        if each.is_some_and(|each| each != endpoints.len()) {
            return Err(refused("is of another number of endpoints"));
        }
        if let Some(rate) = plan.load.arrivals_per_s(plan.burst) {
            counters.expect(rate / f64::from(head.part.of), head.threads);
        }
        let node = Node::new(head.part.index + 1, head.started_at_ns, &counters);
        match &mut merged {
            None => merged = Some(Merged::first(head, node, counters)),
            Some(merged) => merged.add(head, node, counters),
        }
    }
    let none = || EngineError::new(Kind::Usage, "no result to merge: expected one of each part");
    merged.ok_or_else(none)?.measurement(plan)
}

impl Merged {
    fn first(head: Head, node: Node, counters: Counters) -> Self {
        Self {
            counters,
            nodes: vec![node],
            heads: vec![head],
        }
    }

    fn add(&mut self, head: Head, node: Node, counters: Counters) {
        self.counters.merge_machine(counters);
        self.nodes.push(node);
        self.heads.push(head);
    }

    fn measurement(mut self, plan: &Plan) -> Result<Measurement, EngineError> {
        let order: Vec<u32> = self.heads.iter().map(|head| head.part.index).collect();
        complete(&self.heads, &order)?;
        let mut nodes: Vec<(u32, Node)> = order.into_iter().zip(self.nodes).collect();
        nodes.sort_by_key(|(index, _)| *index);
        self.heads.sort_by_key(|head| head.part.index);
        let facts = facts(plan, &self.heads);
        let ended = ended(&self.heads);
        let began = self.heads.iter().map(|head| head.started_at_ns).min();
        let began: Nanos = began.unwrap_or(0);
        let mut measurement = Measurement::new(&facts, began, &self.counters, ended);
        measurement.nodes = Some(nodes.into_iter().map(|(_, node)| node).collect());
        Ok(measurement)
    }
}

/// Checks that there is exactly one result of each part.
fn complete(heads: &[Head], order: &[u32]) -> Result<(), EngineError> {
    let refused = |message: String| Err(EngineError::new(Kind::Usage, message));
    let of = heads.first().map_or(1, |head| head.part.of);
    if let Some(other) = heads.iter().find(|head| head.part.of != of) {
        let other = other.part.of;
        return refused(format!(
            "a result is of a run on {of} load generators, another of one on {other}: expected those of one run"
        ));
    }
    let times = |index: u32| order.iter().filter(|one| **one == index).count();
    for (index, part) in (0..of).zip(1_u32..) {
        match times(index) {
            1 => {}
            0 => return refused(format!("the result of part {part} of {of} is missing")),
            _ => return refused(format!("part {part} of {of} has two results: expected one")),
        }
    }
    Ok(())
}

/// The facts of all machines together, in the order of their parts.
fn facts(plan: &Plan, heads: &[Head]) -> Facts {
    let first = &heads[0];
    let unlike = heads.iter().find(|head| head.driver != first.driver);
    let reason = match unlike {
        None => first.reason.clone(),
        Some(other) => format!(
            "{}; another driver on load generator {}: {}",
            first.reason,
            other.part.index + 1,
            other.reason
        ),
    };
    let cpus = first.cpus.as_ref().filter(|_| heads.len() == 1);
    Facts {
        driver: first.driver,
        reason,
        threads: heads.iter().map(|head| head.threads).sum(),
        cpus: cpus.map(|cpus| cpus.iter().map(|cpu| *cpu as usize).collect()),
        load: plan.load.clone(),
        http: plan.http,
        streams: streams(plan),
        endpoints: Endpoints::names_of(&plan.requests),
        burst: plan.burst,
        low_latency: low_latency(heads),
        over_time: plan.over_time,
        part: Part {
            index: 0,
            of: first.part.of,
        },
        all_parts: true,
    }
}

/// The settings that all machines granted; otherwise the first refusal.
fn low_latency(heads: &[Head]) -> Option<LowLatency> {
    let mut asked = heads.iter().filter_map(|head| head.low_latency.clone());
    let mut all = asked.next()?;
    for other in asked {
        if all.shallow_idle.reason.is_none() {
            all.shallow_idle = other.shallow_idle;
        }
        if all.real_time.reason.is_none() {
            all.real_time = other.real_time;
        }
    }
    Some(all)
}

/// The reason why the first machine ended that did not end as planned.
fn ended(heads: &[Head]) -> Ended {
    let unplanned = heads.iter().find(|head| head.ended != Ended::Planned);
    unplanned.map_or(Ended::Planned, |head| head.ended)
}
