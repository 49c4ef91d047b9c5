//! Why a request is refused.

/// Why a request is refused; the connection ends with it.
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
        why: "a head of at most 64 KiB and 128 fields is expected",
    };
}
