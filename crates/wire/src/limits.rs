//! The most that is read of one reply, so that no server can make the reader take memory without end.

/// Longest head (and longest trailer section, and longest chunk size line) that is read, in bytes.
pub const MAX_HEAD: usize = 64 * 1024;
/// Most header lines that a head may have.
pub const MAX_HEADERS: usize = 96;
/// Most interim (1xx) replies that are swallowed before a reply.
pub const MAX_INTERIM: u8 = 32;
