//! The properties of the fuzz targets, for their seeds and their findings.

#[path = "../../../fuzz/src/chunks.rs"]
mod chunks;
#[path = "../../../fuzz/src/fields.rs"]
mod fields;
#[path = "../../../fuzz/src/hpack.rs"]
mod hpack;
#[path = "../../../fuzz/src/http2.rs"]
mod http2;
#[path = "../../../fuzz/src/input.rs"]
mod input;
#[path = "../../../fuzz/src/memory.rs"]
mod memory;
#[path = "../../../fuzz/src/replies.rs"]
mod replies;
#[path = "../../../fuzz/src/transcript.rs"]
mod transcript;

use std::fs;
use std::path::Path;

#[global_allocator]
static MEMORY: memory::Counting = memory::Counting;

/// The corpus of a target and its findings, if there are any, by name.
fn inputs(target: &str) -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let folders = ["corpus", "findings"].map(|kind| fs::read_dir(root.join(kind).join(target)));
    let files = folders.into_iter().flatten().flatten();
    files
        .map(|file| {
            let path = file.expect("a folder that can be listed").path();
            let bytes = fs::read(&path).expect("a file that can be read");
            (path.display().to_string(), bytes)
        })
        .collect()
}

/// Checks the property of a target for each of its inputs; returns their number.
fn all(target: &str, hold: fn(&[u8])) -> usize {
    let inputs = inputs(target);
    for (name, bytes) in &inputs {
        eprintln!("{name}");
        hold(bytes);
    }
    inputs.len()
}

/// Checks the property of a target for each of its inputs with any byte removed, or replaced by one with a meaning.
fn all_but_a_byte(target: &str, hold: fn(&[u8])) {
    for (name, bytes) in inputs(target) {
        for at in 0..bytes.len() {
            eprintln!("{name}, changed at byte {at}");
            hold(&[&bytes[..at], &bytes[at + 1..]].concat());
            for other in *b"\r\n \t0f:;,\0\xff" {
                let mut changed = bytes.clone();
                changed[at] = other;
                hold(&changed);
            }
        }
    }
}

#[test]
fn replies_mean_the_same_however_they_are_cut() {
    assert!(all("reply_reader", replies::hold) >= 20);
}

#[test]
fn the_fields_of_a_reply_are_those_of_its_head() {
    assert!(all("reply_reader", fields::hold) >= 20);
    assert!(all("fields", fields::hold) >= 1);
}

#[test]
fn chunks_are_what_a_plain_decoder_makes_of_them() {
    assert!(all("chunk_reader", chunks::hold) >= 15);
}

#[test]
fn connections_of_http_2_mean_the_same_however_they_are_cut() {
    assert!(all("http2", http2::hold) >= 8);
}

#[test]
fn header_fields_are_encoded_as_they_were_decoded() {
    assert!(all("hpack", hpack::hold) >= 4);
}

#[test]
#[cfg_attr(miri, ignore = "an hour in an interpreter")]
fn a_byte_changed_anywhere_does_not_change_that() {
    all_but_a_byte("reply_reader", replies::hold);
    all_but_a_byte("chunk_reader", chunks::hold);
    all_but_a_byte("reply_reader", fields::hold);
    all_but_a_byte("http2", http2::hold);
    all_but_a_byte("hpack", hpack::hold);
}

#[test]
fn an_input_says_how_its_bytes_are_fed() {
    let of = |data: &'static [u8]| {
        let input = input::Input::of(data);
        let pieces: Vec<&[u8]> = input.pieces().collect();
        (input.head_only, pieces)
    };
    // `=` is 61, so 0 modulo 61: pieces of 1; `>` of 2.
    assert_eq!(
        of(b"H=>\nabcdef"),
        (true, vec![&b"a"[..], b"bc", b"d", b"ef"])
    );
    assert_eq!(of(b"\nab"), (false, vec![&b"a"[..], b"b"]));
    assert_eq!(of(b"ab"), (false, vec![&b"a"[..], b"b"]));
    assert_eq!(of(b""), (false, vec![]));
}
