//! The fields of a head: **wherever the reader finds a head, its fields are lines of that head, and nothing else.**

use crate::input::Input;
use wire::{Event, MAX_HEADERS, Reader};

/// Panics unless the sentence above holds for this input.
pub fn hold(data: &[u8]) {
    let input = Input::of(data);
    let mut reader = Reader::new();
    let Ok((taken, Event::Head(_))) = reader.next(input.bytes, input.head_only) else {
        return;
    };
    let taken = &input.bytes[..taken];
    let mut length = 0;
    let mut lines = 0;
    for (name, value) in reader.fields(taken, false) {
        assert!(!name.is_empty() && !name.iter().any(u8::is_ascii_whitespace));
        let value = value.strip_suffix(b"\r").unwrap_or(value);
        assert!(!value.iter().any(|byte| matches!(byte, b'\r' | b'\n')));
        length += name.len() + 1 + value.len();
        lines += 1;
    }
    assert!(lines <= MAX_HEADERS && length <= taken.len());
    // The status line and the empty line are no fields.
    assert!(lines + 2 <= taken.split_inclusive(|byte| *byte == b'\n').count());
}
