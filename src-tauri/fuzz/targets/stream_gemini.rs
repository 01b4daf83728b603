//! See `stream_gemini` in ../crates/fuzzing.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| loopwright_fuzzing::check("stream_gemini", data));
