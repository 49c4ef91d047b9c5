//! Counters as bytes, to merge those of several machines.
//!
//! Numbers are of variable length: 7 bits a byte, the lowest first. Reading checks each of them, so that no bytes can
//! make counters that panic, overflow when they are merged, or take more memory than a small multiple of their length.

use thiserror::Error;

/// The greatest number that is read, 8 × 10¹⁴: in nanoseconds over 9 days. Twenty-one times the sum of 1,000 such numbers
/// is still a `u64`.
pub const MOST: u64 = 800_000_000_000_000;
/// The greatest absolute value of a number with a fraction.
const MOST_FLOAT: f64 = 1e30;
/// The longest text, in bytes.
const LONGEST_TEXT: usize = 1 << 20;

/// The bytes are not those of counters.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Damaged(pub &'static str);

/// Values that can be written as bytes and read again.
pub trait Packed: Sized {
    /// Appends the value.
    fn pack(&self, to: &mut Vec<u8>);

    /// Reads a value from the front of `from`, and removes its bytes.
    ///
    /// # Errors
    /// The bytes end too early, or are no such value.
    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged>;
}

/// Implements [`Packed`] for a struct: its fields, in this order. A field that is missing here does not compile. `field
/// by module` is written and read by the functions `pack` and `unpack` of that module.
#[macro_export]
macro_rules! packed {
    (@pack $field:ident, $to:ident) => {
        $crate::Packed::pack($field, $to)
    };
    (@pack $field:ident, $to:ident, $way:ident) => {
        $way::pack($field, $to)
    };
    (@unpack $from:ident) => {
        $crate::Packed::unpack($from)?
    };
    (@unpack $from:ident, $way:ident) => {
        $way::unpack($from)?
    };
    ($name:ident { $($field:ident $(by $way:ident)?),+ $(,)? }) => {
        impl $crate::Packed for $name {
            fn pack(&self, to: &mut Vec<u8>) {
                let Self { $($field),+ } = self;
                $($crate::packed!(@pack $field, to $(, $way)?);)+
            }

            fn unpack(from: &mut &[u8]) -> Result<Self, $crate::Damaged> {
                Ok(Self { $($field: $crate::packed!(@unpack from $(, $way)?)),+ })
            }
        }
    };
}

/// Checks a condition on what was read.
///
/// # Errors
/// The condition does not hold.
pub fn expect(holds: bool, fault: &'static str) -> Result<(), Damaged> {
    if holds { Ok(()) } else { Err(Damaged(fault)) }
}

/// Reads the length of a sequence of at most `most` values, each of which has at least one byte.
///
/// # Errors
/// There are more, or fewer bytes than values.
pub fn length(from: &mut &[u8], most: usize) -> Result<usize, Damaged> {
    let count = u64::unpack(from)?;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    expect(count <= most.min(from.len()), "a sequence is too long")?;
    Ok(count)
}

fn take<'a>(from: &mut &'a [u8], count: usize) -> Result<&'a [u8], Damaged> {
    let (taken, rest) = from
        .split_at_checked(count)
        .ok_or(Damaged("the bytes end too early"))?;
    *from = rest;
    Ok(taken)
}

