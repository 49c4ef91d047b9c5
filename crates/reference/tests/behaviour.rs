//! Behaviour on request: delays, faults, framings, stalls.

mod talk;

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use reference::{PlannedStall, Server};
use talk::{
    ask, config, connect, get, last_get, last_pong, pong, reply_with, rest, round_trip, serve, take,
};

#[test]
fn a_delayed_reply_never_comes_early() {
    let server = serve();
    let mut stream = connect(&server);
    for (delay, least) in [
        ("20ms", 20),
        ("uniform:10ms-12ms", 10),
        ("bimodal:5ms,5ms,0.5", 5),
    ] {
        let start = Instant::now();
        stream
            .write_all(get(&format!("/pong?delay={delay}")).as_bytes())
            .unwrap();
        assert_eq!(take(&mut stream, pong().len()), pong());
        assert!(
            start.elapsed() >= Duration::from_millis(least),
            "{delay}: {:?}",
            start.elapsed()
        );
    }
}

#[test]
fn arrivals_are_recorded_when_asked_for() {
    let mut config = config();
    config.keep_arrivals = true;
    let server = Server::start(config).unwrap();
    let (mut stream, pause) = (connect(&server), Duration::from_millis(20));
    round_trip(&mut stream);
    std::thread::sleep(pause);
    (0..2).for_each(|_| round_trip(&mut stream));
    let came = server.take_arrivals();
    assert_eq!(came.len(), 3);
    assert!(came.is_sorted(), "{came:?}");
    assert!(
        came[1] - came[0] >= pause.as_nanos() as u64,
        "{came:?}: the second came after the pause"
    );
    assert!(server.take_arrivals().is_empty());
}

#[test]
fn arrivals_are_not_recorded_by_default() {
    let server = serve();
    round_trip(&mut connect(&server));
    assert!(server.take_arrivals().is_empty());
}

#[test]
fn the_real_delay_of_each_delayed_reply_is_recorded() {
    let server = serve();
    let (mut stream, start) = (connect(&server), Instant::now());
    for _ in 0..3 {
        stream.write_all(get("/pong?delay=7ms").as_bytes()).unwrap();
        assert_eq!(take(&mut stream, pong().len()), pong());
        round_trip(&mut stream);
    }
    let all = start.elapsed();
    let waited: Vec<Duration> = server
        .take_delays()
        .into_iter()
        .map(Duration::from_nanos)
        .collect();
    assert_eq!(
        waited.len(),
        3,
        "replies without a delay are not among them"
    );
    assert!(
        waited.iter().all(|wait| *wait >= Duration::from_millis(7)),
        "{waited:?}"
    );
    assert!(
        waited.iter().sum::<Duration>() <= all,
        "{waited:?} in {all:?}"
    );
    assert!(server.take_delays().is_empty());
}

#[test]
fn delayed_replies_keep_the_order_of_their_requests() {
    let server = serve();
    let all: String = ["30ms", "0ms", "exponential:5ms", "1ms"]
        .iter()
        .enumerate()
        .map(|(place, delay)| get(&format!("/echo?value={place}&delay={delay}")))
        .collect();
    let answer = ask(&server, &(all + &last_get("/pong")));
    let values: Vec<&str> = answer
        .split("<value>")
        .skip(1)
        .map(|part| &part[..1])
        .collect();
    assert_eq!(values, ["0", "1", "2", "3"]);
    assert!(answer.ends_with(&last_pong()));
}

#[test]
fn a_delay_on_one_connection_does_not_delay_others() {
    let server = serve();
    let (mut slow, mut quick) = (connect(&server), connect(&server));
    slow.write_all(get("/pong?delay=60s").as_bytes()).unwrap();
    round_trip(&mut quick);
    slow.set_nonblocking(true).unwrap();
    assert_eq!(
        slow.read(&mut [0]).unwrap_err().kind(),
        ErrorKind::WouldBlock
    );
}

