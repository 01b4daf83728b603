//! Decompresses bodies that the HTTP client cannot: `deflate` in both of its forms, and gzip under its older name.
//!
//! `deflate` means the zlib format (RFC 9110, 8.4.1.2), but some servers omit the zlib header. Browsers accept both forms,
//! and so do node-fetch, axios (pull request 5497) and others.

use std::io::{self, Read};

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use reqwest::header::{CONTENT_ENCODING, HeaderMap};

/// A compression format that this module supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Deflate,
    Gzip,
}

/// The reason why a body cannot be decompressed.
#[derive(Debug)]
pub(super) enum Unread {
    TooLarge,
    Broken(io::Error),
}

/// Returns the compression named by the headers, or `None` if they name no compression, or one that this module does not
/// support.
pub(super) fn coding(headers: &HeaderMap) -> Option<Coding> {
    let named = headers.get(CONTENT_ENCODING)?.to_str().ok()?;
    match named.trim().to_ascii_lowercase().as_str() {
        "deflate" => Some(Coding::Deflate),
        "x-gzip" => Some(Coding::Gzip),
        _ => None,
    }
}

/// Decompresses `packed`. Returns an error if the result would have more than `most` bytes.
pub(super) fn unpack(coding: Coding, packed: &[u8], most: usize) -> Result<Vec<u8>, Unread> {
    match coding {
        Coding::Gzip => bounded(MultiGzDecoder::new(packed), most),
        // The data may begin like a zlib header by chance, so both forms are tried.
        Coding::Deflate if has_zlib_header(packed) => match bounded(ZlibDecoder::new(packed), most)
        {
            Err(Unread::Broken(error)) => {
                bounded(DeflateDecoder::new(packed), most).map_err(|_| Unread::Broken(error))
            }
            read => read,
        },
        Coding::Deflate => bounded(DeflateDecoder::new(packed), most),
    }
}

/// Returns whether the data has the header of RFC 1950: the method is deflate, and the first two bytes, read as one number,
/// are a multiple of 31.
fn has_zlib_header(packed: &[u8]) -> bool {
    match packed {
        [method, flags, ..] => {
            method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31)
        }
        _ => false,
    }
}

fn bounded(from: impl Read, most: usize) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    from.take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(Unread::Broken)?;
    if bytes.len() > most {
        return Err(Unread::TooLarge);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{
        Compression,
        write::{DeflateEncoder, GzEncoder, ZlibEncoder},
    };

    use super::*;

    const TEXT: &[u8] = b"{\"a\": \"a text that is longer than its packed form form form form\"}";

    fn raw(text: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(text: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn deflate_is_read_with_the_header_of_zlib_and_without() {
        for packed in [raw(TEXT), zlib(TEXT)] {
            assert_eq!(unpack(Coding::Deflate, &packed, 1 << 10).unwrap(), TEXT);
            let cut = &packed[..packed.len() / 2];
            assert!(matches!(
                unpack(Coding::Deflate, cut, 1 << 10),
                Err(Unread::Broken(_))
            ));
        }
        assert!(matches!(
            unpack(Coding::Deflate, b"plain text", 1 << 10),
            Err(Unread::Broken(_))
        ));
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(TEXT).unwrap();
        let packed = encoder.finish().unwrap();
        assert_eq!(unpack(Coding::Gzip, &packed, 1 << 10).unwrap(), TEXT);
    }

    #[test]
    fn what_unpacks_to_too_much_is_not_read_on() {
        let bomb = vec![b'x'; 1 << 20];
        for packed in [raw(&bomb), zlib(&bomb)] {
            assert!(matches!(
                unpack(Coding::Deflate, &packed, 1 << 10),
                Err(Unread::TooLarge)
            ));
        }
    }
}
