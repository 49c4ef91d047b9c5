//! Blocks made by other encoders, with tables of several sizes that change on the way.

use crate::{bytes, decode, listed};
use wire::hpack::Decoder;

/// Decodes each connection of a file. Returns the number of its blocks.
fn read(file: &str) -> usize {
    let mut blocks = 0;
    for connection in file.split("size ").skip(1) {
        let (size, rest) = connection.split_once('\n').unwrap();
        let mut decoder = Decoder::new(size.parse().unwrap());
        for block in rest.split("block ").skip(1) {
            let (hex, fields) = block.split_once('\n').unwrap();
            let found = decode(&mut decoder, &bytes(hex));
            assert_eq!(found, Ok(listed(fields)), "size {size}, block {hex}");
            decoder.acknowledge();
            blocks += 1;
        }
    }
    blocks
}

#[test]
fn blocks_of_other_encoders_are_decoded() {
    assert_eq!(read(include_str!("blocks-python.txt")), 36);
    assert_eq!(read(include_str!("blocks-go.txt")), 36);
}