#[test]
fn a_truncated_reply_has_exactly_the_bytes_it_should_have() {
    let server = serve();
    let whole = pong();
    for (fault, answer) in [
        ("close", ""),
        ("truncate:0", ""),
        ("truncate:20", &whole[..20]),
        ("truncate:9999", &whole),
        ("half", &whole[..whole.len() - 2]),
    ] {
        // The second request shows that a truncated reply is the last.
        let requests = get(&format!("/pong?fault={fault}")) + &get("/pong");
        assert_eq!(ask(&server, &requests), answer, "{fault}");
    }
}

#[test]
fn a_reset_arrives_as_a_reset() {
    let server = serve();
    let mut stream = connect(&server);
    stream
        .write_all(get("/pong?fault=reset").as_bytes())
        .unwrap();
    assert_eq!(
        stream.read(&mut [0]).unwrap_err().kind(),
        ErrorKind::ConnectionReset
    );
}

#[test]
fn a_reply_that_never_comes_holds_back_later_ones_until_the_client_closes() {
    let server = serve();
    let mut stream = connect(&server);
    stream
        .write_all((get("/pong") + &get("/pong?fault=never") + &get("/pong")).as_bytes())
        .unwrap();
    assert_eq!(take(&mut stream, pong().len()), pong());
    round_trip(&mut connect(&server));
    stream.set_nonblocking(true).unwrap();
    assert_eq!(
        stream.read(&mut [0]).unwrap_err().kind(),
        ErrorKind::WouldBlock
    );
    stream.set_nonblocking(false).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    // Closed with requests unread: the end comes as FIN or as RST.
    let end = stream.read(&mut [0]);
    assert!(
        matches!(end, Ok(0)) || end.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset)
    );
}

#[test]
fn a_dripped_reply_arrives_whole_and_not_before_its_last_drop() {
    let server = serve();
    let whole = pong();
    for (fault, drops) in [
        ("drip:10/1ms", whole.len().div_ceil(10)),
        ("slowhead:1ms", whole.len() - 4),
    ] {
        let start = Instant::now();
        let answer = ask(
            &server,
            &(get(&format!("/pong?fault={fault}")) + &last_get("/pong")),
        );
        let least = Duration::from_millis(drops as u64 - 1);
        assert!(start.elapsed() >= least, "{fault}: {:?}", start.elapsed());
        assert_eq!(answer, whole.clone() + &last_pong(), "{fault}");
    }
}

#[test]
fn garbage_is_not_http_and_ends_the_connection() {
    let answer = ask(&serve(), &get("/pong?fault=garbage"));
    assert!(
        !answer.is_empty() && !answer.starts_with("HTTP/"),
        "{answer:?}"
    );
}

#[test]
fn a_corrupt_body_differs_in_one_byte_of_the_body() {
    let server = serve();
    let answer = ask(&server, &last_get("/pong?fault=corrupt"));
    let differing: Vec<usize> = (0..last_pong().len())
        .filter(|place| answer.as_bytes()[*place] != last_pong().as_bytes()[*place])
        .collect();
    assert_eq!(answer.len(), last_pong().len());
    assert_eq!(differing.len(), 1);
    assert!(differing[0] >= last_pong().len() - 4);
    assert!(ask(&server, &last_get("/empty?fault=corrupt")).ends_with("\r\n\r\n"));
}

#[test]
fn a_wrong_status_and_a_wrong_length_are_sent() {
    let server = serve();
    let answer = ask(&server, &last_get("/pong?fault=status:503"));
    assert_eq!(
        answer,
        last_pong().replace("200 OK", "503 Service Unavailable")
    );
    let answer = ask(&server, &last_get("/pong?fault=status:204"));
    assert!(
        answer.starts_with("HTTP/1.1 204 No Content\r\n") && answer.ends_with("\r\n\r\n"),
        "{answer}"
    );
    assert!(!answer.contains("Content-Length"), "{answer}");
    for (fault, length) in [("length+5", 9), ("length-3", 1)] {
        let answer = ask(&server, &last_get(&format!("/pong?fault={fault}")));
        assert_eq!(
            answer,
            reply_with("text/plain", length, "Connection: close\r\n", "PONG"),
            "{fault}"
        );
    }
}

