//! Puts a script together: what it calls of `prelude.luau`, then its own lines.

use std::collections::BTreeSet;

use super::names::Dialect;

const SOURCE: &str = include_str!("prelude.luau");

/// A function of the prelude with the names of those it needs.
struct Block {
    name: &'static str,
    needs: Vec<&'static str>,
    source: &'static str,
}

fn blocks() -> impl Iterator<Item = Block> {
    SOURCE.split("\n--- ").skip(1).filter_map(|block| {
        let (head, source) = block.split_once('\n')?;
        let (name, needs) = head.split_once(':').unwrap_or((head, ""));
        Some(Block {
            name: name.trim(),
            needs: needs
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .collect(),
            source: source.trim_end(),
        })
    })
}

/// The names of all helpers, in their order.
pub fn helpers() -> Vec<&'static str> {
    blocks().map(|block| block.name).collect()
}

/// A whole script: the helpers that are called, those that they need, and `body`.
pub fn script(helpers: &BTreeSet<&'static str>, dialect: Dialect, body: &str) -> String {
    let blocks: Vec<Block> = blocks().collect();
    let mut wanted: BTreeSet<&str> = helpers.iter().copied().collect();
    // A block needs only blocks that stand before it.
    for block in blocks.iter().rev() {
        if wanted.contains(block.name) {
            wanted.extend(block.needs.iter().copied());
        }
    }
    let mut source = String::new();
    let loom = dialect == Dialect::Loom;
    if wanted.contains("text") {
        source.push_str(&format!("local CAPITAL = {}\n", !loom));
    }
    if wanted.contains("step") {
        source.push_str(&format!("local LENIENT = {loom}\n"));
    }
    for block in blocks.iter().filter(|block| wanted.contains(block.name)) {
        source.push_str(block.source);
        source.push_str("\n\n");
    }
    source.push_str(body);
    source
}
