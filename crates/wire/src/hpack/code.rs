//! The Huffman code (RFC 7541 Appendix B) and the transitions of its decoder.
//!
//! The code is canonical: the codes of one length follow one another in the order of their symbols, so the lengths are enough.
//! The decoder reads four bits at a time. The shortest code has five bits, so a step completes at most one symbol.

/// The symbol after the last byte value: the end of a string, which must not occur.
const EOS: usize = 256;
const LONGEST: u8 = 30;
/// Most bits of padding; more is an error (RFC 7541 §5.2).
const MOST_PADDING: usize = 7;
/// Marks a symbol among the children of a node.
const LEAF: u16 = 1 << 15;

/// The length in bits of each symbol's code.
#[rustfmt::skip]
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
];

/// The code of each symbol, in its lowest bits, and its length.
pub(crate) const CODES: [(u32, u8); 257] = codes();

/// The step of the decoder from a state with four more bits.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub(crate) next: u8,
    pub(crate) symbol: u8,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Inside of a code.
    Inside,
    /// A symbol is complete.
    Symbol,
    /// The bits contain EOS.
    End,
}

/// The steps from each state: a state is an inner node of the code's tree.
pub(crate) static STEPS: [[Step; 16]; 256] = steps();

/// True for the states in which a string may end: after less than a byte of ones, the start of EOS.
pub(crate) static MAY_END: [bool; 256] = may_end();

const fn codes() -> [(u32, u8); 257] {
    let mut codes = [(0, 0); 257];
    let (mut code, mut length) = (0, 1);
    while length <= LONGEST {
        let mut symbol = 0;
        while symbol < LENGTHS.len() {
            if LENGTHS[symbol] == length {
                codes[symbol] = (code, length);
                code += 1;
            }
            symbol += 1;
        }
        code <<= 1;
        length += 1;
    }
    codes
}

/// The children of each inner node, the root first: another inner node, or a leaf with its symbol.
const fn tree() -> [[u16; 2]; 256] {
    let mut nodes = [[0; 2]; 256];
    let (mut used, mut symbol) = (1, 0);
    while symbol < CODES.len() {
        let (code, length) = CODES[symbol];
        let (mut node, mut left) = (0, length);
        while left > 1 {
            left -= 1;
            let bit = (code >> left & 1) as usize;
            if nodes[node][bit] == 0 {
                nodes[node][bit] = used;
                used += 1;
            }
            node = nodes[node][bit] as usize;
        }
        nodes[node][(code & 1) as usize] = LEAF | symbol as u16;
        symbol += 1;
    }
    nodes
}

const fn steps() -> [[Step; 16]; 256] {
    let nodes = tree();
    let inside = Step {
        next: 0,
        symbol: 0,
        kind: Kind::Inside,
    };
    let mut steps = [[inside; 16]; 256];
    let mut state = 0;
    while state < steps.len() {
        let mut bits = 0;
        while bits < 16 {
            steps[state][bits] = step(&nodes, state, bits);
            bits += 1;
        }
        state += 1;
    }
    steps
}

const fn step(nodes: &[[u16; 2]; 256], state: usize, bits: usize) -> Step {
    let (mut node, mut symbol, mut kind) = (state, 0, Kind::Inside);
    let mut left = 4;
    while left > 0 {
        left -= 1;
        let child = nodes[node][bits >> left & 1];
        node = child as usize;
        if child & LEAF != 0 {
            let found = (child & !LEAF) as usize;
            kind = if found == EOS {
                Kind::End
            } else {
                Kind::Symbol
            };
            symbol = found as u8;
            node = 0;
        }
    }
    Step {
        next: node as u8,
        symbol,
        kind,
    }
}

const fn may_end() -> [bool; 256] {
    let nodes = tree();
    let mut ends = [false; 256];
    let (mut node, mut depth) = (0, 0);
    while depth <= MOST_PADDING {
        ends[node] = true;
        node = nodes[node][1] as usize;
        depth += 1;
    }
    ends
}
