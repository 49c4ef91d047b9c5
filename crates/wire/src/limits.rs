//! Limits of replies, so that no server can make the reader use unlimited memory.

/// Most bytes of a head, of a trailer section, and of the size line of a chunk.
pub const MAX_HEAD: usize = 64 * 1024;
/// Most header lines of a head.
pub const MAX_HEADERS: usize = 96;
/// Most interim (1xx) replies before a reply.
pub const MAX_INTERIM: u8 = 32;
