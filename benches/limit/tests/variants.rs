//! Every variant of the bare limit moves requests and replies, and counts them.

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
    let output = Command::new(env!("CARGO_BIN_EXE_limit"))
        .args([address, "/pong", "8", "1", "0.1"])
        .args(words)
        .output()
        .unwrap();
    let text = if output.status.success() {
        output.stdout
    } else {
        output.stderr
    };
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn each_variant_counts_the_replies_that_the_server_sent() {
    if let Some(why) = driver::probe().uring {
        println!("skipped: no io_uring here: {why}");
        return;
    }
    for words in WAYS {
        let page = Page::new("/pong", "text/plain", "PONG");
        let config = Config::new("127.0.0.1:0".parse().unwrap(), vec![page]);
        let server = Server::start(config).unwrap();
        let (worked, output) = limit(&server.address(), words);
        assert!(worked, "{words:?}: {output}");
        let counts: Vec<u64> = output
            .split_whitespace()
            .map(|n| n.parse().unwrap())
            .collect();
        let &[replies, enters] = counts.as_slice() else {
            panic!("{words:?}: {output}");
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
fn a_rate_is_kept() {
    if let Some(why) = driver::probe().uring {
        println!("skipped: no io_uring here: {why}");
        return;
    }
    let page = Page::new("/pong", "text/plain", "PONG");
    let config = Config::new("127.0.0.1:0".parse().unwrap(), vec![page]);
    let server = Server::start(config).unwrap();
    let (worked, output) = limit(&server.address(), &["--rate", "1000"]);
    assert!(worked, "{output}");
    // 100 in a tenth of a second, and the one that asks for the reply's length.
    let requests = server.requests();
    assert!((50..=102).contains(&requests), "{requests}");
}

#[test]
fn an_unknown_variant_is_refused() {
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
        let (worked, output) = limit(&server.unwrap().address(), words);
        let why = output.contains("is not a variant")
            || output.contains("expected")
            || output.contains("usage");
        assert!(!worked && why, "{words:?}: {output}");
    }
}
