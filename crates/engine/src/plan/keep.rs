//! Values that the calls of a session keep from their replies, for its later calls: as their caller writes them, and
//! compiled.

use std::sync::Arc;

use answer::value::ValuePlace;
use serde::{Deserialize, Serialize};

use crate::plan::encode::name;
use crate::plan::expected::Room;
use crate::plan::placeholders::kind::Kind;
use crate::plan::sessions::ScriptStep;
use crate::plan::{Plan, Request};

/// Most names of a plan: a session has a value of each.
pub const MOST_KEPT: usize = 20;
/// Longest name of a value, of a header and of a cookie.
const LONGEST_NAME: usize = 100;
/// Most requests that are listed for values that they use too early.
const MOST_LISTED: usize = 10;

/// A value that is kept from the reply to a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// Later calls of the session have it in place of `{name}`.
    pub name: String,
    pub source: Source,
}

/// The part of a reply that is a value.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The text, number or boolean behind this JSON pointer into the body.
    Json(String),
    /// The first group of the first match of this regular expression in the body.
    Regex(String),
    /// The value of this header.
    Header(String),
    /// The value of this cookie that a `Set-Cookie` header sets.
    Cookie(String),
}

/// The values that a plan keeps.
#[derive(Debug)]
pub struct Keeping {
    /// The name of each value.
    pub names: Vec<String>,
    /// For each request, the values that its replies have.
    pub of: Vec<Vec<Kept>>,
    /// The room for bodies that are not complete.
    pub room: Arc<Room>,
}

/// A value of a reply, compiled.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The place of its name in [`Keeping::names`].
    pub index: u32,
    pub part: Part,
}

/// The part of a reply, compiled.
#[derive(Clone, Debug)]
pub enum Part {
    Body(ValuePlace),
    Header(String),
    Cookie(String),
}

impl Keeping {
    /// Compiles the values that a plan keeps; `None`: it keeps none.
    ///
    /// # Errors
    /// All faults, each with its request.
    pub fn new(plan: &Plan) -> Result<Option<Self>, Vec<String>> {
        let Some(first) = plan.requests.iter().find(|one| !one.keep.is_empty()) else {
            return Ok(None);
        };
        let mut faults = plan_faults(plan, first);
        let count: usize = plan.requests.iter().map(|one| one.keep.len()).sum();
        if count > MOST_KEPT {
            faults.push(format!(
                "{count} values are kept: expected at most {MOST_KEPT}"
            ));
            return Err(faults);
        }
        let mut names: Vec<String> = Vec::new();
        let mut of = Vec::with_capacity(plan.requests.len());
        for request in &plan.requests {
            let mut kept = Vec::new();
            for keep in &request.keep {
                let mut wrong = |fault: String| {
                    faults.push(format!("request `{}`: {fault}", name(request)));
                };
                if let Some(fault) = name_fault(&keep.name) {
                    wrong(fault);
                }
                if names.contains(&keep.name) {
                    wrong(format!(
                        "`{}` is kept twice: expected another name for each value",
                        keep.name
                    ));
                }
                let index = names.len() as u32;
                match Part::new(&keep.source, request) {
                    Ok(part) => kept.push(Kept { index, part }),
                    Err(fault) => wrong(format!("`{}`: {fault}", keep.name)),
                }
                names.push(keep.name.clone());
            }
            of.push(kept);
        }
        let room = Arc::default();
        if faults.is_empty() {
            Ok(Some(Self { names, of, room }))
        } else {
            Err(faults)
        }
    }

    /// The faults of calls that use a value before their session has kept it. `used`: for each request, the places of
    /// the names that it uses.
    pub fn order_faults(&self, plan: &Plan, used: &[Vec<usize>]) -> Vec<String> {
        let mask = |places: &mut dyn Iterator<Item = usize>| {
            places.fold(0_u32, |mask, place| mask | 1 << place)
        };
        let used: Vec<u32> = used
            .iter()
            .map(|places| mask(&mut places.iter().copied()))
            .collect();
        let kept = |request: u32| {
            mask(
                &mut self.of[request as usize]
                    .iter()
                    .map(|one| one.index as usize),
            )
        };
        let mut early = vec![0_u32; plan.requests.len()];
        for script in plan.scripts.iter().flatten() {
            let mut known = 0;
            for ScriptStep {
                requests,
                first_alone,
                ..
            } in script
            {
                let mut later = 0;
                for (at, &request) in requests.iter().enumerate() {
                    early[request as usize] |= used[request as usize] & !known;
                    later |= kept(request);
                    if at == 0 && *first_alone {
                        known |= later;
                    }
                }
                known |= later;
            }
        }
        let requests = plan
            .requests
            .iter()
            .zip(early)
            .filter(|(_, early)| *early > 0);
        requests
            .take(MOST_LISTED)
            .map(|(request, early)| {
                let first = &self.names[early.trailing_zeros() as usize];
                format!(
                    "request `{}`: `{{{first}}}` is used before a call of its session has kept it",
                    name(request)
                )
            })
            .collect()
    }
}

impl Part {
    fn new(source: &Source, request: &Request) -> Result<Self, String> {
        let body = matches!(source, Source::Json(_) | Source::Regex(_));
        if body && request.method == "HEAD" {
            return Err("a reply to HEAD has no body: expected `header` or `cookie`".into());
        }
        match source {
            Source::Json(pointer) => ValuePlace::json(pointer).map(Self::Body),
            Source::Regex(expression) => ValuePlace::regex(expression).map(Self::Body),
            Source::Header(name) if is_token(name) => Ok(Self::Header(name.clone())),
            Source::Cookie(name) if is_token(name) => Ok(Self::Cookie(name.clone())),
            Source::Header(name) => Err(format!(
                "`{}` is no name of a header: expected one such as `X-Csrf-Token`",
                name.escape_debug()
            )),
            Source::Cookie(name) => Err(format!(
                "`{}` is no name of a cookie: expected one such as `sid`",
                name.escape_debug()
            )),
        }
    }
}

/// The faults of a plan that keeps values and has no order of calls in sessions. `first`: a request that keeps one.
fn plan_faults(plan: &Plan, first: &Request) -> Vec<String> {
    let keeps = format!(
        "request `{}` keeps `{}` for later calls of its session",
        name(first),
        first.keep[0].name.escape_debug()
    );
    let mut faults = Vec::new();
    if plan.load.sessions().is_none() {
        faults.push(format!(
            "{keeps}, with the load `{}`: expected the load `sessions`",
            plan.load.kind()
        ));
    } else if plan.scripts.is_none() {
        faults.push(format!(
            "{keeps}, which has no order: expected `scripts` in the plan"
        ));
    }
    if plan.trace.is_some() {
        faults.push(format!(
            "{keeps}, which a trace would show: expected no trace"
        ));
    }
    faults
}

/// The fault of a name that a placeholder cannot have.
fn name_fault(name: &str) -> Option<String> {
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let sound = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(letters)
        && name.len() <= LONGEST_NAME;
    if !sound {
        return Some(format!(
            "`{}` is no name of a value: expected a letter, then letters, digits and `_`",
            name.escape_debug()
        ));
    }
    Kind::parse(name, None).map(|_| {
        format!("`{name}` is a placeholder of its own: expected another name for the value")
    })
}

/// True for the name of a header or a cookie (RFC 9110 §5.6.2).
fn is_token(name: &str) -> bool {
    let special = b"!#$%&'*+-.^_`|~";
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || special.contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(letters)
}