#[test]
fn a_fault_hits_its_share_of_requests_and_the_same_ones_for_the_same_seed() {
    const REQUESTS: usize = 1000;
    let hits = |seed| {
        let mut config = config();
        config.seed = seed;
        let server = Server::start(config).unwrap();
        let requests = get("/pong?fault=status:503&share=0.1").repeat(REQUESTS);
        let answer = ask(&server, &(requests + &last_get("/pong")));
        let hits: Vec<bool> = answer
            .split("HTTP/1.1 ")
            .skip(1)
            .map(|part| part.starts_with("503"))
            .collect();
        assert_eq!(hits.len(), REQUESTS + 1);
        hits
    };
    let first = hits(1);
    let count = first.iter().filter(|hit| **hit).count();
    // Four standard deviations of 1000 draws at 0.1 are 38.
    assert!((62..=138).contains(&count), "{count}");
    assert_eq!(first, hits(1));
    assert_ne!(first, hits(2));
}

#[test]
fn a_body_comes_in_chunks_with_a_trailer_or_until_the_end_on_request() {
    let server = serve();
    let head = "HTTP/1.1 200 OK\r\nServer: httpdyno-reference\r\nContent-Type: text/plain\r\n";
    let chunked = format!(
        "{head}Transfer-Encoding: chunked\r\nTrailer: X-Trailer\r\n\r\n\
         4\r\nPONG\r\n0\r\nX-Trailer: end\r\n\r\n"
    );
    let until_close = format!("{head}Connection: close\r\n\r\nPONG");
    let answer = ask(&server, &(get("/pong?chunked=1") + &last_get("/pong")));
    assert_eq!(answer, chunked + &last_pong());
    assert_eq!(ask(&server, &get("/pong?until_close=1")), until_close);
    let old = "GET /pong?chunked=1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    assert_eq!(ask(&server, old), until_close, "HTTP/1.0 knows no chunks");
}

#[test]
fn interim_replies_come_before_the_delayed_one() {
    let server = serve();
    let mut stream = connect(&server);
    stream
        .write_all(get("/pong?interim=2&delay=60s").as_bytes())
        .unwrap();
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n".repeat(2);
    assert_eq!(take(&mut stream, hints.len()), hints);
    assert_eq!(
        ask(&server, &last_get("/pong?interim=2")),
        hints + &last_pong()
    );
}

#[test]
fn a_malformed_option_is_refused_in_a_sentence() {
    let answer = ask(&serve(), &last_get("/pong?delay=soon&share=2"));
    assert!(
        answer.starts_with("HTTP/1.1 400 Bad Request\r\n"),
        "{answer}"
    );
    assert!(
        answer.contains("delay `soon`") || answer.contains("time `soon`"),
        "{answer}"
    );
    assert!(answer.contains("share `2`: expected"), "{answer}");
}

#[test]
fn a_stall_holds_up_every_thread_and_ends() {
    let mut config = config();
    config.threads = 2;
    let server = Server::start(config).unwrap();
    let mut others: Vec<_> = (0..8).map(|_| connect(&server)).collect();
    others.iter_mut().for_each(round_trip);
    let start = Instant::now();
    assert!(ask(&server, &last_get("/control/stall?for=100ms")).ends_with("stalled for 0.1 s\n"));
    for other in &mut others {
        round_trip(other);
        assert!(
            start.elapsed() >= Duration::from_millis(100),
            "{:?}",
            start.elapsed()
        );
    }
}

#[test]
fn a_planned_stall_begins_at_its_time_after_the_first_request() {
    let mut config = config();
    let length = Duration::from_millis(100);
    config.stall = Some(PlannedStall {
        after: Duration::ZERO,
        length,
    });
    let server = Server::start(config).unwrap();
    let start = Instant::now();
    let mut stream = connect(&server);
    round_trip(&mut stream);
    round_trip(&mut stream);
    assert!(start.elapsed() >= length, "{:?}", start.elapsed());
}

#[test]
fn a_stalled_server_can_be_stopped() {
    let server = serve();
    let mut stream = connect(&server);
    stream
        .write_all(get("/control/stall?for=3600s").as_bytes())
        .unwrap();
    take(&mut stream, 20);
    server.stop();
    rest(&mut stream);
}
