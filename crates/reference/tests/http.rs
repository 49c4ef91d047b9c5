//! The HTTP/1.0 and HTTP/1.1 of the reference server.

mod talk;

use std::io::{Read, Write};

use rustix::net::{SendFlags, send};
use talk::{
    BIG, ask, connect, get, last_get, last_pong, pong, reply, reply_with, rest, round_trip, serve,
    take,
};

#[test]
fn one_connection_answers_one_request_after_another() {
    let server = serve();
    let mut stream = connect(&server);
    for _ in 0..3 {
        round_trip(&mut stream);
    }
    assert_eq!(server.requests(), 3);
}

#[test]
fn version_and_connection_field_decide_whether_the_connection_stays() {
    let server = serve();
    assert_eq!(ask(&server, &last_get("/pong")), last_pong());
    assert_eq!(ask(&server, "GET /pong HTTP/1.0\r\n\r\n"), last_pong());
    let kept = reply_with("text/plain", 4, "Connection: keep-alive\r\n", "PONG");
    let twice = "GET /pong HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /pong HTTP/1.0\r\n\r\n";
    assert_eq!(ask(&server, twice), kept + &last_pong());
}

#[test]
fn requests_after_a_last_one_are_not_answered() {
    let server = serve();
    assert_eq!(
        ask(&server, &(last_get("/pong") + &get("/pong"))),
        last_pong()
    );
    assert_eq!(server.requests(), 1);
}

#[test]
fn a_head_request_gets_only_the_head() {
    let server = serve();
    let requests = get("/big").replace("GET", "HEAD") + &last_get("/pong?x").replace("GET", "HEAD");
    let big = reply_with("application/octet-stream", BIG, "", "");
    let small = last_pong().replace("\r\n\r\nPONG", "\r\n\r\n");
    assert_eq!(ask(&server, &requests), big + &small);
}

#[test]
fn an_unknown_path_is_not_found_and_the_connection_stays() {
    let server = serve();
    let answer = ask(&server, &(get("/nowhere") + &last_get("/pong")));
    assert!(answer.starts_with("HTTP/1.1 404 Not Found\r\n"), "{answer}");
    assert!(
        answer.ends_with(&("not found\n".to_owned() + &last_pong())),
        "{answer}"
    );
}

#[test]
fn a_target_in_absolute_form_names_the_same_page() {
    let server = serve();
    assert_eq!(ask(&server, &last_get("http://x/pong?a=b")), last_pong());
}

#[test]
fn echo_answers_its_value_in_xml() {
    let server = serve();
    let both = get("/echo?value=a%26b") + &get("/echo") + &last_get("/pong");
    let page = "<http_test><value>a&amp;b</value></http_test>";
    let error = "<http_test><error>no value specified</error></http_test>";
    let expected = reply("text/xml", page) + &reply("text/xml", error) + &last_pong();
    assert_eq!(ask(&server, &both), expected);
}

#[test]
fn invalid_requests_are_refused_and_the_connection_closes() {
    let server = serve();
    let long = format!("GET / HTTP/1.1\r\nHost: x\r\nLong: {}", "y".repeat(200_000));
    for (request, status) in [
        ("nonsense\r\n\r\n", "400 Bad Request"),
        ("GET /pong HTTP/1.1\r\n\r\n", "400 Bad Request"),
        (
            "GET /pong HTTP/3.0\r\nHost: x\r\n\r\n",
            "505 HTTP Version Not Supported",
        ),
        (
            "POST /pong HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "400 Bad Request",
        ),
        (long.as_str(), "431 Request Header Fields Too Large"),
    ] {
        let answer = ask(&server, request);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}\r\n")),
            "{answer}"
        );
        assert!(answer.contains("\r\nConnection: close\r\n"), "{answer}");
    }
}

#[test]
fn pipelined_requests_are_answered_in_order_however_their_bytes_are_split() {
    let server = serve();
    let requests = [
        &get("/pong"),
        "POST /pong HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
        &get("/echo?value=1"),
        "POST /echo?value=2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\
         5;a=b\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
        &last_get("/pong"),
    ]
    .concat();
    let echo = |value: &str| {
        reply(
            "text/xml",
            &format!("<http_test><value>{value}</value></http_test>"),
        )
    };
    let expected = pong() + &pong() + &echo("1") + &echo("2") + &last_pong();
    // Its answers show that the first piece was processed before the second is sent.
    let mut other = connect(&server);
    for at in 0..requests.len() {
        let mut stream = connect(&server);
        stream.write_all(&requests.as_bytes()[..at]).unwrap();
        round_trip(&mut other);
        stream.write_all(&requests.as_bytes()[at..]).unwrap();
        assert_eq!(rest(&mut stream), expected, "split at {at}");
    }
}

#[test]
fn a_client_that_expects_100_continue_gets_it() {
    let server = serve();
    let mut stream = connect(&server);
    let head =
        "POST /pong HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let interim = "HTTP/1.1 100 Continue\r\n\r\n";
    assert_eq!(take(&mut stream, interim.len()), interim);
    stream.write_all(b"abc").unwrap();
    assert_eq!(take(&mut stream, pong().len()), pong());
}

#[test]
fn a_client_that_has_shut_its_side_still_gets_its_replies() {
    let server = serve();
    let mut stream = connect(&server);
    stream
        .write_all((get("/pong?delay=1ms") + &get("/pong")).as_bytes())
        .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(rest(&mut stream), pong() + &pong());
}

#[test]
fn a_large_upload_is_read_and_discarded() {
    let server = serve();
    let mut stream = connect(&server);
    let head = format!(
        "POST /pong HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n",
        8 << 20
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&vec![b'x'; 8 << 20]).unwrap();
    assert_eq!(take(&mut stream, pong().len()), pong());
}

#[test]
fn urgent_data_inside_a_request_is_skipped_and_the_rest_is_read() {
    let server = serve();
    let mut stream = connect(&server);
    round_trip(&mut stream);
    for _ in 0..20 {
        stream.write_all(b"GET /pong HTTP/1.1\r\n").unwrap();
        send(&stream, b"!", SendFlags::OOB).unwrap();
        stream.write_all(b"Host: x\r\n\r\n").unwrap();
        assert_eq!(take(&mut stream, pong().len()), pong());
    }
}

#[test]
fn a_slow_reader_gets_every_byte_and_no_more_requests_are_read_meanwhile() {
    const REQUESTS: usize = 100;
    let server = serve();
    let mut stream = connect(&server);
    stream
        .write_all(get("/big").repeat(REQUESTS).as_bytes())
        .unwrap();
    let head = reply_with("application/octet-stream", BIG, "", "");
    let mut first = vec![0; head.len() + BIG];
    stream.read_exact(&mut first).unwrap();
    assert_eq!(String::from_utf8_lossy(&first[..head.len()]), head);
    let body = &first[head.len()..];
    assert!(
        body.iter()
            .enumerate()
            .all(|(place, byte)| usize::from(*byte) == place % 251)
    );
    assert!(server.requests() < REQUESTS as u64, "all were read at once");
    let mut next = first.clone();
    for _ in 1..REQUESTS {
        stream.read_exact(&mut next).unwrap();
        assert!(next == first);
    }
}
