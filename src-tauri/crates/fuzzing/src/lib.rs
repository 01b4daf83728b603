//! What is asked of every reader of outside bytes, one function a reader: the fuzzer calls them with bytes that it makes up, and
//! the tests with the seeds and the cases that were once found (`corpus/`).
//!
//! A function returns where its reader did what it promises, whatever the bytes; else it panics.
//!
//! Architecture Invariant: nothing depends on this crate but the fuzz targets. It reads through what the crates offer, and
//! decides nothing itself.

mod answers;
#[cfg(feature = "streams")]
mod dice;
mod flows;
mod imports;
mod journal;
mod mcp;
#[cfg(feature = "runs")]
mod runs;
mod runtime;
mod scripts;
#[cfg(feature = "streams")]
mod streams;
mod templates;

use loopwright_script_worker::InThisProcess;

/// One reader.
pub struct Target {
    /// The name of the fuzz target and of its folder in `corpus/`.
    pub name: &'static str,
    pub check: fn(&[u8]),
    /// Bytes; what is longer is not looked at.
    pub most: usize,
}

const fn target(name: &'static str, check: fn(&[u8]), most: usize) -> Target {
    Target { name, check, most }
}

/// Every reader, once.
pub const TARGETS: &[Target] = &[
    target("answer", answers::answer, 32 << 10),
    target("flow_file", flows::flow_file, 32 << 10),
    target("template", templates::template, 4 << 10),
    target("expression", templates::expression, 4 << 10),
    target("script", scripts::script, 8 << 10),
    target("import_tea", imports::tea, 16 << 10),
    target("import_containers", imports::containers, 16 << 10),
    target("import_loom", imports::loom, 16 << 10),
    target("import_logic_apps", imports::logic_apps, 16 << 10),
    target("import_aistudio", imports::aistudio, 16 << 10),
    #[cfg(feature = "streams")]
    target("stream_chat", streams::chat, 8 << 10),
    #[cfg(feature = "streams")]
    target("stream_anthropic", streams::anthropic, 8 << 10),
    #[cfg(feature = "streams")]
    target("stream_gemini", streams::gemini, 8 << 10),
    target("mcp_client", mcp::client, 8 << 10),
    target("mcp_server", mcp::server, 8 << 10),
    target("journal_records", journal::records, 32 << 10),
    #[cfg(feature = "runs")]
    target("run_file", runs::run_file, 32 << 10),
];

/// Asks `data` of the reader of this name.
///
/// # Panics
/// Where there is no such reader, and where it does not do what it promises.
pub fn check(name: &str, data: &[u8]) {
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        panic!("there is no target `{name}`");
    };
    // A worker's parsers are not those that the fuzzer sees.
    loopwright_script::read_in_this_process(&InThisProcess);
    if data.len() <= target.most {
        (target.check)(data);
    }
}
