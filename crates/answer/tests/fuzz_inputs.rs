//! The properties of the fuzz target, for its seeds and its findings.

#[path = "../../../fuzz/src/answers.rs"]
mod answers;

use std::fs;
use std::path::Path;

/// The corpus of the target and its findings, if there are any.
fn inputs() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let folders = ["corpus", "findings"].map(|kind| fs::read_dir(root.join(kind).join("answer")));
    let files = folders.into_iter().flatten().flatten();
    files
        .map(|file| fs::read(file.expect("a file of a folder").path()).expect("a file"))
        .collect()
}

#[test]
fn faults_are_short_and_printable_and_equal_json_is_right() {
    let inputs = inputs();
    assert!(inputs.len() >= 12);
    for bytes in &inputs {
        answers::hold(bytes);
    }
}

#[test]
#[cfg_attr(miri, ignore = "an hour in an interpreter")]
fn a_byte_changed_anywhere_does_not_change_that() {
    for bytes in inputs() {
        for at in 0..bytes.len() {
            answers::hold(&[&bytes[..at], &bytes[at + 1..]].concat());
            for other in *b"\n\"\\{}[]:,09-e.\0\x1b\xff" {
                let mut changed = bytes.clone();
                changed[at] = other;
                answers::hold(&changed);
            }
        }
    }
}
