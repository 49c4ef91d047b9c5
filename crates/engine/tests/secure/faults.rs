//! Failures of TLS before and during a run.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use engine::Kind;
use serde_json::{Value, json};

use crate::papers::PAPERS;
use crate::rig::{Rig, measure, plan};
use crate::terminator::Manners;

pub fn a_server_that_is_not_trusted_is_told_before_anything_is_sent(driver: &'static str) {
    let rig = Rig::new(driver, &Manners::default());
    for (tls, said) in [
        (
            json!({"ca": PAPERS.own.0}),
            "not signed by a trusted authority",
        ),
        (
            json!({"sni": "other.example"}),
            "not valid for name \"other.example\"",
        ),
    ] {
        let error = rig.refusal(&tls);
        assert_eq!(error.kind, Kind::Target, "{error}");
        assert!(error.message.contains(said), "{error}");
        assert!(error.hint.unwrap().contains("`--insecure`"));
    }
}

pub fn whom_to_trust_can_be_given_or_waived(driver: &'static str) {
    let rig = Rig::new(driver, &Manners::default());
    let waived = json!({"ca": null, "insecure": true, "sni": "other.example"});
    assert_eq!(rig.run(&waived, &json!({}))["calls"]["ok"], 60);
    // An IP address is verified by an address in the certificate, and is not sent as a server name.
    let tls = json!({"ca": PAPERS.authority});
    let target = json!({"host": "127.0.0.1", "port": rig.door.address.port(), "tls": tls});
    assert_eq!(rig.run(&tls, &json!({"target": target}))["calls"]["ok"], 60);

    let manners = Manners {
        papers: PAPERS.own.clone(),
        ..Manners::default()
    };
    let rig = Rig::new(driver, &manners);
    let words = "that of an authority, which is accepted only with `--ca`";
    assert!(rig.refusal(&json!({})).message.contains(words));
    let itself = json!({"ca": PAPERS.own.0});
    assert_eq!(rig.run(&itself, &json!({}))["calls"]["ok"], 60);
    let other = json!({"ca": PAPERS.own.0, "sni": "other.example"});
    let rig = Rig::new(driver, &manners);
    assert!(rig.refusal(&other).message.contains("not valid for name"));
}

pub fn a_client_certificate_is_shown_when_it_is_asked_for(driver: &'static str) {
    let manners = |only| Manners {
        only: Some(only),
        asks: true,
        ..Manners::default()
    };
    let (certificate, key) = &PAPERS.client;
    let shown = json!({"certificate": certificate, "key": key});
    for only in ["1.2", "1.3"] {
        let rig = Rig::new(driver, &manners(only));
        assert_eq!(rig.run(&shown, &json!({}))["calls"]["ok"], 60);
    }
    let error = Rig::new(driver, &manners("1.2")).refusal(&json!({}));
    assert!(error.message.contains("alert"), "{error}");
    // In TLS 1.3 the server refuses only after the client has finished the handshake: the calls fail.
    let rig = Rig::new(driver, &manners("1.3"));
    let more = json!({"stop": {"count": 8, "duration_s": 5.0}});
    let measured = measure(&plan(driver, rig.door.address, &json!({}), &more)).unwrap();
    assert_eq!(measured["calls"]["errors"], json!({"tls": 8}));
    let words = measured["first_failure"].as_str().unwrap();
    assert!(words.contains("alert CertificateRequired"), "{words}");
    assert_eq!(rig.server.requests(), 0);
}

pub fn versions_that_do_not_meet_are_told_in_words(driver: &'static str) {
    for (only, asked) in [("1.2", "1.3"), ("1.3", "1.2")] {
        let manners = Manners {
            only: Some(only),
            ..Manners::default()
        };
        let tls = json!({"min_version": asked, "max_version": asked});
        let error = Rig::new(driver, &manners).refusal(&tls);
        assert_eq!(error.kind, Kind::Target);
        assert!(error.message.contains("TLS: the server"), "{error}");
    }
}

