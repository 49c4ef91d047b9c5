//! Clients of other projects: curl and h2load, and the tests of h2spec.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::talk::{BIG, serve};

/// Runs a program that may be missing. `None`: it is.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output();
    let Ok(output) = output else {
        eprintln!("skipped: this machine has no {program}");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {said}{complaint}");
    Some(said)
}

#[test]
fn curl_reads_pages_large_and_small_and_posts() {
    let server = serve();
    let url = |path: &str| format!("http://{}{path}", server.address());
    let format = "-%{http_version} %{http_code} %{size_download}\n";
    let common = [
        "--http2-prior-knowledge",
        "-sS",
        "-w",
        format,
        "-o",
        "/dev/null",
    ];
    let ask = |more: &[&str]| run("curl", &[&common[..], more].concat());
    let Some(said) = ask(&[&url("/big")]) else {
        return;
    };
    assert_eq!(said, format!("-2 200 {BIG}\n"));
    let body = "x".repeat(100_000);
    let said = ask(&["-d", &body, &url("/pong?chunked=1&delay=20ms&interim=2")]).unwrap();
    assert_eq!(said, "-2 200 4\n");
    let said = ask(&["-I", &url("/big")]).unwrap();
    assert_eq!(said, "-2 200 0\n");
}

#[test]
fn h2load_gets_all_of_its_replies() {
    let server = serve();
    let url = |path: &str| format!("http://{}{path}", server.address());
    let common = ["-n", "2000", "-c", "4", "-m", "20"];
    for (options, path) in [
        (&[][..], "/pong"),
        (&["-w", "14", "-W", "16"], "/big"),
        (
            &["--header-table-size=0", "--encoder-header-table-size=0"],
            "/echo?value=x",
        ),
    ] {
        let count = if path == "/big" {
            ["-n", "100"]
        } else {
            ["-n", "2000"]
        };
        let url = url(path);
        let arguments = [&common[..], &count, options, &[&url]].concat();
        let Some(said) = run("h2load", &arguments) else {
            return;
        };
        let expected = format!(
            "{0} total, {0} started, {0} done, {0} succeeded, 0 failed",
            count[1]
        );
        assert!(said.contains(&expected), "{path}: {said}");
    }
    assert_eq!(server.requests(), 4_100);
}

/// The path of h2spec, which `make test` compiles where there is Go.
fn h2spec() -> PathBuf {
    let of_tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/h2spec");
    if of_tests.exists() {
        of_tests
    } else {
        "h2spec".into()
    }
}

#[test]
fn h2spec_finds_no_fault_but_those_that_are_meant() {
    let server = serve();
    let address = server.address();
    let (host, port) = address.rsplit_once(':').unwrap();
    let arguments = ["-h", host, "-p", port, "-P", "/pong", "-o", "5"];
    let Ok(output) = Command::new(h2spec()).args(arguments).output() else {
        eprintln!("skipped: this machine has no h2spec");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, listed) = said.split_once("Failures:").unwrap_or((&said, ""));
    // A close with unread bytes reaches the client as a reset.
    let failed: Vec<_> = listed
        .split("\u{d7} ")
        .skip(1)
        .filter(|fault| !fault.contains("connection reset by peer"))
        .filter_map(|fault| fault.lines().next())
        .collect();
    let meant = [
        // The port speaks HTTP/1, too, and answers in it.
        "2: Sends invalid connection preface",
        // RFC 9113 has no priorities.
        "1: Sends HEADERS frame that depend on itself",
        "2: Sends PRIORITY frame that depend on itself",
    ];
    assert_eq!(failed, meant, "{said}");
    assert!(said.contains("145 tests, 14"), "{said}");
}
