//! Start, counters and stop of the server.

mod talk;

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::process::Command;

use reference::{Config, Listen, Page, ReferenceError, Server};
use talk::{config, connect, last_get, last_pong, rest, round_trip, serve, take};

fn refused(config: Config) -> ReferenceError {
    Server::start(config)
        .err()
        .expect("the server should not have started")
}

#[test]
fn requests_are_counted_exactly_over_all_threads() {
    let mut config = config();
    config.threads = 2;
    let server = Server::start(config).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut stream = connect(&server);
                (0..100).for_each(|_| round_trip(&mut stream));
            });
        }
    });
    assert_eq!(server.requests(), 800);
}

#[test]
fn a_stopped_server_closes_its_connections_and_frees_its_port() {
    let server = serve();
    let address = server.address();
    let mut stream = connect(&server);
    round_trip(&mut stream);
    server.stop();
    assert_eq!(rest(&mut stream), "");
    let mut again = config();
    again.listen = address.parse().unwrap();
    assert_eq!(Server::start(again).unwrap().address(), address);
}

#[test]
fn a_port_in_use_is_reported_for_any_number_of_threads() {
    for (mine, theirs) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        let mut first = config();
        first.threads = mine;
        let server = Server::start(first).unwrap();
        let mut second = config();
        second.threads = theirs;
        second.listen = server.address().parse().unwrap();
        let error = refused(second);
        let message = format!(
            "cannot listen on `{}`: another program already does",
            server.address()
        );
        assert_eq!(error.to_string(), message, "{mine} and {theirs} threads");
        assert!(error.hint().is_some());
    }
}

#[test]
fn an_impossible_configuration_is_refused_in_a_sentence() {
    let with = |change: &dyn Fn(&mut Config)| {
        let mut config = config();
        change(&mut config);
        refused(config).to_string()
    };
    assert_eq!(
        with(&|config| config.threads = 0),
        "`threads` is 0; expected 1 to 1024"
    );
    assert_eq!(
        with(&|config| config.threads = usize::MAX),
        format!("`threads` is {}; expected 1 to 1024", usize::MAX)
    );
    assert!(with(&|config| config.cpus = Some(vec![])).starts_with("the list of CPUs is empty"));
    assert!(with(&|config| config.cpus = Some(vec![9999])).starts_with("cannot use CPU `9999`"));
    let twice = with(&|config| config.pages.push(Page::new("/pong", "text/plain", "")));
    assert_eq!(
        twice,
        "page `/pong` is given twice; expected each path once"
    );
    let elsewhere = with(&|config| config.listen = "192.0.2.1:0".parse().unwrap());
    assert_eq!(
        elsewhere,
        "cannot listen on `192.0.2.1:0`: not an address of this machine"
    );
}

#[test]
fn the_program_refuses_a_number_of_threads_that_no_server_can_have() {
    for threads in ["0", "1025", "99999999999999999999", "-1", "two"] {
        let answer = Command::new(env!("CARGO_BIN_EXE_httpdyno-reference"))
            .args(["--listen", "127.0.0.1:0", "--threads", threads])
            .output()
            .unwrap();
        let complaint = String::from_utf8(answer.stderr).unwrap();
        let expected =
            format!("error: `--threads {threads}`: expected a whole number from 1 to 1024\nhint: ");
        assert_eq!(answer.status.code(), Some(2), "{threads}: {complaint}");
        assert!(complaint.starts_with(&expected), "{complaint}");
    }
}

#[test]
fn a_unix_socket_serves_and_its_file_goes_with_the_server() {
    let name = format!("httpdyno-reference-{}.sock", std::process::id());
    let path = std::env::temp_dir().join(name);
    // The file that a killed server left behind does not block the next one.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let mut config = config();
    config.listen = Listen::Unix(path.clone());
    config.threads = 2;
    let again = config.clone();
    let server = Server::start(config).unwrap();
    assert_eq!(server.address(), format!("unix:{}", path.display()));
    let mut stream = UnixStream::connect(&path).unwrap();
    stream.write_all(last_get("/pong").as_bytes()).unwrap();
    assert_eq!(take(&mut stream, last_pong().len()), last_pong());
    assert!(
        refused(again)
            .to_string()
            .ends_with("another program already does")
    );
    server.stop();
    assert!(!path.exists());
}

#[test]
fn a_file_that_is_not_a_socket_is_left_alone() {
    let path = std::env::temp_dir().join(format!("httpdyno-reference-{}.txt", std::process::id()));
    std::fs::write(&path, "precious").unwrap();
    let mut config = config();
    config.listen = Listen::Unix(path.clone());
    let message = refused(config).to_string();
    let kept = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(message.contains("exists and is not a socket"), "{message}");
    assert_eq!(kept, "precious");
}

#[test]
fn ipv6_is_served_like_ipv4() {
    let mut config = config();
    config.listen = "[::1]:0".parse().unwrap();
    let server = match Server::start(config) {
        Ok(server) => server,
        Err(ReferenceError::NotOurAddress(_) | ReferenceError::Listen(..)) => {
            eprintln!("skipped: this machine has no IPv6");
            return;
        }
        Err(other) => panic!("{other}"),
    };
    let mut stream = connect(&server);
    round_trip(&mut stream);
}
