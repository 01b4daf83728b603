//! Reads the first bytes of a file, which identify its format.

use std::io::{self, BufRead};

/// The maximum number of bytes that are examined to detect the format.
pub(crate) const MAX_BYTES: usize = 64 * 1024;

/// Reads at most [`MAX_BYTES`] from the start of `reader`, without a byte order mark. Fails if `reader` fails.
pub(crate) fn read(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while head.len() < MAX_BYTES {
        let bytes = match reader.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            break;
        }
        let taken = bytes.len().min(MAX_BYTES - head.len());
        head.extend_from_slice(&bytes[..taken]);
        reader.consume(taken);
    }
    if head.starts_with(b"\xef\xbb\xbf") {
        head.drain(..3);
    }
    Ok(head)
}
