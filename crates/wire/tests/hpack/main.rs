//! Compressed header fields: the examples of RFC 7541 Appendix C, laws, and what hostile peers send.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its blocks has failed"
)]

mod other;

use proptest::prelude::*;
use wire::hpack::{Decoder, Encoder, HpackError, encode_field};

type Fields = Vec<(Vec<u8>, Vec<u8>)>;

const MOST: usize = 64 * 1024;

fn decode(decoder: &mut Decoder, block: &[u8]) -> Result<Fields, HpackError> {
    let mut fields = Fields::new();
    decoder.decode(block, MOST, |name, value| {
        fields.push((name.to_vec(), value.to_vec()));
    })?;
    Ok(fields)
}

/// Fields in the notation `name: value`, one a line.
fn listed(text: &str) -> Fields {
    let lines = text
        .lines()
        .map(str::trim_start)
        .filter(|line| !line.is_empty());
    let split = lines.map(|line| line.split_once(": ").expect("a field"));
    split
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pairs = digits.chunks(2).map(|pair| str::from_utf8(pair).unwrap());
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

/// Decodes blocks of one connection, and encodes their fields again: the examples are what this encoder writes, too.
fn example(size: u32, blocks: &[(&str, &str)]) {
    let (mut decoder, mut again) = (Decoder::new(size), Decoder::new(4096));
    let mut encoder = Encoder::new(4096);
    for (hex, text) in blocks {
        let fields = decode(&mut decoder, &bytes(hex)).unwrap();
        assert_eq!(fields, listed(text), "{hex}");
        let mut block = Vec::new();
        encoder.begin(&mut block);
        for (name, value) in &fields {
            encoder.encode(&mut block, name, value);
        }
        assert_eq!(decode(&mut again, &block).unwrap(), fields);
    }
}

const REQUESTS: [&str; 3] = [
    ":method: GET
    :scheme: http
    :path: /
    :authority: www.example.com",
    ":method: GET
    :scheme: http
    :path: /
    :authority: www.example.com
    cache-control: no-cache",
    ":method: GET
    :scheme: https
    :path: /index.html
    :authority: www.example.com
    custom-key: custom-value",
];

const REPLIES: [&str; 3] = [
    ":status: 302
    cache-control: private
    date: Mon, 21 Oct 2013 20:13:21 GMT
    location: https://www.example.com",
    ":status: 307
    cache-control: private
    date: Mon, 21 Oct 2013 20:13:21 GMT
    location: https://www.example.com",
    ":status: 200
    cache-control: private
    date: Mon, 21 Oct 2013 20:13:22 GMT
    location: https://www.example.com
    content-encoding: gzip
    set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
];

#[test]
fn single_fields_are_those_of_the_standard() {
    // RFC 7541 C.2.1 to C.2.4.
    for (hex, text) in [
        (
            "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
            "custom-key: custom-header",
        ),
        ("040c 2f73 616d 706c 652f 7061 7468", ":path: /sample/path"),
        (
            "1008 7061 7373 776f 7264 0673 6563 7265 74",
            "password: secret",
        ),
        ("82", ":method: GET"),
    ] {
        example(4096, &[(hex, text)]);
    }
}

#[test]
fn requests_are_those_of_the_standard() {
    // RFC 7541 C.3: without Huffman coding; C.4: with it.
    let plain = [
        "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "8286 84be 5808 6e6f 2d63 6163 6865",
        "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ];
    let coded = [
        "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
        "8286 84be 5886 a8eb 1064 9cbf",
        "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ];
    for blocks in [plain, coded] {
        let blocks: Vec<_> = blocks.into_iter().zip(REQUESTS).collect();
        example(4096, &blocks);
    }
    let mut encoder = Encoder::new(4096);
    for (hex, text) in coded.into_iter().zip(REQUESTS) {
        let mut block = Vec::new();
        encoder.begin(&mut block);
        for (name, value) in listed(text) {
            encoder.encode(&mut block, &name, &value);
        }
        assert_eq!(block, bytes(hex), "as the standard encodes them");
    }
}

#[test]
fn replies_are_those_of_the_standard_and_the_oldest_entries_are_dropped() {
    // RFC 7541 C.5 and C.6, with a table of 256 bytes.
    let plain = [
        "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 \
         3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "4803 3330 37c1 c0bf",
        "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 \
         7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 \
         6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31",
    ];
    let coded = [
        "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad \
         1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
        "4883 640e ffc1 c0bf",
        "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 \
         e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
    ];
    for blocks in [plain, coded] {
        let first = format!("3fe101 {}", blocks[0]);
        let blocks = [first.as_str(), blocks[1], blocks[2]];
        let blocks: Vec<_> = blocks.into_iter().zip(REPLIES).collect();
        example(256, &blocks);
    }
}

#[test]
fn invalid_blocks_are_refused_each_with_its_reason() {
    for (hex, error, reason) in [
        ("80", HpackError::Index, "index 0"),
        ("be", HpackError::Index, "the table is empty"),
        ("ff80808001", HpackError::Index, "an index of two million"),
        (
            "7f80808001 00",
            HpackError::Index,
            "the name of a missing entry",
        ),
        ("ff8080808001", HpackError::Integer, "an endless index"),
        ("40", HpackError::Truncated, "a literal without name"),
        ("4001", HpackError::Truncated, "a name cut short"),
        ("400161", HpackError::Truncated, "a literal without value"),
        ("407fffffff7f", HpackError::Truncated, "a name of 256 MiB"),
        ("407fffffffff01", HpackError::Integer, "a name of many GiB"),
        ("4001618100", HpackError::Huffman, "padding of zeros"),
        ("400161 84ffffffff", HpackError::Huffman, "the end symbol"),
        ("3fe21f", HpackError::TableSize, "a table of 4,097 bytes"),
        ("8220", HpackError::TableSize, "a change after a field"),
    ] {
        let refused = decode(&mut Decoder::new(4096), &bytes(hex));
        assert_eq!(refused, Err(error), "{reason}");
    }
}

#[test]
fn a_smaller_table_must_be_confirmed_once_the_setting_is_acknowledged() {
    let mut decoder = Decoder::new(100);
    let insert = bytes("4001610162");
    assert!(
        decode(&mut decoder, &insert).is_ok(),
        "before the peer knows"
    );
    assert!(decode(&mut decoder, &bytes("be")).is_ok());
    decoder.acknowledge();
    assert_eq!(decode(&mut decoder, &insert), Err(HpackError::TableSize));
    assert_eq!(
        decode(&mut decoder, &bytes("3f46")),
        Err(HpackError::TableSize),
        "101"
    );
    assert_eq!(
        decode(&mut decoder, &bytes("20 3f45")),
        Ok(vec![]),
        "0, then 100"
    );
    assert_eq!(
        decode(&mut decoder, &bytes("be")),
        Err(HpackError::Index),
        "emptied by the 0"
    );
    assert!(decode(&mut decoder, &insert).is_ok());
}

#[test]
fn a_small_block_cannot_become_a_huge_list() {
    let mut decoder = Decoder::new(4096);
    let value = "61".repeat(3_900);
    decode(&mut decoder, &bytes(&format!("400178 7fbd1d {value}"))).unwrap();
    let bomb = vec![0xbe; 60_000];
    let mut visited = 0;
    let refused = decoder.decode(&bomb, MOST, |_, value| visited += value.len());
    assert_eq!(refused, Err(HpackError::ListTooLarge(MOST)));
    assert!(visited <= MOST, "{visited}");
    let empty = vec![0x82; MOST / 32];
    assert!(matches!(
        decode(&mut decoder, &empty),
        Err(HpackError::ListTooLarge(_))
    ));
}

#[test]
fn secrets_are_marked_and_never_enter_a_table() {
    for (name, value, first) in [
        ("authorization", "Bearer x", 0x1f),
        ("cookie", "id=1", 0x1f),
        ("cookie", "id=0123456789012345678", 0x0f),
        ("accept", "text/html", 0x0f),
    ] {
        let mut block = Vec::new();
        encode_field(&mut block, name.as_bytes(), value.as_bytes());
        assert_eq!(block[0], first, "{name}");
    }
    let mut encoder = Encoder::new(4096);
    let mut blocks = [Vec::new(), Vec::new()];
    for block in &mut blocks {
        encoder.begin(block);
        encoder.encode(block, b"authorization", b"Bearer x");
    }
    assert_eq!(blocks[0], blocks[1]);
    assert_eq!(blocks[0][0], 0x1f);
}

#[test]
fn an_encoder_announces_each_size_that_its_peer_may_have_seen() {
    let mut encoder = Encoder::new(4096);
    encoder.allow(0);
    encoder.allow(100);
    let mut block = Vec::new();
    encoder.begin(&mut block);
    assert_eq!(block, bytes("20 3f45"));
    block.clear();
    encoder.begin(&mut block);
    assert_eq!(block, [], "once");
    encoder.allow(1 << 20);
    encoder.begin(&mut block);
    assert_eq!(block, bytes("3fe11f"), "no more than its own size");
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        "[a-e]{0,3}".prop_map(String::into_bytes),
        "[ -~]{0,40}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..20),
        Just(b"content-type".to_vec()),
        Just(b":status".to_vec()),
        Just(b"200".to_vec()),
    ]
}

fn blocks() -> impl Strategy<Value = Vec<(Option<u32>, Fields)>> {
    let sizes = prop::option::of(prop_oneof![0_u32..200, Just(4096), 0_u32..100_000]);
    let fields = prop::collection::vec((text(), text()), 0..12);
    prop::collection::vec((sizes, fields), 1..12)
}

proptest! {
    #[test]
    fn encoded_fields_are_decoded_with_any_table(
        most in prop_oneof![Just(0_u32), 0_u32..300, Just(4096), Just(65_536)],
        blocks in blocks(),
    ) {
        let mut encoder = Encoder::new(most);
        let mut decoder = Decoder::new(100_000);
        let mut fixed = Decoder::new(0);
        fixed.acknowledge();
        let mut is_first = true;
        for (size, fields) in blocks {
            if let Some(size) = size {
                encoder.allow(size);
            }
            let mut block = Vec::new();
            encoder.begin(&mut block);
            let mut prepared = if is_first { vec![0x20] } else { vec![] };
            is_first = false;
            for (name, value) in &fields {
                encoder.encode(&mut block, name, value);
                encode_field(&mut prepared, name, value);
            }
            prop_assert_eq!(&decode(&mut decoder, &block).unwrap(), &fields);
            prop_assert_eq!(&decode(&mut fixed, &prepared).unwrap(), &fields);
        }
    }

    #[test]
    fn any_bytes_are_fields_or_an_error(blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..5)) {
        let mut decoder = Decoder::new(4096);
        for block in blocks {
            if decode(&mut decoder, &block).is_err() {
                break;
            }
        }
    }
}
