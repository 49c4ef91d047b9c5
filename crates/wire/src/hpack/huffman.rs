//! Huffman coding of strings (RFC 7541 §5.2).
//!
//! - A string is padded to whole bytes with ones, the start of EOS.
//! - Padding of more than seven bits, padding of zeros and EOS itself are errors.

use crate::hpack::code::{CODES, Kind, MAY_END, STEPS};
use crate::hpack::fault::HpackError;

/// Appends the decoded bytes of `coded` to `out`.
pub(crate) fn decode(coded: &[u8], out: &mut Vec<u8>) -> Result<(), HpackError> {
    // The shortest code has five bits.
    out.reserve(coded.len() * 8 / 5);
    let mut state = 0;
    for &byte in coded {
        for bits in [byte >> 4, byte & 0xf] {
            let step = STEPS[usize::from(state)][usize::from(bits)];
            match step.kind {
                Kind::Inside => {}
                Kind::Symbol => out.push(step.symbol),
                Kind::End => return Err(HpackError::Huffman),
            }
            state = step.next;
        }
    }
    if MAY_END[usize::from(state)] {
        Ok(())
    } else {
        Err(HpackError::Huffman)
    }
}

/// The length of `bytes` when coded.
pub(crate) fn coded_length(bytes: &[u8]) -> usize {
    let bits: usize = bytes
        .iter()
        .map(|&byte| usize::from(CODES[usize::from(byte)].1))
        .sum();
    bits.div_ceil(8)
}

/// Appends the coded `bytes` to `out`.
pub(crate) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    let (mut waiting, mut count) = (0_u64, 0);
    for &byte in bytes {
        let (code, length) = CODES[usize::from(byte)];
        waiting = waiting << length | u64::from(code);
        count += u32::from(length);
        while count >= 8 {
            count -= 8;
            out.push((waiting >> count) as u8);
        }
    }
    if count > 0 {
        out.push((waiting << (8 - count)) as u8 | 0xff >> count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(coded: &[u8]) -> Result<Vec<u8>, HpackError> {
        let mut out = Vec::new();
        decode(coded, &mut out).map(|()| out)
    }

    #[test]
    fn each_byte_is_decoded_from_its_code_and_the_codes_are_those_of_the_standard() {
        for byte in 0..=255 {
            let text = [byte, b'x', byte];
            let mut coded = Vec::new();
            encode(&text, &mut coded);
            assert_eq!(coded.len(), coded_length(&text), "{byte}");
            assert_eq!(decoded(&coded).as_deref(), Ok(&text[..]), "{byte}");
        }
        // RFC 7541 Appendix B: the first, the last, and one of each kind between.
        for (symbol, code) in [
            (0, (0x1ff8, 13)),
            (usize::from(b' '), (0x14, 6)),
            (usize::from(b'0'), (0, 5)),
            (usize::from(b'z'), (0x7b, 7)),
            (usize::from(b'\\'), (0x7fff0, 19)),
            (249, (0x0fff_fffe, 28)),
            (255, (0x03ff_ffee, 26)),
            (256, (0x3fff_ffff, 30)),
        ] {
            assert_eq!(CODES[symbol], code, "{symbol}");
        }
    }

    #[test]
    fn padding_is_less_than_a_byte_of_ones_and_the_end_symbol_never_occurs() {
        // `0` is 00000, `1` is 00001.
        assert_eq!(decoded(&[0b0000_0111]).as_deref(), Ok(&b"0"[..]));
        for (coded, reason) in [
            (&[0b0000_0000][..], "zeros"),
            (&[0b0000_0110], "a zero at the end"),
            (&[0b0000_0011], "a zero at the start"),
            (&[0b0000_0111, 0xff], "11 bits"),
            (&[0xff], "8 bits"),
            (&[0xff, 0xff, 0xff, 0xff], "the end symbol"),
            (&[0xff, 0xff, 0xff, 0xfc, 0x07], "the end symbol before `0`"),
        ] {
            assert_eq!(decoded(coded), Err(HpackError::Huffman), "{reason}");
        }
        assert_eq!(decoded(&[]).as_deref(), Ok(&b""[..]));
    }
}
