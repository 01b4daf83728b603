//! Examines the write-ahead log before SQLite applies it. SQLite reads the log as far as its chain of checksums is valid, and
//! overwrites the rest. This is correct after a power failure, but it loses committed data if a bit has changed.
//!
//! The format is described at <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.

use std::{fs, io, path::Path};

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Log {
    /// The log is missing or empty.
    Empty,
    /// No damage to the log is detectable.
    Whole,
    /// A commit follows a damaged frame. SQLite will drop that commit.
    Broken,
    /// The header is damaged. SQLite will drop the whole log.
    Headless,
}

/// A chain of checksums: two running sums over pairs of words.
struct Chain {
    sums: [u32; 2],
    big_endian: bool,
}

impl Chain {
    fn add(&mut self, bytes: &[u8]) {
        let [mut one, mut two] = self.sums;
        for pair in bytes.chunks_exact(8) {
            let (a, b) = (word(pair, 0), word(pair, 4));
            let (a, b) = match self.big_endian {
                true => (a, b),
                false => (a.swap_bytes(), b.swap_bytes()),
            };
            one = one.wrapping_add(a).wrapping_add(two);
            two = two.wrapping_add(b).wrapping_add(one);
        }
        self.sums = [one, two];
    }
}

/// Returns the big-endian word at an offset; 0 beyond the end.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..at + 4)
        .and_then(|four| four.try_into().ok())
        .map_or(0, u32::from_be_bytes)
}

pub(crate) fn check_log(path: &Path) -> io::Result<Log> {
    match fs::read(path) {
        Ok(bytes) => Ok(read_log(&bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Log::Empty),
        Err(error) => Err(error),
    }
}

fn read_log(bytes: &[u8]) -> Log {
    // The log has just been started, or is not in use.
    if bytes.len() < HEADER || bytes.iter().take(HEADER).all(|byte| *byte == 0) {
        return Log::Empty;
    }
    let magic = word(bytes, 0);
    let page = word(bytes, 8) as usize;
    let mut chain = Chain {
        sums: [0, 0],
        big_endian: magic & 1 == 1,
    };
    chain.add(&bytes[..24]);
    let is_header = magic | 1 == 0x377f_0683
        && (512..=65_536).contains(&page)
        && page.is_power_of_two()
        && chain.sums == [word(bytes, 24), word(bytes, 28)];
    if !is_header {
        return Log::Headless;
    }
    let salts = &bytes[16..24];
    let mut frames = bytes[HEADER..].chunks_exact(FRAME_HEADER + page);
    let is_ours = |frame: &[u8]| &frame[8..16] == salts;
    // The last frame of a transaction records the size of the file in pages.
    let is_commit = |frame: &[u8]| word(frame, 4) != 0;
    for frame in frames.by_ref() {
        chain.add(&frame[..8]);
        chain.add(&frame[FRAME_HEADER..]);
        if !is_ours(frame) || chain.sums != [word(frame, 16), word(frame, 20)] {
            // The frame that was being written when the program was killed may be incomplete. Frames after it are older,
            // from before the log restarted, and have other salts. Frames of an unfinished or rolled back transaction may be
            // in any state: SQLite writes some of them twice, and computes their sums at the end.
            return match frames.any(|frame| is_ours(frame) && is_commit(frame)) {
                true => Log::Broken,
                false => Log::Whole,
            };
        }
    }
    Log::Whole
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    /// Returns the log of a database with some commits.
    fn log(folder: &Path) -> Vec<u8> {
        let path = folder.join("x.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
            .unwrap();
        for number in 0..5 {
            connection
                .execute("INSERT INTO t VALUES (?1)", [number])
                .unwrap();
        }
        fs::read(folder.join("x.db-wal")).unwrap()
    }

    #[test]
    fn a_log_is_told_from_one_that_was_changed() {
        let folder = tempfile::tempdir().unwrap();
        let whole = log(folder.path());
        assert_eq!(read_log(&whole), Log::Whole);
        assert_eq!(read_log(&[]), Log::Empty);
        let frame = FRAME_HEADER + 4096;
        let last = whole.len() - frame;
        for at in [
            0,
            5,
            9,
            17,
            25,
            HEADER,
            HEADER + 9,
            HEADER + 17,
            HEADER + 900,
            last - 1,
        ] {
            let mut changed = whole.clone();
            changed[at] ^= 4;
            let expected = if at < HEADER {
                Log::Headless
            } else {
                Log::Broken
            };
            assert_eq!(read_log(&changed), expected, "{at}");
        }
        // A killed program leaves a log cut within a frame, or older frames after the last one.
        assert_eq!(read_log(&whole[..last + 100]), Log::Whole);
        let mut begun_again = whole[..last].to_vec();
        let mut older = whole[last..].to_vec();
        older[8] ^= 1;
        begun_again.extend_from_slice(&older);
        begun_again.extend_from_slice(&older);
        assert_eq!(read_log(&begun_again), Log::Whole);
    }

    #[test]
    fn a_transaction_that_did_not_end_is_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 2; CREATE TABLE t (x);
                 INSERT INTO t VALUES (1); CREATE TABLE u (x); BEGIN",
            )
            .unwrap();
        for _ in 0..2 {
            for _ in 0..100 {
                connection
                    .execute("INSERT INTO u VALUES (randomblob(3000))", [])
                    .unwrap();
            }
            // SQLite writes some pages again that are already in the log.
            connection.execute("UPDATE u SET x = x || 'y'", []).unwrap();
        }
        let log = || fs::read(folder.path().join("x.db-wal")).unwrap();
        let cut = log();
        assert!(cut.len() > 100 * 4096);
        assert_eq!(read_log(&cut), Log::Whole);
        connection.execute_batch("ROLLBACK").unwrap();
        connection.execute("INSERT INTO t VALUES (2)", []).unwrap();
        // Frames of the rolled back transaction follow.
        let after = log();
        assert!(after.len() > 100 * 4096);
        assert_eq!(read_log(&after), Log::Whole);
        let mut changed = after;
        changed[HEADER + 900] ^= 4;
        assert_eq!(read_log(&changed), Log::Broken);
    }
}
