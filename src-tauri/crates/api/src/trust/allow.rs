//! Items as they are written: in the file of approvals, in `--allow`, and in the words that say what is lacking.

use std::path::Path;

use loopwright_engine::trust::{Grants, Need, NeedKind, quoted};

use super::dto::NeedInfo;
use crate::error::{ApiError, Code};

/// Whether a kept item allows anything; one of a key without where it goes does not.
pub(super) fn allows(item: &str) -> bool {
    parse(item).is_none_or(|need| need.can_be_granted())
}

/// An item as `--allow` and the file write it. `None` where it is none.
pub(super) fn parse(item: &str) -> Option<Need> {
    let (kind, what) = item.split_once(':')?;
    NeedKind::ALL
        .into_iter()
        .find(|known| known.as_str() == kind)
        .filter(|_| !what.is_empty())
        .map(|kind| Need::new(kind, what))
}

/// Reads what `--allow` was given: `all`, or items with commas between them.
///
/// # Errors
/// [`Code::InvalidArgument`] for what is no item.
pub fn parse_allow(given: &[String], base: &Path) -> Result<Grants, ApiError> {
    let mut allow = Grants::default();
    // A command may have commas in it: it stands alone.
    let parts = given.iter().flat_map(|list| {
        if list.trim_start().starts_with("command:") {
            vec![list.as_str()]
        } else {
            list.split(',').collect()
        }
    });
    for item in parts {
        let item = item.trim();
        match (item, parse(item)) {
            ("", _) => {}
            ("all", _) => allow.all = true,
            (_, Some(need)) if !need.can_be_granted() => {
                return Err(ApiError::new(Code::InvalidArgument, not_one(&need)));
            }
            (_, Some(need)) => {
                let folder = matches!(need.kind, NeedKind::Read | NeedKind::Write);
                let need = if folder {
                    let path = base.join(&need.what);
                    let path = std::fs::canonicalize(&path).unwrap_or(path);
                    Need::new(need.kind, path.display().to_string())
                } else {
                    need
                };
                allow.items.insert(need.item());
            }
            (_, None) => {
                let kinds = NeedKind::ALL.map(NeedKind::as_str).join(", ");
                return Err(ApiError::new(
                    Code::InvalidArgument,
                    format!(
                        "--allow {item}: write `all`, or items as `host:api.example.org` with commas between them. There are: {kinds}."
                    ),
                ));
            }
        }
    }
    Ok(allow)
}

/// Why `--allow` does not take an item that names no one thing.
fn not_one(need: &Need) -> String {
    let item = need.item();
    match need.kind {
        NeedKind::Key => format!(
            "--allow {item}: a key is allowed with where it is sent, as `key:MY_TOKEN@https://api.example.org` or \
             `key:MY_TOKEN@agent:codex`. `loopwright trust FLOW` lists what the flow would use."
        ),
        _ => format!(
            "--allow {item}: name the one that is meant. `loopwright trust FLOW` lists what the flow would use."
        ),
    }
}

pub(super) fn not_approved(lacks: &[&NeedInfo]) -> String {
    let list: Vec<String> = lacks
        .iter()
        .map(|need| format!("{} ({})", need.item, need.nodes.join(", ")))
        .collect();
    // As `parse_allow` reads it: a command has an option of its own.
    let (commands, others): (Vec<&NeedInfo>, Vec<&NeedInfo>) = lacks
        .iter()
        .copied()
        .partition(|need| need.kind == NeedKind::Command);
    let others: Vec<&str> = others.iter().map(|need| need.item.as_str()).collect();
    let others = (!others.is_empty()).then(|| others.join(","));
    let options: Vec<String> = commands
        .into_iter()
        .map(|need| need.item.clone())
        .chain(others)
        .map(|item| format!("--allow {}", quoted(&item)))
        .collect();
    format!(
        "Nothing was run: the flow would use what nobody has approved: {}. Approve it in the window or on a terminal, or run it with \
         {}",
        list.join("; "),
        options.join(" ")
    )
}
