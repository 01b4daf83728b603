//! Tests that large files are streamed. This test needs a process of its own, because the measured memory would include
//! that of other tests.

use std::{
    io::{BufReader, Read},
    time::Instant,
};

use crate::data::{self, Columns, Format};

/// A CSV file of `rows` rows of about a kilobyte, generated while it is read. All rows have the same id, so only the first
/// becomes a case.
struct Rows {
    rows: u32,
    next: u32,
    text: Vec<u8>,
    at: usize,
}

impl Read for Rows {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.text.len() {
            self.text.clear();
            self.at = 0;
            if self.next == 0 {
                self.text.extend(b"id,text\n");
            } else if self.next <= self.rows {
                self.text
                    .extend(format!("same,\"{}\n{}\"\n", self.next, "x".repeat(1000)).as_bytes());
            }
            self.next += 1;
        }
        let read = to.len().min(self.text.len() - self.at);
        to[..read].copy_from_slice(&self.text[self.at..self.at + read]);
        self.at += read;
        Ok(read)
    }
}

/// Returns the peak memory of this process in bytes; `None` on a system without `/proc`.
fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

fn read_rows(rows: u32) {
    let before = peak_memory();
    let start = Instant::now();
    let reader = BufReader::new(Rows {
        rows,
        next: 0,
        text: Vec::new(),
        at: 0,
    });
    let data = data::read(reader, Format::Csv, &Columns::default()).unwrap();
    let took = start.elapsed();
    assert_eq!(data.cases.len(), 1);
    assert_eq!(
        data.rejected.len(),
        data::MAX_REJECTED.min(rows as usize - 1)
    );
    assert_eq!(data.rejected[0].line, 4);
    assert_eq!(data.rejected[9].line, 22);
    let grown = peak_memory()
        .zip(before)
        .map(|(after, before)| after.saturating_sub(before));
    println!(
        "{} MB in {took:?}, memory grew by {grown:?} bytes",
        rows / 1000
    );
    // Ten thousand rejected rows take about three megabytes, while the text has a thousand bytes for each row.
    if let Some(grown) = grown {
        assert!(grown < 10_000_000, "memory grew by {grown} bytes");
    }
}

#[test]
fn twenty_megabytes_do_not_stay_in_memory() {
    read_rows(20_000);
}

#[test]
#[ignore = "takes seconds"]
fn two_hundred_megabytes_do_not_stay_in_memory() {
    read_rows(200_000);
}
