//! What is asked of every reader of outside bytes, one function a reader: the fuzzer calls them with bytes that it makes up, and
//! the tests with the seeds and the cases that were once found (`corpus/`).
//!
//! A function returns where its reader did what it promises, whatever the bytes; else it panics.
//!
//! Architecture Invariant: nothing depends on this crate but the fuzz targets. It reads through what the crates offer, and
//! decides nothing itself.

mod answers;
mod flows;
mod imports;
mod journal;
mod mcp;
#[cfg(feature = "runs")]
mod runs;
mod scripts;
#[cfg(feature = "streams")]
mod streams;
mod templates;

use std::cell::RefCell;

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

thread_local! {
    /// Made once: a runtime for each case would be most of what a case costs.
    static RUNTIME: RefCell<Option<tokio::runtime::Runtime>> = const { RefCell::new(None) };
}

/// Runs `work` to its end on this thread.
fn wait<T>(work: impl Future<Output = T>) -> T {
    RUNTIME.with_borrow_mut(|slot| {
        let runtime = slot.get_or_insert_with(|| {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime can be made")
        });
        runtime.block_on(work)
    })
}

/// Numbers that look like chance and are the same for the same bytes (SplitMix64, Steele et al. 2014).
#[cfg(feature = "streams")]
struct Dice(u64);

#[cfg(feature = "streams")]
impl Dice {
    fn of(data: &[u8]) -> Self {
        Self(data.iter().fold(7, |sum: u64, byte| {
            sum.wrapping_mul(31).wrapping_add(u64::from(*byte))
        }))
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % most.max(1) as u64) as usize
    }
}
