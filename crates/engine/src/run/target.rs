//! From a name to addresses, and the ways there.

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use driver::{Fault, Route, preflight};
use secure::{Refusal, Terms, knock};

use crate::error::{EngineError, Kind};
use crate::plan::{Plan, Source};

/// How long the first connection, before the run, may take when the plan sets no limit.
const PREFLIGHT: Duration = Duration::from_secs(5);
/// Most ways (local addresses × ports) that are kept.
const MOST_ROUTES: usize = 1 << 20;

/// All ways to the target, or to the proxy before it, to be used in turn; proved by one connection that is closed at
/// once, and by one handshake where TLS is spoken.
pub fn routes(plan: &Plan, terms: Option<&Terms>) -> Result<Vec<Route>, EngineError> {
    let timeout = plan
        .timeouts
        .connect_s
        .map_or(PREFLIGHT, Duration::from_secs_f64);
    let reach = |route: &Route| {
        preflight(route, timeout).map_err(|error| unreachable(plan, &error.to_string()))
    };
    let (first, routes) = if let Some(path) = &plan.target.unix {
        let route = Route::unix(path).map_err(|e| {
            EngineError::new(
                Kind::Usage,
                format!("`{}` is not a socket path: {e}", path.display()),
            )
        })?;
        reach(&route)?;
        (route.clone(), vec![route])
    } else {
        let (peer, route) = reachable(plan, reach)?;
        (route, from_sources(peer, &plan.source)?)
    };
    if let Some(terms) = terms {
        knock(terms, &first, timeout).map_err(|refusal| refused(plan, &refusal))?;
    }
    Ok(routes)
}

/// The first address that answers, of the server or of the proxy before it, and the way there.
fn reachable(
    plan: &Plan,
    reach: impl Fn(&Route) -> Result<(), EngineError>,
) -> Result<(SocketAddr, Route), EngineError> {
    let (host, port) = match &plan.proxy {
        Some(proxy) => (&proxy.host, proxy.port),
        None => (&plan.target.host, plan.target.port),
    };
    let mut last = None;
    for peer in resolve(host, port)? {
        let reached = first_source(peer, &plan.source).and_then(|from| {
            let route = Route::tcp(peer, from);
            reach(&route).map(|()| (peer, route))
        });
        match reached {
            Ok(found) => return Ok(found),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| {
        EngineError::new(Kind::Target, format!("`{host}:{port}` has no address"))
            .hint("check the host's name")
    }))
}

fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, EngineError> {
    (host, port)
        .to_socket_addrs()
        .map(Iterator::collect)
        .map_err(|e| {
            EngineError::new(Kind::Target, format!("`{host}` cannot be resolved: {e}"))
                .hint("check the host's name; `getent hosts NAME` shows what this machine knows")
        })
}

fn refused(plan: &Plan, refusal: &Refusal) -> EngineError {
    if refusal.fault != Fault::Tls {
        return unreachable(plan, &refusal.words);
    }
    EngineError::new(
        Kind::Target,
        format!("`{}` cannot be spoken to: {}", name(plan), refusal.words),
    )
    .hint("`--ca FILE` names whom to trust, `--insecure` trusts anybody; is it a port for https?")
}

fn unreachable(plan: &Plan, error: &str) -> EngineError {
    let hint = match &plan.proxy {
        None => "is the server running, and is this its address and port?".into(),
        Some(proxy) => format!(
            "does the proxy `{}:{}` run, and does it let you through?",
            proxy.host, proxy.port
        ),
    };
    let message = format!("`{}` cannot be reached: {error}", name(plan));
    EngineError::new(Kind::Target, message).hint(hint)
}

fn name(plan: &Plan) -> String {
    match &plan.target.unix {
        Some(path) => path.display().to_string(),
        None => format!("{}:{}", plan.target.host, plan.target.port),
    }
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