fn pack_number(mut number: u128, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Reads a number of up to 16 bytes: less than 2¹¹².
fn unpack_number(from: &mut &[u8]) -> Result<u128, Damaged> {
    let mut number = 0;
    for place in 0..16 {
        let byte = take(from, 1)?[0];
        number |= u128::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(Damaged("a number is too large"))
}

impl Packed for u64 {
    fn pack(&self, to: &mut Vec<u8>) {
        pack_number((*self).min(MOST).into(), to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let number = unpack_number(from)?;
        expect(number <= MOST.into(), "a number is too large")?;
        Ok(number as u64)
    }
}

impl Packed for u32 {
    fn pack(&self, to: &mut Vec<u8>) {
        pack_number((*self).into(), to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let number = unpack_number(from)?;
        u32::try_from(number).map_err(|_| Damaged("a number is too large"))
    }
}

impl Packed for u16 {
    fn pack(&self, to: &mut Vec<u8>) {
        pack_number((*self).into(), to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let number = unpack_number(from)?;
        u16::try_from(number).map_err(|_| Damaged("a number is too large"))
    }
}

impl Packed for u128 {
    fn pack(&self, to: &mut Vec<u8>) {
        pack_number(*self, to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        unpack_number(from)
    }
}

impl Packed for i64 {
    fn pack(&self, to: &mut Vec<u8>) {
        (*self < 0).pack(to);
        self.unsigned_abs().pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let negative = bool::unpack(from)?;
        let size = u64::unpack(from)?.cast_signed();
        Ok(if negative { -size } else { size })
    }
}

impl Packed for bool {
    fn pack(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        match take(from, 1)? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Damaged("a flag is neither 0 nor 1")),
        }
    }
}

impl Packed for f64 {
    fn pack(&self, to: &mut Vec<u8>) {
        to.extend(self.to_le_bytes());
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(take(from, 8)?);
        let number = f64::from_le_bytes(bytes);
        expect(number.abs() <= MOST_FLOAT, "a number is too large, or none")?;
        Ok(number)
    }
}

impl Packed for f32 {
    fn pack(&self, to: &mut Vec<u8>) {
        to.extend(self.to_le_bytes());
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(take(from, 4)?);
        let number = f32::from_le_bytes(bytes);
        expect(
            f64::from(number).abs() <= MOST_FLOAT,
            "a number is too large, or none",
        )?;
        Ok(number)
    }
}

impl Packed for String {
    fn pack(&self, to: &mut Vec<u8>) {
        let mut end = self.len().min(LONGEST_TEXT);
        while !self.is_char_boundary(end) {
            end -= 1;
        }
        let text = &self[..end];
        (text.len() as u64).pack(to);
        to.extend(text.as_bytes());
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let length = length(from, LONGEST_TEXT)?;
        let bytes = take(from, length)?.to_vec();
        String::from_utf8(bytes).map_err(|_| Damaged("a text is not UTF-8"))
    }
}

impl<T: Packed> Packed for Option<T> {
    fn pack(&self, to: &mut Vec<u8>) {
        self.is_some().pack(to);
        if let Some(value) = self {
            value.pack(to);
        }
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        bool::unpack(from)?.then(|| T::unpack(from)).transpose()
    }
}

impl<T: Packed> Packed for Box<T> {
    fn pack(&self, to: &mut Vec<u8>) {
        self.as_ref().pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        T::unpack(from).map(Box::new)
    }
}

impl<A: Packed, B: Packed> Packed for (A, B) {
    fn pack(&self, to: &mut Vec<u8>) {
        self.0.pack(to);
        self.1.pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        Ok((A::unpack(from)?, B::unpack(from)?))
    }
}

impl<const N: usize> Packed for [u64; N] {
    fn pack(&self, to: &mut Vec<u8>) {
        for number in self {
            number.pack(to);
        }
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let mut all = [0; N];
        for number in &mut all {
            *number = u64::unpack(from)?;
        }
        Ok(all)
    }
}

impl<T: Packed> Packed for Vec<T> {
    fn pack(&self, to: &mut Vec<u8>) {
        (self.len() as u64).pack(to);
        for value in self {
            value.pack(to);
        }
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let length = length(from, usize::MAX)?;
        (0..length).map(|_| T::unpack(from)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;

    fn again<T: Packed + PartialEq + Debug>(value: &T) {
        let mut bytes = Vec::new();
        value.pack(&mut bytes);
        let mut rest = &bytes[..];
        assert_eq!(&T::unpack(&mut rest).unwrap(), value);
        assert!(rest.is_empty());
        for cut in 0..bytes.len() {
            assert!(
                T::unpack(&mut &bytes[..cut]).is_err(),
                "{cut} bytes of {value:?}"
            );
        }
    }

    #[test]
    fn values_are_read_as_they_were_written_and_not_from_fewer_bytes() {
        for number in [0, 1, 127, 128, 16_384, MOST] {
            again(&number);
            again(&number.cast_signed());
            again(&-number.cast_signed());
        }
        again(&u32::MAX);
        again(&((1_u128 << 112) - 1));
        again(&(-0.25_f64, 1.5_f32));
        again(&Some("Zürich".to_owned()));
        again(&None::<bool>);
        again(&vec![[1_u64, 2, 3]; 5]);
    }

    #[test]
    fn numbers_that_could_overflow_later_are_refused() {
        let large = |bytes: &[u8]| u64::unpack(&mut &bytes[..]);
        assert!(large(&[0xff; 9]).is_err(), "it goes on");
        assert!(large(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]).is_err());
        assert!(f64::unpack(&mut &f64::NAN.to_le_bytes()[..]).is_err());
        assert!(f64::unpack(&mut &f64::MAX.to_le_bytes()[..]).is_err());
        assert!(f32::unpack(&mut &f32::INFINITY.to_le_bytes()[..]).is_err());
    }

    #[test]
    fn a_length_beyond_the_bytes_allocates_nothing() {
        let mut bytes = Vec::new();
        MOST.pack(&mut bytes);
        bytes.push(0);
        assert!(Vec::<bool>::unpack(&mut &bytes[..]).is_err());
        assert!(String::unpack(&mut &bytes[..]).is_err());
    }
}
