//! Malformed replies.

use std::time::Duration;

use reference::hostile::{Act, Hostile};
use serde_json::json;

use crate::rig::{PONG, all_end_in, closed, ends, run, send};

const DEAF: Act = Act::Deaf(Duration::from_millis(400));

/// A reply with these header lines and this body; the connection stays open.
fn reply(headers: &str, body: &str) -> Vec<Act> {
    vec![send(format!("HTTP/1.1 200 OK\r\n{headers}\r\n{body}"))]
}

pub fn each_lie_about_the_length_ends_in_its_class(driver: &str) {
    let short = json!({"timeouts": {"reply_s": 0.2}});
    for (class, value) in [
        ("ok", "4, 4"),
        ("ok", "4\r\nContent-Length: 4"),
        ("ok", "000000000000000000000000000004"),
        ("wrong_body", "3"),
        ("wrong_body", "0"),
        ("reply_timeout", "5"),
        ("reply_timeout", "18446744073709551615"),
        ("protocol", "18446744073709551616"),
        ("protocol", "4\r\nContent-Length: 5"),
        ("protocol", "4, 5"),
        ("protocol", "-4"),
        ("protocol", "+4"),
        ("protocol", "0x4"),
        ("protocol", "4 4"),
        ("protocol", "4.0"),
        ("protocol", ""),
    ] {
        let acts = reply(&format!("Content-Length: {value}\r\n"), "PONG");
        all_end_in(driver, class, &[(value, acts)], &short);
    }
    let mut cut = reply("Content-Length: 18446744073709551615\r\n", "PONG");
    cut.push(Act::Close);
    all_end_in(driver, "early_close", &[("huge, then closed", cut)], &short);
}

pub fn each_malformed_chunk_is_a_protocol_error(driver: &str) {
    let cases: Vec<_> = [
        "zz\r\nPONG\r\n",
        "-4\r\nPONG\r\n",
        "+4\r\nPONG\r\n",
        "0x4\r\nPONG\r\n",
        " 4\r\nPONG\r\n",
        "\r\nPONG\r\n",
        ";x\r\nPONG\r\n",
        "4\nPONG\r\n",
        "4\r\nPONGX\r\n",
        "4\r\nPONG\n0\r\n\r\n",
        "3\r\nPONG\r\n0\r\n\r\n",
        "10000000000000000\r\nPONG",
    ]
    .into_iter()
    .map(|body| (body, reply("Transfer-Encoding: chunked\r\n", body)))
    .collect();
    all_end_in(driver, "protocol", &cases, &json!({}));
}

pub fn what_is_not_http_is_a_protocol_error(driver: &str) {
    let binary: Vec<u8> = (0..=255).rev().collect();
    let cases = [
        ("binary", vec![send(binary), DEAF]),
        ("zeroes", vec![send([0; 1000]), DEAF]),
        ("a TLS alert", vec![send([21, 3, 1, 0, 2, 2, 70]), DEAF]),
        (
            "HTTP/2 settings",
            vec![send([0, 0, 0, 4, 0, 0, 0, 0, 0]), DEAF],
        ),
        ("a greeting", vec![send("220 mail ESMTP\r\n"), DEAF]),
        ("HTTP/0.9", vec![send("<html>PONG</html>"), DEAF]),
        (
            "HTTP/2 in words",
            vec![send("HTTP/2.0 200 OK\r\n\r\n"), DEAF],
        ),
        ("no status", vec![send("HTTP/1.1 OK\r\n\r\n"), DEAF]),
        (
            "a status of four digits",
            vec![send("HTTP/1.1 2000 OK\r\n\r\n"), DEAF],
        ),
        ("a request", vec![send("GET / HTTP/1.1\r\n\r\n"), DEAF]),
        ("a folded header", reply("A: b\r\n c\r\n", "")),
        ("a header without a name", reply(": b\r\n", "")),
        ("a header without a colon", reply("Ab\r\n", "")),
        ("a NUL in a header", reply("A: \0\r\n", "")),
        ("100 headers", reply(&"A: b\r\n".repeat(100), "")),
        (
            "101 upgrade",
            vec![send("HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n"), DEAF],
        ),
    ];
    all_end_in(driver, "protocol", &cases, &json!({}));
}

pub fn a_doubtful_framing_is_read_and_the_connection_left(driver: &str) {
    let chunks = "4\r\nPONG\r\n0\r\n\r\n";
    for (headers, body) in [
        (
            "Content-Length: 99\r\nTransfer-Encoding: chunked\r\n",
            chunks,
        ),
        ("Content-Length: 4\r\nConnection: close\r\n", "PONG"),
    ] {
        let acts = reply(headers, body);
        let server = Hostile::start(move |_| acts.clone()).unwrap();
        let more = json!({"stop": {"count": 10, "duration_s": 5.0}, "load": closed(2)});
        assert_eq!(
            ends(&run(driver, &server, &more)),
            json!({"ok": 10}),
            "{headers}"
        );
        assert_eq!(server.connections(), 10, "{headers}");
    }
}

pub fn interim_replies_are_skipped_up_to_a_bound(driver: &str) {
    let storm = |count| {
        let mut bytes = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(count);
        bytes.extend_from_slice(PONG);
        vec![send(bytes)]
    };
    all_end_in(
        driver,
        "ok",
        &[("one", storm(1)), ("32", storm(32))],
        &json!({}),
    );
    all_end_in(
        driver,
        "protocol",
        &[("33", storm(33)), ("9,999", storm(9_999))],
        &json!({}),
    );
}

pub fn a_coding_that_was_not_asked_for_is_a_wrong_body(driver: &str) {
    // `PONG` in gzip: ten bytes of header, a stored block, CRC-32 and length.
    let gzip: &[u8] = &[
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1, 4, 0, 0xfb, 0xff, b'P', b'O', b'N', b'G', 0x5d,
        0xb6, 0x73, 0x95, 4, 0, 0, 0,
    ];
    let mut bytes = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        gzip.len()
    )
    .into_bytes();
    bytes.extend_from_slice(gzip);
    all_end_in(
        driver,
        "wrong_body",
        &[("gzip", vec![send(bytes)])],
        &json!({}),
    );
}
