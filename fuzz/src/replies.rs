//! The reply reader: **however the bytes are cut, and whether heads are remembered or not, the same events are told;
//! nothing after a reply's end bears on it, and memory never exceeds twice the bytes of the head under way.**

use crate::input::Input;
use crate::story::Story;
use std::iter::once;
use wire::LastHead;

/// A vector's first allocation.
const LEAST: usize = 8;

/// Panics unless the sentence above holds of this input.
pub fn hold(data: &[u8]) {
    let input = Input::of(data);
    let whole = Story::of(once(input.bytes), input.head_only, None);
    same(&whole, &input);
    remembered(&whole, &input);
    alone(&whole, &input);
    // A head that came whole is never copied; of the last one, cut short, its bytes are kept.
    assert!(
        whole.asked <= LEAST.max(input.bytes.len()),
        "asked for {} bytes",
        whole.asked
    );
}

/// Byte by byte, and in the fuzzer's pieces; each piece in memory of its own, so that a sanitizer sees a read beyond it.
fn same(whole: &Story, input: &Input) {
    let bytewise = Story::of(input.bytes.chunks(1), input.head_only, None);
    assert!(
        whole.agrees_with(&bytewise),
        "whole {whole:?}\nbytewise {bytewise:?}"
    );
    let apart: Vec<Box<[u8]>> = input.pieces().map(Box::from).collect();
    let pieces = Story::of(apart.iter().map(|piece| &piece[..]), input.head_only, None);
    assert!(
        whole.agrees_with(&pieces),
        "whole {whole:?}\npieces {pieces:?}"
    );
    for story in [&bytewise, &pieces] {
        // Doubling asks for 2 + 4 + ... times, so for twice the last; one buffer serves all heads.
        let most = LEAST + 4 * input.bytes.len();
        assert!(
            story.asked <= most,
            "asked for {} bytes of {most}",
            story.asked
        );
    }
}

/// Two connections with a memory of heads: what the first left there does not change what the second tells.
fn remembered(whole: &Story, input: &Input) {
    let mut last = LastHead::new();
    for _ in 0..2 {
        let again = Story::of(once(input.bytes), input.head_only, Some(&mut last));
        assert!(
            whole.agrees_with(&again) && whole.end == again.end,
            "{whole:?}\nremembered {again:?}"
        );
    }
    let other_way = !input.head_only;
    let plain = Story::of(once(input.bytes), other_way, None);
    let again = Story::of(once(input.bytes), other_way, Some(&mut last));
    assert!(plain.agrees_with(&again), "{plain:?}\nremembered {again:?}");
    let pieces = Story::of(input.pieces(), input.head_only, Some(&mut last));
    assert!(
        whole.agrees_with(&pieces),
        "{whole:?}\nremembered in pieces {pieces:?}"
    );
}

/// The first reply by itself tells what it told with bytes after it.
fn alone(whole: &Story, input: &Input) {
    let Some(end) = whole.first_end else { return };
    let alone = Story::of(once(&input.bytes[..end]), input.head_only, None);
    let told = alone.marks.len();
    assert_eq!(
        alone.end,
        Some(Ok(false)),
        "ended, yet not at its end: {alone:?}"
    );
    assert_eq!(
        alone.marks[..],
        whole.marks[..told],
        "bytes after a reply bore on it"
    );
    assert!(
        whole.bodies.starts_with(&alone.bodies),
        "bytes after a reply bore on its body"
    );
}
