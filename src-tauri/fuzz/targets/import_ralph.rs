//! See `import_ralph` in ../crates/fuzzing.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| loopwright_fuzzing::check("import_ralph", data));