pub fn files_that_cannot_be_used_are_told_at_once(driver: &'static str) {
    let rig = Rig::new(driver, &Manners::default());
    let (certificate, key) = &PAPERS.client;
    let empty = PAPERS.file(&format!("{driver}-empty"), b"");
    for (tls, said) in [
        (
            json!({"ca": "/no/such/file"}),
            "`/no/such/file` cannot be read",
        ),
        (json!({"ca": empty}), "holds no certificate"),
        (json!({"certificate": certificate}), "is given alone"),
        (
            json!({"certificate": certificate, "key": certificate}),
            "holds no private key",
        ),
        (
            json!({"certificate": certificate, "key": PAPERS.own.1}),
            "do not match",
        ),
        (
            json!({"sni": "no name"}),
            "`no name` is not a valid server name for TLS",
        ),
        (
            json!({"min_version": "1.3", "max_version": "1.2"}),
            "older version first",
        ),
    ] {
        let error = rig.refusal(&tls);
        assert_eq!(error.kind, Kind::Usage, "{error}");
        assert!(error.message.contains(said), "{error}");
    }
    let right = json!({"certificate": certificate, "key": key});
    assert_eq!(
        rig.run(&right, &json!({}))["calls"]["ok"],
        60,
        "shown only if asked for"
    );
}

/// A server that works for the two connections before the run, one of which has a handshake, and does `then` with
/// others.
fn turning(rig: &Rig, then: fn(TcpStream)) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, sound) = (listener.local_addr().unwrap(), rig.door.address);
    thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            if number <= 1 {
                let _ = pass(&stream, &TcpStream::connect(sound).unwrap());
            } else {
                thread::spawn(move || then(stream));
            }
        }
    });
    address
}

/// Passes bytes on in both directions until one of them ends.
fn pass(near: &TcpStream, far: &TcpStream) -> std::io::Result<()> {
    let (mut from, mut to) = (far.try_clone()?, near.try_clone()?);
    let downward = thread::spawn(move || std::io::copy(&mut from, &mut to));
    std::io::copy(&mut { near }, &mut { far })?;
    far.shutdown(std::net::Shutdown::Both)?;
    let _ = downward.join();
    Ok(())
}

fn hello(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0; 4096]);
}

fn garbage(mut stream: TcpStream) {
    hello(&mut stream);
    let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    hello(&mut stream);
}

fn end(mut stream: TcpStream) {
    hello(&mut stream);
    // The first bytes of a ServerHello, and no more.
    let _ = stream.write_all(&[22, 3, 3, 0, 90, 2, 0, 0]);
}

fn reset(mut stream: TcpStream) {
    // Unread bytes make the kernel send a reset.
    let _ = stream.read(&mut [0; 10]);
}

fn silence(mut stream: TcpStream) {
    hello(&mut stream);
    hello(&mut stream);
}

fn errors(driver: &'static str, then: fn(TcpStream), connect_s: f64) -> (Value, String) {
    let rig = Rig::new(driver, &Manners::default());
    let more = json!({
        "stop": {"count": 8, "duration_s": 5.0}, "timeouts": {"connect_s": connect_s},
    });
    let address = turning(&rig, then);
    let measured = measure(&plan(driver, address, &json!({}), &more)).unwrap();
    assert_eq!(measured["connections"]["failed"], 8);
    assert_eq!(measured["connections"]["opened"], 0);
    assert!(measured["times"]["tls"].is_null());
    let words = measured["first_failure"].as_str().unwrap().to_owned();
    (measured["calls"]["errors"].clone(), words)
}

pub fn what_goes_wrong_in_the_run_has_its_class(driver: &'static str) {
    for (then, class, said) in [
        (
            garbage as fn(TcpStream),
            "tls",
            "TLS: the server's bytes are not TLS",
        ),
        (end, "early_close", "during the TLS handshake"),
        (reset, "reset", "reset"),
    ] {
        let (errors, words) = errors(driver, then, 2.0);
        assert_eq!(errors, json!({class: 8}), "{words}");
        assert!(words.contains(said), "{words}");
    }
}

pub fn a_handshake_that_is_never_answered_is_a_connect_timeout(driver: &'static str) {
    let begun = std::time::Instant::now();
    let (errors, _) = errors(driver, silence, 0.3);
    assert_eq!(errors, json!({"connect_timeout": 8}));
    assert!(begun.elapsed() > Duration::from_millis(300));
}

pub fn a_server_that_chooses_another_protocol_is_told_before_the_run(driver: &'static str) {
    for (protocols, words) in [
        (&["http/1.1"][..], "NoApplicationProtocol"),
        (&[], "chose no protocol in the TLS handshake, not HTTP/2"),
    ] {
        let manners = Manners {
            protocols,
            ..Manners::default()
        };
        let rig = Rig::new(driver, &manners);
        let plan = plan(driver, rig.door.address, &json!({}), &json!({"http": "2"}));
        let error = measure(&plan).unwrap_err();
        assert_eq!(error.kind, Kind::Target);
        assert!(error.to_string().contains(words), "{error}");
    }
}
