//! A server that is broken or hostile: none makes the client panic, wait for ever, or use memory without limit.

use crate::memory::allocated_by;
use crate::{
    CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PING, RST_STREAM, block, client, frame,
    head, last_code, request, sent, settings, told,
};
use wire::h2::Fault;
use wire::hpack::HpackError;

#[test]
fn invalid_replies_end_their_stream_and_no_other() {
    let ok: &[(&str, &str)] = &[(":status", "200")];
    let with = |field: (&'static str, &'static str)| head(0, &[(":status", "200"), field]);
    for (bytes, reason) in [
        (head(0, &[("a", "b")]), "Status"),
        (head(0, &[(":status", "20")]), "Status"),
        (head(0, &[(":status", "099")]), "Status"),
        (head(0, &[(":status", "2x0")]), "Status"),
        (head(0, &[(":status", "101")]), "Status"),
        (
            head(0, &[(":status", "200"), (":status", "200")]),
            "PseudoField",
        ),
        (head(0, &[("a", "b"), (":status", "200")]), "PseudoField"),
        (with((":path", "/")), "PseudoField"),
        (with(("Upper", "x")), "FieldName"),
        (with(("a b", "x")), "FieldName"),
        (with(("a:b", "x")), "FieldName"),
        (with(("", "x")), "FieldName"),
        (with(("a", "x\r\ny: z")), "FieldValue"),
        (with(("a", "x\0")), "FieldValue"),
        (with(("a", " x")), "FieldValue"),
        (with(("connection", "close")), "ConnectionField"),
        (with(("transfer-encoding", "chunked")), "ConnectionField"),
        (with(("content-length", "-1")), "ContentLength"),
        (
            with(("content-length", "18446744073709551616")),
            "ContentLength",
        ),
        (
            head(
                0,
                &[
                    (":status", "200"),
                    ("content-length", "1"),
                    ("content-length", "2"),
                ],
            ),
            "ContentLength",
        ),
        (head(END_STREAM, &[(":status", "103")]), "Order"),
        (frame(DATA, 0, 1, b"x"), "Order"),
        ([head(0, ok), head(0, &[("a", "b")])].concat(), "Order"),
        ([head(0, ok), head(END_STREAM, ok)].concat(), "PseudoField"),
        (
            head(END_STREAM, &[(":status", "200"), ("content-length", "1")]),
            "BodyLength",
        ),
        (
            [
                with(("content-length", "2")),
                frame(DATA, END_STREAM, 1, b"x"),
            ]
            .concat(),
            "BodyLength",
        ),
        (
            [with(("content-length", "2")), frame(DATA, 0, 1, b"xyz")].concat(),
            "BodyLength",
        ),
        (
            [
                with(("content-length", "2")),
                head(END_STREAM, &[("a", "b")]),
            ]
            .concat(),
            "BodyLength",
        ),
        (
            [head(0, &[(":status", "204")]), frame(DATA, 0, 1, b"x")].concat(),
            "BodyLength",
        ),
        (head(0, &[(":status", "100")]).repeat(33), "TooManyInterim"),
    ] {
        let get = request("GET", b"");
        let mut client = client(b"", &[&get, &get]);
        let story = told(&mut client, &bytes).unwrap();
        let last = story.split(' ').next_back().unwrap();
        assert_eq!(last, format!("1?{reason}"), "{story}");
        let frames = sent(client.output());
        assert_eq!(frames.last().unwrap().0, RST_STREAM);
        assert_eq!(last_code(client.output()), 1);
        let other = frame(HEADERS, END_HEADERS | END_STREAM, 3, &block(ok));
        assert_eq!(told(&mut client, &other).unwrap(), "3=200 3.", "{reason}");
    }
    let mut client = client(b"", &[&request("HEAD", b"")]);
    let bytes = head(END_STREAM, &[(":status", "200"), ("content-length", "7")]);
    assert_eq!(
        told(&mut client, &bytes).unwrap(),
        "1=200(7) 1.",
        "a reply to HEAD"
    );
}

