//! The errors of compressed header fields. All end the connection, because the tables of both sides differ afterwards.

use thiserror::Error;

/// An invalid block of header fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HpackError {
    /// The block ends inside an instruction.
    #[error("the block of header fields ends inside a field")]
    Truncated,
    /// An integer has more bytes than any number here needs.
    #[error("a number in the header fields is too large")]
    Integer,
    /// Neither table has an entry with this index.
    #[error("a header field refers to an entry that the tables do not have")]
    Index,
    /// A string is not valid in the Huffman code.
    #[error("a string in the header fields is not valid in the Huffman code")]
    Huffman,
    /// A change of the table's size is too large, at a wrong place, or missing.
    #[error("the size of the header table is changed in a way that the settings do not allow")]
    TableSize,
    /// The fields together exceed the limit.
    #[error("the header fields are longer than {0} bytes together")]
    ListTooLarge(usize),
}
