//! The refusal of a request.

/// Status and reason of a refused request. The connection closes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) why: &'static str,
}

impl Refusal {
    pub(crate) const fn bad(why: &'static str) -> Self {
        Self { status: 400, why }
    }

    pub(crate) const HEAD_TOO_LARGE: Self = Self {
        status: 431,
        why: "the head is too large, expected at most 64 KiB and 128 fields",
    };
}
