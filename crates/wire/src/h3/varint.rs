//! Integers of QUIC (RFC 9000 §16): 1, 2, 4 or 8 bytes; the first two bits say how many.

/// The largest value.
pub(crate) const MOST: u64 = (1 << 62) - 1;

/// Appends `value`, which is at most [`MOST`].
pub(crate) fn encode(out: &mut Vec<u8>, value: u64) {
    match value {
        0..0x40 => out.push(value as u8),
        0x40..0x4000 => out.extend((value as u16 | 0x4000).to_be_bytes()),
        0x4000..0x4000_0000 => out.extend((value as u32 | 0x8000_0000).to_be_bytes()),
        _ => out.extend((value.min(MOST) | 0xc000_0000_0000_0000).to_be_bytes()),
    }
}

/// Number of bytes that `value` takes.
pub(crate) const fn length(value: u64) -> usize {
    match value {
        0..0x40 => 1,
        0x40..0x4000 => 2,
        0x4000..0x4000_0000 => 4,
        _ => 8,
    }
}

/// The integer at the start of `input`, and its length; `None`: it is not whole.
#[inline]
pub(crate) fn read(input: &[u8]) -> Option<(u64, usize)> {
    let first = *input.first()?;
    let length = 1 << (first >> 6);
    let bytes = input.get(1..length)?;
    let value = bytes.iter().fold(u64::from(first & 0x3f), |value, &byte| {
        value << 8 | u64::from(byte)
    });
    Some((value, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard_are_coded_both_ways() {
        // RFC 9000 §A.1.
        for (coded, value) in [
            (
                &[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c][..],
                151_288_809_941_952_652,
            ),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x25], 37),
        ] {
            let mut out = Vec::new();
            encode(&mut out, value);
            assert_eq!((&out[..], length(value)), (coded, coded.len()));
            assert_eq!(read(coded), Some((value, coded.len())));
            for cut in 0..coded.len() {
                assert_eq!(read(&coded[..cut]), None);
            }
        }
        // A longer form than needed is valid.
        assert_eq!(read(&[0x40, 0x25]), Some((37, 2)));
    }
}
