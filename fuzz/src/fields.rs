//! The fields of the first reply: **wherever the reader finds a head, they have its status and version, and nothing that
//! was not sent.**

use crate::input::Input;
use wire::{Event, MAX_HEADERS, Reader, fields};

/// Bytes that one byte may become: those that are not UTF-8 are replaced.
const REPLACED: usize = 3;

/// Panics unless the sentence above holds for this input.
pub fn hold(data: &[u8]) {
    let input = Input::of(data);
    let found = fields(input.bytes);
    if let Ok((_, Event::Head(head))) = Reader::new().next(input.bytes, input.head_only) {
        let fields = found.as_ref().expect("the fields of a head");
        assert_eq!(fields.status, head.status);
    }
    let Some(found) = found else { return };
    assert!(!(100..200).contains(&found.status) && found.headers.len() <= MAX_HEADERS);
    let lengths = found
        .headers
        .iter()
        .map(|(name, value)| name.len() + value.len());
    assert!(lengths.sum::<usize>() <= REPLACED * input.bytes.len());
    let text = found.headers.iter().flat_map(|(name, value)| [name, value]);
    assert!(
        text.flat_map(|one| one.bytes())
            .all(|byte| byte != b'\r' && byte != b'\n')
    );
}