/// Feeds `bytes` again and again, up to 64 MiB or a fault; the output is not read. Returns the fault and the memory used.
fn flood(bytes: &[u8]) -> (Option<Fault>, usize) {
    let mut client = client(b"", &[&request("GET", b"")]);
    let rounds = (64 << 20) / bytes.len();
    allocated_by(|| (0..rounds).find_map(|_| told(&mut client, bytes).err()))
}

#[test]
#[cfg_attr(miri, ignore = "an hour in an interpreter")]
fn floods_of_frames_end_the_connection_and_take_little_memory() {
    let empty = frame(DATA, 0, 1, b"");
    for (bytes, what) in [
        (frame(PING, 0, 0, &[0; 8]), "PING"),
        (settings(&[(4, 100)]), "SETTINGS"),
        (settings(&[(4, 100); 200]), "SETTINGS of many values"),
        (frame(4, 1, 0, b""), "acknowledgements"),
        (frame(2, 0, 1, &[0; 5]), "PRIORITY"),
        (frame(99, 0, 0, b""), "unknown frames"),
        (frame(8, 0, 0, &[0, 0, 0, 1]), "WINDOW_UPDATE"),
        (frame(7, 0, 0, &[0x7f, 255, 255, 255, 0, 0, 0, 0]), "GOAWAY"),
        (
            [head(0, &[(":status", "200")]), empty.repeat(20_000)].concat(),
            "empty DATA",
        ),
    ] {
        let (fault, memory) = flood(&bytes);
        assert!(matches!(fault, Some(Fault::Flood(_))), "{what}: {fault:?}");
        // Each fault is a text of its own, and so is each story of the test.
        assert!(memory < 4 << 20, "{what}: {memory} bytes");
    }
}

#[test]
#[cfg_attr(miri, ignore = "an hour in an interpreter")]
fn a_block_without_end_is_refused_by_its_bytes_or_by_its_frames() {
    let start = frame(HEADERS, 0, 1, &block(&[(":status", "200")]));
    for piece in [&b""[..], b"x", &[0; 16_384]] {
        let bytes = [
            start.clone(),
            frame(CONTINUATION, 0, 1, piece).repeat(1_000),
        ]
        .concat();
        let mut client = client(b"", &[&request("GET", b"")]);
        let (refused, memory) = allocated_by(|| told(&mut client, &bytes));
        assert_eq!(refused, Err(Fault::HeadTooLarge), "{}", piece.len());
        assert_eq!(last_code(client.output()), 11);
        assert!(memory < 1 << 20, "{memory}");
    }
}

#[test]
fn a_bomb_of_header_fields_is_refused_before_it_is_unpacked() {
    let mut first = b"\x40\x01x\x7f\xa1\x1e".to_vec();
    first.extend([b'y'; 4_000]);
    let mut bomb = block(&[(":status", "200")]);
    bomb.extend([0xbe; 16_000]);
    let mut client = client(b"", &[&request("GET", b"")]);
    let status = block(&[(":status", "103")]);
    let bytes = [
        frame(HEADERS, END_HEADERS, 1, &[status, first].concat()),
        frame(HEADERS, END_HEADERS, 1, &bomb),
    ]
    .concat();
    let (refused, memory) = allocated_by(|| told(&mut client, &bytes));
    assert_eq!(
        refused,
        Err(Fault::Compression(HpackError::ListTooLarge(65_536)))
    );
    assert_eq!(last_code(client.output()), 11);
    assert!(memory < 1 << 17, "{memory}");
}

#[test]
fn frames_of_other_kinds_cannot_be_large() {
    let options = wire::h2::Options {
        max_frame: (1 << 24) - 1,
        ..wire::h2::Options::default()
    };
    for kind in [2, 3, 4, 6, 7] {
        let mut client = wire::h2::Client::new(options, 0);
        client.connect();
        told(&mut client, &settings(&[])).unwrap();
        let stream = u32::from(kind == 2 || kind == 3);
        let start = &frame(kind, 0, stream, &vec![0; 1 << 20])[..100];
        let (refused, memory) = allocated_by(|| told(&mut client, start));
        assert!(
            matches!(refused, Err(Fault::FrameSize(_))),
            "{kind}: {refused:?}"
        );
        assert!(memory < 10_000, "{memory}");
    }
}
