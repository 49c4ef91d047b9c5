//! The shapes of a load, and what the plan and its tests ask of each.

use pace::{Arrivals, Segment};
use serde::{Deserialize, Serialize};

use crate::plan::sessions::SessionsLoad;

/// The shape of the load.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Load {
    /// A number of connections, each of which sends its next request when it has its reply.
    Closed { connections: u32 },
    /// Requests fall due at a rate and are sent on a pool with at most this many connections.
    Requests {
        arrivals: Arrivals,
        connections: u32,
    },
    /// Sessions arrive at a rate, or follow one another; each has connections of its own.
    Sessions(SessionsLoad),
}

impl Load {
    /// The name of the load shape.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Closed { .. } => "closed",
            Self::Requests { .. } => "requests",
            Self::Sessions(_) => "sessions",
        }
    }

    /// The load of sessions, if it is one.
    pub fn sessions(&self) -> Option<&SessionsLoad> {
        match self {
            Self::Sessions(load) => Some(load),
            Self::Closed { .. } | Self::Requests { .. } => None,
        }
    }

    /// The schedule of calls or sessions; `None`: each begins when another one ends.
    pub fn arrivals(&self) -> Option<&Arrivals> {
        match self {
            Self::Closed { .. } => None,
            Self::Requests { arrivals, .. } => Some(arrivals),
            Self::Sessions(load) => load.arrivals.as_ref(),
        }
    }

    /// The steps and ramps of a rate of requests that changes; none of one that stays the same, or repeats.
    pub fn steps(&self) -> &[Segment] {
        match self {
            Self::Requests { arrivals, .. } if !arrivals.cycle && arrivals.changes() => {
                &arrivals.segments
            }
            _ => &[],
        }
    }

    /// True if calls fall due by a schedule, whatever the server does.
    pub fn is_open(&self) -> bool {
        self.arrivals().is_some()
    }

    /// The highest rate at which bursts of so many calls, or sessions, arrive; `None` without a schedule.
    pub fn arrivals_per_s(&self, burst: u32) -> Option<f64> {
        let share = if self.sessions().is_some() { 1 } else { burst };
        Some(self.arrivals()?.highest_per_s() / f64::from(share))
    }

    /// The limit of connections at once; `None`: the load sets none.
    pub fn connections(&self) -> Option<u32> {
        let (limit, _) = self.limit()?;
        Some(limit.saturating_mul(self.connections_each()))
    }

    /// Connections that one session may have at once; 1 without sessions.
    pub fn connections_each(&self) -> u32 {
        self.sessions()
            .map_or(1, |load| load.most_connections.max(1))
    }

    /// The limit that load generators share, with the plural of its noun; `None`: the load sets none.
    pub fn limit(&self) -> Option<(u32, &'static str)> {
        match self {
            Self::Closed { connections } | Self::Requests { connections, .. } => {
                Some((*connections, "connections"))
            }
            Self::Sessions(load) => load.most_open().map(|open| (open, "open sessions")),
        }
    }

    /// The same load with another limit.
    #[must_use]
    pub fn with_limit(&self, limit: u32) -> Self {
        let mut load = self.clone();
        match &mut load {
            Self::Closed { connections } | Self::Requests { connections, .. } => {
                *connections = limit;
            }
            Self::Sessions(load) => load.max_open = Some(limit),
        }
        load
    }
}
