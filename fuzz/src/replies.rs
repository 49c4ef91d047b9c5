//! The reply reader: **it reports the same events however the bytes are split, and whether or not it remembers heads.
//! Nothing after the end of a reply affects it. It allocates at most four times the bytes fed.**

use crate::input::Input;
use crate::transcript::Transcript;
use std::iter::once;
use wire::LastHead;

/// The size of a vector's first allocation.
const LEAST: usize = 8;

/// Panics unless the sentences above hold for this input.
pub fn hold(data: &[u8]) {
    let input = Input::of(data);
    let whole = Transcript::of(once(input.bytes), input.head_only, None);
    same(&whole, &input);
    remembered(&whole, &input);
    alone(&whole, &input);
    // A head that arrived whole is never copied. If the last one is truncated, its bytes are kept.
    assert!(
        whole.allocated <= LEAST.max(input.bytes.len()),
        "allocated {} bytes",
        whole.allocated
    );
}

/// Compares with single bytes, and with the fuzzer's pieces. Each piece is a separate allocation, so that a sanitizer
/// detects a read beyond its end.
fn same(whole: &Transcript, input: &Input) {
    let bytewise = Transcript::of(input.bytes.chunks(1), input.head_only, None);
    assert!(
        whole.agrees_with(&bytewise),
        "whole {whole:?}\nbytewise {bytewise:?}"
    );
    let apart: Vec<Box<[u8]>> = input.pieces().map(Box::from).collect();
    let pieces = Transcript::of(apart.iter().map(|piece| &piece[..]), input.head_only, None);
    assert!(
        whole.agrees_with(&pieces),
        "whole {whole:?}\npieces {pieces:?}"
    );
    for transcript in [&bytewise, &pieces] {
        // Doubling allocates 2 + 4 + ... times, so twice the last size in all. One buffer serves all heads.
        let most = LEAST + 4 * input.bytes.len();
        assert!(
            transcript.allocated <= most,
            "allocated {} bytes of {most}",
            transcript.allocated
        );
    }
}

/// Compares two connections that share a remembered head: the first must not change the events of the second.
fn remembered(whole: &Transcript, input: &Input) {
    let mut last = LastHead::new();
    for _ in 0..2 {
        let again = Transcript::of(once(input.bytes), input.head_only, Some(&mut last));
        assert!(
            whole.agrees_with(&again) && whole.end == again.end,
            "{whole:?}\nremembered {again:?}"
        );
    }
    let other_way = !input.head_only;
    let plain = Transcript::of(once(input.bytes), other_way, None);
    let again = Transcript::of(once(input.bytes), other_way, Some(&mut last));
    assert!(plain.agrees_with(&again), "{plain:?}\nremembered {again:?}");
    let pieces = Transcript::of(input.pieces(), input.head_only, Some(&mut last));
    assert!(
        whole.agrees_with(&pieces),
        "{whole:?}\nremembered in pieces {pieces:?}"
    );
}

/// Compares the first reply alone with the first reply followed by other bytes.
fn alone(whole: &Transcript, input: &Input) {
    let Some(end) = whole.first_end else { return };
    let alone = Transcript::of(once(&input.bytes[..end]), input.head_only, None);
    let events = alone.marks.len();
    assert_eq!(
        alone.end,
        Some(Ok(false)),
        "the reply ended, but the reader is not between replies: {alone:?}"
    );
    assert_eq!(
        alone.marks[..],
        whole.marks[..events],
        "bytes after a reply affected it"
    );
    assert!(
        whole.bodies.starts_with(&alone.bodies),
        "bytes after a reply affected its body"
    );
}
