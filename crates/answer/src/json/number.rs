//! Numbers, equal by value: `1`, `1.0` and `10e-1` are the same one.

use std::fmt;

/// The value of a number.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Number {
    /// A whole number, exactly.
    Whole(i128),
    Fraction(f64),
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        // Below this, each whole number of 64-bit floats is one of `i128`.
        if value.fract() == 0.0 && value.abs() < 1e38 {
            Self::Whole(value as i128)
        } else {
            Self::Fraction(value)
        }
    }
}

impl Number {
    /// The value of a number in a text; `None`: the text is none of JSON.
    pub fn parse(text: &str) -> Option<Self> {
        let number: serde_json::Number = serde_json::from_str(text).ok()?;
        Some(Self::of(&number))
    }

    /// The value of a number of JSON.
    pub fn of(number: &serde_json::Number) -> Self {
        let float = || Self::from(number.as_f64().unwrap_or(f64::NAN));
        number.as_i128().map_or_else(float, Self::Whole)
    }

    /// The value as a 64-bit float.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Fraction(value) => value,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Whole(value) => value.fmt(to),
            // In digits alone, 1e300 has 301 of them.
            Self::Fraction(value) if value.abs() >= 1e38 => write!(to, "{value:e}"),
            Self::Fraction(value) if value.abs() < 1e-5 => write!(to, "{value:e}"),
            Self::Fraction(value) => value.fmt(to),
        }
    }
}
