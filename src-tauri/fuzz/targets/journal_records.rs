//! See `journal_records` in ../crates/fuzzing.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| loopwright_fuzzing::check("journal_records", data));
