//! Proxies: a tunnel for TLS, the absolute form without it.

use engine::{Kind, Plan};
use serde_json::{Value, json};

use crate::papers::PAPERS;
use crate::proxy::{Act, Answer, Proxy};
use crate::rig::{Rig, big, measure, plan};
use crate::terminator::Manners;

const REFUSAL: &str = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n";

fn through(proxy: &Proxy) -> Value {
    json!({"host": "127.0.0.1", "port": proxy.address.port(), "authorization": "Basic YTpi"})
}

fn tunnelled(rig: &Rig, proxy: &Proxy, more: &Value) -> Plan {
    let mut plan = plan(rig.driver, rig.door.address, &json!({}), more);
    plan.proxy = serde_json::from_value(through(proxy)).unwrap();
    plan
}

pub fn a_tunnel_carries_tls_byte_for_byte(driver: &'static str) {
    let rig = Rig::new(driver, &Manners::default());
    let right = PAPERS.file(&format!("{driver}-tunnelled"), &big());
    let request = json!({"path": "/big", "expect": {"body": {"file": right}}});
    for piece in [1000, 7] {
        let proxy = Proxy::start(if piece == 7 {
            |_| Act::Open(7)
        } else {
            |_| Act::Open(1000)
        });
        let more = json!({"requests": [request], "calls_per_connection": 5});
        let measured = measure(&tunnelled(&rig, &proxy, &more)).unwrap();
        assert_eq!(measured["calls"]["ok"], 60, "{measured}");
        let opened = measured["connections"]["opened"].as_u64().unwrap();
        let heads = proxy.heads();
        assert_eq!(heads.len() as u64, opened + 1, "one more before the run");
        let port = rig.door.address.port();
        let asked = format!(
            "CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost:{port}\r\n\
             Proxy-Authorization: Basic YTpi"
        );
        assert!(heads.iter().all(|head| *head == asked), "{}", heads[0]);
    }
    std::fs::remove_file(right).unwrap();
}

pub fn a_proxy_that_does_not_open_a_way_is_told_before_the_run(driver: &'static str) {
    let rig = Rig::new(driver, &Manners::default());
    let cases: [(Answer, &str); 3] = [
        (
            |_| Act::Say(REFUSAL),
            "the proxy answered CONNECT with status 407",
        ),
        (
            |_| Act::Say("SSH-2.0-OpenSSH_9.2\r\n"),
            "answer to CONNECT is not HTTP",
        ),
        (
            |_| Act::Say(""),
            "closed the connection before answering CONNECT",
        ),
    ];
    for (answer, said) in cases {
        let proxy = Proxy::start(answer);
        let error = measure(&tunnelled(&rig, &proxy, &json!({}))).unwrap_err();
        assert_eq!(error.kind, Kind::Target);
        assert!(error.message.contains(said), "{error}");
        assert!(error.hint.unwrap().contains("lets this machine through"));
        assert_eq!(rig.door.connections(), 0);
    }
}

/// The first two connections are the ones made before the run.
pub fn a_proxy_that_fails_in_the_run_has_its_class(driver: &'static str) {
    let rig = Rig::new(driver, &Manners::default());
    let cases: [(Answer, &str); 3] = [
        (
            |n| {
                if n <= 1 {
                    Act::Open(99)
                } else {
                    Act::Say(REFUSAL)
                }
            },
            "refused",
        ),
        (
            |n| {
                if n <= 1 {
                    Act::Open(99)
                } else {
                    Act::Say("no\r\n\r\n")
                }
            },
            "protocol",
        ),
        (
            |n| if n <= 1 { Act::Open(99) } else { Act::Say("") },
            "early_close",
        ),
    ];
    for (answer, class) in cases {
        let proxy = Proxy::start(answer);
        let more = json!({"stop": {"count": 8, "duration_s": 5.0}});
        let measured = measure(&tunnelled(&rig, &proxy, &more)).unwrap();
        assert_eq!(measured["calls"]["errors"], json!({class: 8}), "{measured}");
        assert_eq!(measured["connections"]["failed"], 8);
        assert!(
            measured["first_failure"]
                .as_str()
                .unwrap()
                .contains("proxy")
        );
    }
}

pub fn a_forward_proxy_is_asked_for_the_whole_address(driver: &'static str) {
    let rig = Rig::new(driver, &Manners::default());
    let proxy = Proxy::start(|_| {
        Act::Say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nPONG")
    });
    let mut plan = plan(driver, rig.door.address, &json!({}), &json!({}));
    plan.target.tls = None;
    plan.proxy = serde_json::from_value(through(&proxy)).unwrap();
    let measured = measure(&plan).unwrap();
    assert_eq!(measured["calls"]["ok"], 60);
    assert!(measured["handshakes"].is_null());
    let host = format!("localhost:{}", rig.door.address.port());
    let asked = format!(
        "GET http://{host}/pong HTTP/1.1\r\nHost: {host}\r\nProxy-Authorization: Basic YTpi"
    );
    let heads = proxy.heads();
    assert_eq!(heads.len(), 60);
    assert!(heads.iter().all(|head| *head == asked), "{}", heads[0]);
    assert_eq!(rig.door.connections(), 0);
}
