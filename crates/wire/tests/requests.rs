//! The bytes of requests.

use wire::{Request, RequestError, Version, encode};

fn get() -> Request<'static> {
    Request {
        method: "GET",
        target: "/a?b=c",
        version: Version::V11,
        keep_alive: true,
        host: "localhost:8080",
        headers: &[],
        body: b"",
    }
}

fn text(request: &Request) -> String {
    let mut out = Vec::new();
    encode(request, &mut out).expect("this request can be written");
    String::from_utf8(out).expect("a request of text is text")
}

fn header(name: &str, value: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), value.to_owned())]
}

#[test]
fn a_get_is_its_line_and_host() {
    assert_eq!(
        text(&get()),
        "GET /a?b=c HTTP/1.1\r\nHost: localhost:8080\r\n\r\n"
    );
}

#[test]
fn requests_are_appended_so_that_a_pipeline_can_be_built() {
    let mut out = b"before".to_vec();
    encode(&get(), &mut out).unwrap();
    encode(&get(), &mut out).unwrap();
    assert_eq!(out, format!("before{0}{0}", text(&get())).into_bytes());
}

#[test]
fn connection_says_only_what_differs_from_the_habit_of_the_version() {
    let cases = [
        (Version::V11, true, ""),
        (Version::V11, false, "Connection: close\r\n"),
        (Version::V10, true, "Connection: keep-alive\r\n"),
        (Version::V10, false, ""),
    ];
    for (version, keep_alive, line) in cases {
        let sent = text(&Request {
            version,
            keep_alive,
            ..get()
        });
        let first = format!("GET /a?b=c {}\r\n", version.as_str());
        assert_eq!(sent, format!("{first}Host: localhost:8080\r\n{line}\r\n"));
    }
}

#[test]
fn a_body_brings_its_length_and_a_post_does_so_even_without_one() {
    let sent = text(&Request {
        method: "POST",
        body: b"value=1",
        ..get()
    });
    assert!(sent.ends_with("Content-Length: 7\r\n\r\nvalue=1"), "{sent}");
    for method in ["POST", "PUT", "PATCH"] {
        let sent = text(&Request { method, ..get() });
        assert!(sent.ends_with("Content-Length: 0\r\n\r\n"), "{sent}");
    }
    assert!(
        text(&Request {
            body: b"x",
            ..get()
        })
        .contains("Content-Length: 1\r\n")
    );
}

#[test]
fn what_the_user_gives_in_any_case_replaces_what_would_be_added() {
    for (name, value, absent) in [
        ("host", "other", "Host: localhost"),
        ("content-length", "3", "Content-Length:"),
        ("transfer-encoding", "chunked", "Content-Length:"),
        ("CONNECTION", "upgrade", "Connection:"),
    ] {
        let headers = header(name, value);
        let request = Request {
            headers: &headers,
            body: b"abc",
            keep_alive: false,
            ..get()
        };
        let sent = text(&request);
        assert!(sent.contains(&format!("{name}: {value}\r\n")), "{sent}");
        assert!(!sent.contains(absent), "{sent}");
    }
}

#[test]
fn nothing_that_would_end_a_word_or_a_line_early_is_let_through() {
    for bad in ["", "G T", "GET\r", "GET\0", "G(T"] {
        let refused = encode(
            &Request {
                method: bad,
                ..get()
            },
            &mut Vec::new(),
        );
        assert!(matches!(refused, Err(RequestError::Method(_))), "{bad:?}");
    }
    for bad in ["", "/a b", "/\r\nX: y", "/\t", "/\0"] {
        let refused = encode(
            &Request {
                target: bad,
                ..get()
            },
            &mut Vec::new(),
        );
        assert!(matches!(refused, Err(RequestError::Target(_))), "{bad:?}");
    }
    let refused = encode(
        &Request {
            host: "a\r\nX: y",
            ..get()
        },
        &mut Vec::new(),
    );
    assert!(matches!(refused, Err(RequestError::Host(_))));
    for bad in ["", "A B", "A:", "A\n"] {
        let headers = header(bad, "v");
        let refused = encode(
            &Request {
                headers: &headers,
                ..get()
            },
            &mut Vec::new(),
        );
        assert!(
            matches!(refused, Err(RequestError::HeaderName(_))),
            "{bad:?}"
        );
    }
    for bad in ["a\rb", "a\nb", "a\0b"] {
        let headers = header("X", bad);
        let refused = encode(
            &Request {
                headers: &headers,
                ..get()
            },
            &mut Vec::new(),
        );
        assert_eq!(refused, Err(RequestError::HeaderValue("X".to_owned())));
    }
}

#[test]
fn a_refused_request_leaves_the_output_as_it_was_and_is_named_on_one_line() {
    let mut out = b"kept".to_vec();
    let refused = encode(
        &Request {
            target: "/\r\nX",
            ..get()
        },
        &mut out,
    )
    .unwrap_err();
    assert_eq!(out, b"kept");
    assert_eq!(
        refused.to_string(),
        "invalid path `/\\r\\nX`: expected a non-empty text without spaces and control characters"
    );
}
