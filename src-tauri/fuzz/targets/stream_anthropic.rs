//! See `stream_anthropic` in ../crates/fuzzing.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| loopwright_fuzzing::check("stream_anthropic", data));
