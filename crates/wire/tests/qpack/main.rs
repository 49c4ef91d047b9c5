//! Header fields of HTTP/3: the example of RFC 9204 Appendix B, blocks of another encoder, laws, and what hostile peers send.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its blocks has failed"
)]

use proptest::prelude::*;
use wire::hpack::HpackError;
use wire::qpack::{Decoder, PREFIX, encode_field};

type Fields = Vec<(Vec<u8>, Vec<u8>)>;

const MOST: usize = 64 * 1024;

fn decode(block: &[u8]) -> Result<Fields, HpackError> {
    let mut fields = Fields::new();
    Decoder::default().decode(block, MOST, |name, value| {
        fields.push((name.to_vec(), value.to_vec()));
    })?;
    Ok(fields)
}

fn encode(fields: &Fields) -> Vec<u8> {
    let mut block = PREFIX.to_vec();
    for (name, value) in fields {
        encode_field(&mut block, name, value);
    }
    block
}

fn listed(text: &str) -> Fields {
    let lines = text.lines().filter(|line| !line.is_empty());
    let split = lines.map(|line| line.split_once(": ").unwrap());
    split
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pairs = digits.chunks(2).map(|pair| str::from_utf8(pair).unwrap());
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

#[test]
fn the_example_of_the_standard_without_a_table_is_decoded() {
    // RFC 9204 B.1.
    let block = bytes("0000 510b 2f69 6e64 6578 2e68 746d 6c");
    assert_eq!(decode(&block), Ok(listed(":path: /index.html")));
}

#[test]
fn the_examples_of_the_standard_with_a_table_are_refused() {
    // RFC 9204 B.2 to B.4: they need entries, before or behind the base.
    for block in ["0381 10 11", "0500 80 c1 81", "0500 80 c1 81"] {
        assert_eq!(decode(&bytes(block)), Err(HpackError::Index), "{block}");
    }
}

#[test]
fn blocks_of_another_encoder_are_decoded() {
    let mut blocks = 0;
    for block in include_str!("blocks-lsqpack.txt").split("block ").skip(1) {
        let (hex, fields) = block.split_once('\n').unwrap();
        assert_eq!(decode(&bytes(hex)), Ok(listed(fields)), "{hex}");
        blocks += 1;
    }
    assert_eq!(blocks, 24);
}

#[test]
fn fields_in_the_static_table_take_one_or_two_bytes() {
    for (field, coded) in [
        ((":method", "GET"), &[0xd1][..]),
        ((":path", "/"), &[0xc1]),
        ((":status", "200"), &[0xd9]),
        ((":status", "500"), &[0xff, 71 - 63]),
    ] {
        let mut block = Vec::new();
        encode_field(&mut block, field.0.as_bytes(), field.1.as_bytes());
        assert_eq!(block, coded, "{field:?}");
    }
}

#[test]
fn credentials_are_marked_so_that_nobody_adds_them_to_a_table() {
    let mut block = Vec::new();
    encode_field(&mut block, b"authorization", b"Basic eA==");
    // 0111: a literal with the name of an entry, never to be added.
    assert_eq!(block[0] >> 4, 0b0111);
    block.clear();
    encode_field(&mut block, b"user-agent", b"one");
    assert_eq!(block[0] >> 4, 0b0101);
}

#[test]
fn invalid_blocks_are_refused() {
    for (block, error, reason) in [
        ("", HpackError::Truncated, "no prefix"),
        ("00", HpackError::Truncated, "half of a prefix"),
        ("0100", HpackError::Index, "an entry is required"),
        ("0080", HpackError::Index, "the base is negative"),
        (
            "0000 80",
            HpackError::Index,
            "an entry of the dynamic table",
        ),
        ("0000 4000", HpackError::Index, "its name"),
        ("0000 10", HpackError::Index, "an entry behind the base"),
        ("0000 0000", HpackError::Index, "its name"),
        ("0000 ff24", HpackError::Index, "entry 99 of 98"),
        ("0000 ff", HpackError::Truncated, "half of an index"),
        ("0000 ffffffffffff7f", HpackError::Integer, "a long index"),
        (
            "0000 5105 6161",
            HpackError::Truncated,
            "a value that is cut",
        ),
        ("0000 517fffffff7f", HpackError::Truncated, "a long value"),
        ("0000 23 61", HpackError::Truncated, "a name that is cut"),
        ("0000 5181 ff", HpackError::Huffman, "padding of eight bits"),
        ("0000 29 00 01 61", HpackError::Huffman, "padding of zeros"),
    ] {
        assert_eq!(decode(&bytes(block)), Err(error), "{reason}");
    }
}

#[test]
fn fields_that_are_too_long_together_are_refused() {
    let block = [&PREFIX[..], &[0xd9; 2000]].concat();
    // Each counts 32 bytes besides its own.
    assert_eq!(decode(&block), Err(HpackError::ListTooLarge(MOST)));
}

proptest! {
    #[test]
    fn fields_are_decoded_as_they_were_encoded(
        fields in prop::collection::vec((any::<Vec<u8>>(), any::<Vec<u8>>()), 0..20),
    ) {
        prop_assert_eq!(decode(&encode(&fields)), Ok(fields));
    }

    #[test]
    fn no_bytes_make_the_decoder_panic(block in any::<Vec<u8>>()) {
        let _ = decode(&block);
        let _ = decode(&[&PREFIX[..], &block].concat());
    }
}
