//! Compressed header fields: **whatever fields a block means, both encoders write blocks that mean the same, with any table.
//! A decoder takes a fixed amount of memory.**

use crate::input::Input;
use crate::memory::allocated_by;
use wire::hpack::{Decoder, Encoder, encode_field};

/// The most bytes of the fields of a block.
const MOST_FIELDS: usize = 4096;
/// The most that a decoder allocates: its table and two strings, each grown by doubling.
const MOST: usize = 64 * 1024;

/// The tables of a connection: ours, and those of the encoder and the decoder that repeat its fields.
const TABLES: [(u32, u32); 4] = [(4096, 4096), (256, 100), (0, 4096), (100, 0)];

/// Panics unless the sentences above hold for this input. Each piece of it is a block.
pub fn hold(data: &[u8]) {
    let input = Input::of(data);
    for (ours, theirs) in TABLES {
        let mut decoder = Decoder::new(ours);
        if input.head_only {
            decoder.acknowledge();
        }
        let (mut encoder, mut again) = (Encoder::new(theirs), Decoder::new(4096));
        let (mut without, mut is_first) = (Decoder::new(0), true);
        without.acknowledge();
        for block in input.pieces() {
            let mut fields = Vec::new();
            let result = decoder.decode(block, MOST_FIELDS, |name, value| {
                fields.push((name.to_vec(), value.to_vec()));
            });
            if result.is_err() {
                break;
            }
            let (mut coded, mut prepared) = (Vec::new(), Vec::new());
            encoder.begin(&mut coded);
            if std::mem::take(&mut is_first) {
                prepared.push(0x20);
            }
            for (name, value) in &fields {
                encoder.encode(&mut coded, name, value);
                encode_field(&mut prepared, name, value);
            }
            same(&mut again, &coded, &fields);
            same(&mut without, &prepared, &fields);
        }
    }
    bounded(&input);
}

fn same(decoder: &mut Decoder, block: &[u8], fields: &[(Vec<u8>, Vec<u8>)]) {
    let mut expected = fields.iter();
    let result = decoder.decode(block, MOST_FIELDS, |name, value| {
        let next = expected.next().expect("no more fields than encoded");
        assert_eq!((name, value), (&next.0[..], &next.1[..]));
    });
    assert_eq!(result, Ok(()), "{fields:?} as {block:?}");
    assert_eq!(expected.next(), None, "all fields");
}

fn bounded(input: &Input) {
    let mut decoder = Decoder::new(4096);
    let ((), memory) = allocated_by(|| {
        for block in input.pieces() {
            if decoder.decode(block, MOST_FIELDS, |_, _| {}).is_err() {
                return;
            }
        }
    });
    assert!(memory <= MOST, "allocated {memory} bytes");
}
