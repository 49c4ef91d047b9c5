//! Connections mean the same however their bytes are split.

use crate::{
    DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PREFACE, RST_STREAM, WINDOW_UPDATE, ask,
    block, frame, get, head, request, settings, tell, told,
};
use proptest::prelude::*;
use std::fmt::Write;
use wire::h2::{Client, Options, Server};

/// The events of a client and what it sent, with the bytes in pieces of these sizes.
fn client_story(bytes: &[u8], sizes: &[usize]) -> (String, Vec<u8>) {
    let mut client = Client::new(Options::default(), 0);
    client.connect();
    let mut story = told(&mut client, &settings(&[])).unwrap();
    for _ in 0..3 {
        client.open(&request("GET", b"")).unwrap();
    }
    for piece in cut(bytes, sizes) {
        story.push(' ');
        if let Err(fault) = tell(&mut client, piece, &mut story) {
            write!(story, " {fault:?}").unwrap();
            break;
        }
    }
    (joined(&story), client.output().clone())
}

fn server_story(bytes: &[u8], sizes: &[usize]) -> (String, Vec<u8>) {
    let mut server = Server::new(Options::default());
    let mut story = String::new();
    for piece in cut(bytes, sizes) {
        story.push(' ');
        if let Err(fault) = ask(&mut server, piece, &mut story) {
            write!(story, " {fault:?}").unwrap();
            break;
        }
    }
    (joined(&story), server.output().clone())
}

/// Joins the parts of a body that came in several events: `1:a 1:b` is `1:ab`.
fn joined(story: &str) -> String {
    let mut joined: Vec<String> = Vec::new();
    for word in story.split_whitespace() {
        let body = word.split_once(':');
        match (body, joined.last_mut()) {
            (Some((id, data)), Some(last)) if last.starts_with(&format!("{id}:")) => {
                last.push_str(data);
            }
            _ => joined.push(word.to_owned()),
        }
    }
    joined.join(" ")
}

/// Splits bytes into pieces of these sizes, repeatedly.
fn cut<'a>(mut rest: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for &size in sizes.iter().cycle() {
        let (piece, after) = rest.split_at(size.min(rest.len()));
        pieces.push(piece);
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    pieces
}

fn part() -> impl Strategy<Value = Vec<u8>> {
    let id = prop_oneof![Just(1_u32), Just(3), Just(5), Just(0), Just(7), Just(2)];
    let kind = prop_oneof![0_u8..10, Just(DATA), Just(HEADERS), Just(77)];
    let text = "[a-z]{0,40}".prop_map(String::into_bytes);
    prop_oneof![
        (any::<bool>(), 1_u32..4).prop_map(|(end, number)| {
            let block = block(&[(":status", "200"), ("server", "x")]);
            frame(HEADERS, END_HEADERS | u8::from(end), 2 * number - 1, &block)
        }),
        (text, prop_oneof![Just(0), Just(END_STREAM)], 1_u32..4)
            .prop_map(|(text, end, number)| frame(DATA, end, 2 * number - 1, &text)),
        (0_u8..20, "[a-z]{20}").prop_map(|(padding, text)| {
            frame(DATA, 8, 1, &[&[padding][..], text.as_bytes()].concat())
        }),
        Just(head(0, &[(":status", "103")])),
        Just(frame(PING, 0, 0, b"abcdefgh")),
        Just(frame(RST_STREAM, 0, 3, &[0, 0, 0, 7])),
        Just(frame(GOAWAY, 0, 0, &[0, 0, 0, 3, 0, 0, 0, 0, b'x'])),
        Just(frame(WINDOW_UPDATE, 0, 1, &[0, 0, 1, 0])),
        (1_u16..8, 0_u32..100_000).prop_map(|setting| settings(&[setting])),
        (0_u32..6, any::<bool>()).prop_map(|(number, end)| get(u8::from(end), 2 * number + 1)),
        (
            kind,
            any::<u8>(),
            id,
            prop::collection::vec(any::<u8>(), 0..30)
        )
            .prop_map(|(kind, flags, id, payload)| frame(kind, flags, id, &payload)),
    ]
}

proptest! {
    #[test]
    fn the_bytes_of_a_server_mean_the_same(
        parts in prop::collection::vec(part(), 1..12),
        sizes in prop::collection::vec(1_usize..40, 1..10),
    ) {
        let bytes = parts.concat();
        let whole = client_story(&bytes, &[bytes.len()]);
        prop_assert_eq!(&client_story(&bytes, &[1]), &whole);
        prop_assert_eq!(&client_story(&bytes, &sizes), &whole);
    }

    #[test]
    fn the_bytes_of_a_client_mean_the_same(
        parts in prop::collection::vec(part(), 1..12),
        sizes in prop::collection::vec(1_usize..40, 1..10),
    ) {
        let bytes = [PREFACE, &settings(&[]), &parts.concat()].concat();
        let whole = server_story(&bytes, &[bytes.len()]);
        prop_assert_eq!(&server_story(&bytes, &[1]), &whole);
        prop_assert_eq!(&server_story(&bytes, &sizes), &whole);
    }
}
