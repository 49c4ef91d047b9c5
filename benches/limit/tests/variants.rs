//! Each way of the bare limit really moves requests and replies, and counts what it does.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop there"
)]

use std::process::Command;

use reference::{Config, Page, Server};

const WAYS: [&[&str]; 15] = [
    &[],
    &["--no-multishot"],
    &["--link"],
    &["--no-defer-taskrun"],
    &["--fixed-files"],
    &["--write-fixed"],
    &["--send-zc"],
    &["--kernel-timers"],
    &["--reno"],
    &["--batch", "1"],
    &["--batch", "3"],
    &["--wait", "4"],
    // Calls of a connection, not a variant.
    &["2"],
    &["1", "--multishot"],
    &["3", "--multishot"],
];

fn limit(address: &str, words: &[&str]) -> (bool, String) {
    let told = Command::new(env!("CARGO_BIN_EXE_limit"))
        .args([address, "/pong", "8", "1", "0.1"])
        .args(words)
        .output()
        .unwrap();
    let text = if told.status.success() {
        told.stdout
    } else {
        told.stderr
    };
    (told.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn each_way_counts_the_replies_that_the_server_sent() {
    if let Some(why) = driver::probe().uring {
        println!("skipped: no io_uring here: {why}");
        return;
    }
    for words in WAYS {
        let page = Page::new("/pong", "text/plain", "PONG");
        let config = Config::new("127.0.0.1:0".parse().unwrap(), vec![page]);
        let server = Server::start(config).unwrap();
        let (worked, told) = limit(&server.address(), words);
        assert!(worked, "{words:?}: {told}");
        let counts: Vec<u64> = told
            .split_whitespace()
            .map(|n| n.parse().unwrap())
            .collect();
        let &[replies, enters] = counts.as_slice() else {
            panic!("{words:?}: {told}");
        };
        // One request asks for the length of the reply, and one of each connection may be under way at the end.
        let requests = server.requests();
        assert!(
            replies > 0 && (replies + 1..=replies + 9).contains(&requests),
            "{words:?}: {replies} replies to {requests} requests"
        );
        assert!(enters > 0, "{words:?}");
        if words == ["--batch", "1"] {
            assert!(enters >= replies, "{enters} for {replies}");
        }
    }
}

#[test]
fn a_rate_is_kept_to() {
    if let Some(why) = driver::probe().uring {
        println!("skipped: no io_uring here: {why}");
        return;
    }
    let page = Page::new("/pong", "text/plain", "PONG");
    let config = Config::new("127.0.0.1:0".parse().unwrap(), vec![page]);
    let server = Server::start(config).unwrap();
    let (worked, told) = limit(&server.address(), &["--rate", "1000"]);
    assert!(worked, "{told}");
    // 100 in a tenth of a second, and the one that asks for the reply's length.
    let requests = server.requests();
    assert!((50..=102).contains(&requests), "{requests}");
}

#[test]
fn what_is_no_variant_is_told() {
    for words in [
        &["--linked"][..],
        &["--batch", "0"],
        &["--link", "--wait"],
        &["--rate", "0"],
        &["2", "--singleshot"],
        &["--rate", "NaN"],
    ] {
        let server = Server::start(Config::new(
            "127.0.0.1:0".parse().unwrap(),
            vec![Page::new("/pong", "text/plain", "PONG")],
        ));
        let (worked, told) = limit(&server.unwrap().address(), words);
        let why = told.contains("was given") || told.contains("usage");
        assert!(!worked && why, "{words:?}: {told}");
    }
}
