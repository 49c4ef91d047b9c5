//! Regular expressions: searched in linear time (the crate `regex` never goes back), in limited memory.

use regex::bytes::{Regex, RegexBuilder};

/// Longest expression, in bytes.
const MOST_LENGTH: usize = 1000;
/// Most memory of a compiled expression. A search takes at most the body's length times this size.
const MOST_COMPILED: usize = 1 << 18;
/// Most memory of the states that a search keeps.
const MOST_STATES: usize = 1 << 20;

/// Compiles an expression.
///
/// # Errors
/// The fault of the expression.
pub fn compile(expression: &str) -> Result<Regex, String> {
    if expression.len() > MOST_LENGTH {
        return Err(format!(
            "a regular expression of {} bytes: expected at most {MOST_LENGTH}",
            expression.len()
        ));
    }
    RegexBuilder::new(expression)
        .size_limit(MOST_COMPILED)
        .dfa_size_limit(MOST_STATES)
        .build()
        .map_err(|fault| match fault {
            regex::Error::CompiledTooBig(_) => format!(
                "the regular expression is too large when it is compiled: expected fewer or \
                 smaller repetitions, or `(?-u)` for classes of ASCII (at most {} KiB)",
                MOST_COMPILED >> 10
            ),
            // The last line says what is wrong; those before it draw the expression.
            other => {
                let words = other.to_string();
                let last = words.lines().last().unwrap_or_default();
                format!(
                    "the regular expression has a fault: {}",
                    last.trim_start_matches("error: ")
                )
            }
        })
}
