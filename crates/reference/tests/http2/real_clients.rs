//! Clients of other projects: curl and h2load.

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
