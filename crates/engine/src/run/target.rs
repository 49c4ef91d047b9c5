//! The target of a run: resolves its name, connects once, and lists the routes to it.

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use driver::{Fault, Route, SocketOptions, preflight};
use secure::{HandshakeError, try_handshake};

use crate::error::{EngineError, Kind};
use crate::plan::compiled::CompiledPlan;
use crate::plan::http2::Http2;
use crate::plan::{Http, Plan, Source};
use crate::run::prior_knowledge::expect_http2;

/// Timeout of the first connection if the plan sets none.
const PREFLIGHT: Duration = Duration::from_secs(5);
/// Most routes (local addresses × ports).
const MOST_ROUTES: usize = 1 << 20;

/// The routes to the target, or to its proxy, which connections use in turn. One connection, with its TLS handshake if
/// there is one, is made and closed to prove that the target can be reached, unless the plan says not to.
pub fn routes(plan: &Plan, compiled: &CompiledPlan) -> Result<Vec<Route>, EngineError> {
    let timeout = plan
        .timeouts
        .connect_s
        .map_or(PREFLIGHT, Duration::from_secs_f64);
    let reach = |route: &Route| {
        if !plan.preflight {
            return Ok(());
        }
        if let (Some(quic), Some(tls)) =
            (compiled.http2.as_ref().and_then(Http2::quic), &compiled.tls)
        {
            let handshake = quic::try_handshake(tls, quic, route, timeout);
            return handshake.map_err(|refusal| no_quic(plan, &refusal));
        }
        preflight(route, timeout).map_err(|error| unreachable(plan, &error.to_string()))
    };
    let (first, routes) = if let Some(path) = &plan.target.unix {
        let route = Route::unix(path).map_err(|e| {
            EngineError::new(
                Kind::Usage,
                format!("`{}` is not a path of a Unix socket: {e}", path.display()),
            )
        })?;
        reach(&route)?;
        (route.clone(), vec![route])
    } else {
        let (peer, route) = reachable(plan, reach)?;
        (route, from_sources(peer, &plan.source)?)
    };
    if plan.preflight && plan.http != Http::V3 {
        check_protocol(plan, compiled, &first, timeout)?;
    }
    let options = options(&plan.source);
    let routes = routes.into_iter().map(|route| route.with(options));
    Ok(routes.collect())
}

/// Checks that the server speaks the protocol of the plan: with a TLS handshake, if there is one.
fn check_protocol(
    plan: &Plan,
    compiled: &CompiledPlan,
    route: &Route,
    timeout: Duration,
) -> Result<(), EngineError> {
    let Some(tls) = &compiled.tls else {
        let Some(http2) = &compiled.http2 else {
            return Ok(());
        };
        return expect_http2(http2, route, timeout).map_err(|what| {
            let name = name(plan);
            let message = format!("`{name}` does not speak HTTP/2 in clear text: {what}");
            EngineError::new(Kind::Target, message).hint(if has_grpc(plan) {
                "use `grpcs://` if it speaks TLS; check that the port serves gRPC"
            } else {
                "use `https://`, where it may be negotiated, or HTTP/1.1"
            })
        });
    };
    let negotiated = try_handshake(tls, route, timeout);
    let chosen = negotiated.map_err(|refusal| refused(plan, &refusal))?;
    if compiled.http2.is_none() || chosen.as_deref() == Some(b"h2") {
        return Ok(());
    }
    let chosen = chosen.map_or_else(
        || "no protocol".into(),
        |chosen| format!("`{}`", chosen.escape_ascii()),
    );
    let message = format!(
        "`{}` chose {chosen} in the TLS handshake, not HTTP/2",
        name(plan)
    );
    Err(EngineError::new(Kind::Target, message)
        .hint("use HTTP/1.1, or enable HTTP/2 in the server"))
}

/// The first address of the server, or of its proxy, that accepts a connection, and the route to it.
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
            .hint("check the host name")
    }))
}

fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, EngineError> {
    (host, port)
        .to_socket_addrs()
        .map(Iterator::collect)
        .map_err(|e| {
            EngineError::new(Kind::Target, format!("`{host}` cannot be resolved: {e}")).hint(
                format!(
                    "check the host name; `getent hosts {host}` shows how this machine resolves it"
                ),
            )
        })
}

fn refused(plan: &Plan, refusal: &HandshakeError) -> EngineError {
    if refusal.fault != Fault::Tls {
        return unreachable(plan, &refusal.words);
    }
    EngineError::new(
        Kind::Target,
        format!("the TLS handshake with `{}` failed: {}", name(plan), refusal.words),
    )
    .hint(if refusal.words.contains("not TLS") && has_grpc(plan) {
        "the server speaks no TLS on this port: try `grpc://`"
    } else if refusal.words.contains("not TLS") {
        "the server speaks no TLS on this port: try `http://`, or the port that serves https"
    } else if refusal.words.contains("NoApplicationProtocol") {
        "the server does not offer this version of HTTP over TLS: use another one"
    } else if refusal.words.contains("no complete TLS handshake") {
        "check that the port serves https; a server that speaks no TLS may wait for more"
    } else {
        "trust its certificate with `--ca FILE`, or any certificate with `--insecure`; check that the port serves https"
    })
}

fn has_grpc(plan: &Plan) -> bool {
    plan.requests.iter().any(|request| request.grpc)
}

/// No connection of HTTP/3 was established.
fn no_quic(plan: &Plan, refusal: &HandshakeError) -> EngineError {
    let name = name(plan);
    let words = &refusal.words;
    if refusal.fault == Fault::Tls {
        let is_protocol =
            words.contains("NoApplicationProtocol") || words.contains("no_application_protocol");
        let message = format!("the TLS handshake with `{name}` over QUIC failed: {words}");
        return EngineError::new(Kind::Target, message).hint(if is_protocol {
            "the server has QUIC on this port, but not HTTP/3: use another port or version"
        } else {
            "trust its certificate with `--ca FILE`, or any certificate with `--insecure`"
        });
    }
    EngineError::new(
        Kind::Target,
        format!("`{name}` cannot be reached with HTTP/3: {words}"),
    )
    .hint(
        "check that the server has HTTP/3 enabled on this port of UDP, and that nothing between blocks UDP; `--http 1.1` and \
         `--http 2` use TCP",
    )
}

fn unreachable(plan: &Plan, error: &str) -> EngineError {
    let hint = match &plan.proxy {
        None => "check that the server is running, and that this is its address and port".into(),
        Some(proxy) => format!(
            "check that the proxy `{}:{}` is running and lets this machine through",
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

fn options(source: &Source) -> SocketOptions {
    let size = |bytes: Option<u32>| bytes.map(|bytes| bytes as usize);
    SocketOptions {
        close_with_reset: source.close_with_reset,
        send_buffer: size(source.send_buffer_bytes),
        receive_buffer: size(source.receive_buffer_bytes),
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
                    "the source address `{first}` cannot connect to `{peer}`: expected the same IP version"
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
                "source ports `{low}-{high}`: expected LOW-HIGH with 1 ≤ LOW ≤ HIGH, at most {MOST_ROUTES} with all source addresses"
            ),
        ));
    }
    Ok((low..=high)
        .flat_map(|port| addresses.iter().map(move |a| SocketAddr::new(*a, port)))
        .map(|from| Route::tcp(peer, Some(from)))
        .collect())
}
