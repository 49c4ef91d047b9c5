//! From a name to addresses, and the ways there.

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use ring::{Route, preflight};

use crate::error::{EngineError, Kind};
use crate::plan::{Plan, Source, Target};

/// How long the first connection, before the run, may take when the plan sets no limit.
const PREFLIGHT: Duration = Duration::from_secs(5);
/// Most ways (local addresses × ports) that are kept.
const MOST_ROUTES: usize = 1 << 20;

/// All ways to the target, to be used in turn; proved by one connection that is closed at once.
pub fn routes(plan: &Plan) -> Result<Vec<Route>, EngineError> {
    let timeout = plan
        .timeouts
        .connect_s
        .map_or(PREFLIGHT, Duration::from_secs_f64);
    if let Some(path) = &plan.target.unix {
        let route = Route::unix(path).map_err(|e| {
            EngineError::new(
                Kind::Usage,
                format!("`{}` is not a socket path: {e}", path.display()),
            )
        })?;
        preflight(&route, timeout).map_err(|e| unreachable(&path.display().to_string(), &e))?;
        return Ok(vec![route]);
    }
    let peer = reachable(&plan.target, &plan.source, timeout)?;
    from_sources(peer, &plan.source)
}

/// The first address of the name that answers.
fn reachable(
    target: &Target,
    source: &Source,
    timeout: Duration,
) -> Result<SocketAddr, EngineError> {
    let name = format!("{}:{}", target.host, target.port);
    let peers = resolve(target)?;
    let mut last = None;
    for peer in peers {
        match first_source(peer, source).and_then(|from| {
            preflight(&Route::tcp(peer, from), timeout).map_err(|e| unreachable(&name, &e))
        }) {
            Ok(()) => return Ok(peer),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| {
        EngineError::new(Kind::Target, format!("`{name}` has no address"))
            .hint("check the host's name")
    }))
}

fn resolve(target: &Target) -> Result<Vec<SocketAddr>, EngineError> {
    (target.host.as_str(), target.port)
        .to_socket_addrs()
        .map(Iterator::collect)
        .map_err(|e| {
            EngineError::new(
                Kind::Target,
                format!("`{}` cannot be resolved: {e}", target.host),
            )
            .hint("check the host's name; `getent hosts NAME` shows what this machine knows")
        })
}

fn unreachable(name: &str, error: &std::io::Error) -> EngineError {
    EngineError::new(Kind::Target, format!("`{name}` cannot be reached: {error}"))
        .hint("is the server running, and is this its address and port?")
}

fn first_source(peer: SocketAddr, source: &Source) -> Result<Option<SocketAddr>, EngineError> {
    let same_family = |a: &&std::net::IpAddr| a.is_ipv4() == peer.is_ipv4();
    match source.addresses.first() {
        None => Ok(None),
        Some(first) => match source.addresses.iter().find(same_family) {
            Some(address) => Ok(Some(SocketAddr::new(*address, 0))),
            None => Err(EngineError::new(
                Kind::Usage,
                format!(
                    "`{first}` cannot be the source of a connection to `{peer}`: not the same IP version"
                ),
            )),
        },
    }
}

fn from_sources(peer: SocketAddr, source: &Source) -> Result<Vec<Route>, EngineError> {
    let any = match peer {
        SocketAddr::V4(_) => std::net::Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
    };
    let addresses: Vec<_> = source
        .addresses
        .iter()
        .copied()
        .filter(|a| a.is_ipv4() == peer.is_ipv4())
        .collect();
    let Some((low, high)) = source.ports else {
        if addresses.is_empty() {
            return Ok(vec![Route::tcp(peer, None)]);
        }
        return Ok(addresses
            .iter()
            .map(|a| Route::tcp(peer, Some(SocketAddr::new(*a, 0))))
            .collect());
    };
    let addresses = if addresses.is_empty() {
        vec![any]
    } else {
        addresses
    };
    let ports = usize::from(high.saturating_sub(low)) + 1;
    if low == 0 || high < low || ports * addresses.len() > MOST_ROUTES {
        return Err(EngineError::new(
            Kind::Usage,
            format!(
                "`{low}-{high}` is not a range of source ports, expected LOW-HIGH with 1 ≤ LOW ≤ HIGH"
            ),
        ));
    }
    Ok((low..=high)
        .flat_map(|port| addresses.iter().map(move |a| SocketAddr::new(*a, port)))
        .map(|from| Route::tcp(peer, Some(from)))
        .collect())
}
