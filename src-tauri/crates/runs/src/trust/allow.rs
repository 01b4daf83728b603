//! Items as they are written: in the file of approvals, in `--allow`, and in the words that say what is lacking.

use std::path::Path;

use loopwright_engine::trust::{Grants, Need, NeedKind, list_of_items, migrated};

use super::dto::NeedInfo;
use crate::error::{ApiError, Code};

/// Whether a kept item allows anything; one of a key without where it goes does not.
pub(super) fn allows(item: &str) -> bool {
    parse(item).is_none_or(|need| need.can_be_granted())
}

/// An item as `--allow` and the file write it. `None` where it is none.
pub(super) fn parse(item: &str) -> Option<Need> {
    Need::of_item(item)
}

/// Reads what `--allow` was given: `all`, which stands alone, or items with commas between them. A comma of an item itself is written
/// twice; a command line has an option of its own.
///
/// # Errors
/// [`Code::InvalidArgument`] for what is no item.
pub fn parse_allow(given: &[String], base: &Path) -> Result<Grants, ApiError> {
    let mut allow = Grants::default();
    for list in given {
        let items = list_of_items(list);
        let alone = items.len() == 1;
        for item in items {
            match (item.trim_end(), parse(&item)) {
                ("all", _) if alone => allow.all = true,
                ("all", _) => {
                    return Err(ApiError::new(
                        Code::InvalidArgument,
                        format!(
                            "--allow {list}: `all` is everything, and stands alone. A comma that belongs to a name is written twice: `,,`."
                        ),
                    ));
                }
                (_, Some(need)) if !need.can_be_granted() => {
                    return Err(ApiError::new(Code::InvalidArgument, not_one(&need)));
                }
                (_, Some(need)) => {
                    allow.items.insert(located(need, base).item());
                }
                (item, None) => return Err(ApiError::new(Code::InvalidArgument, no_item(item))),
            }
        }
    }
    Ok(allow)
}

/// The item with its folder as the system calls it, seen from `base`.
fn located(need: Need, base: &Path) -> Need {
    match need.kind {
        NeedKind::Read | NeedKind::Write => {
            let path = base.join(&need.what);
            let path = std::fs::canonicalize(&path).unwrap_or(path);
            Need::new(need.kind, path.display().to_string())
        }
        NeedKind::Host | NeedKind::Private => Need::new(need.kind, need.what.trim_end()),
        _ => need,
    }
}

/// Why `--allow` does not take a text that is no item.
fn no_item(item: &str) -> String {
    if item.starts_with("command:") {
        let meant = migrated(item).and_then(|item| Need::of_item(&item));
        let meant = meant.map_or_else(
            || {
                "Quote it as `loopwright trust FLOW` lists it, as `command:make 'all of it' in '/home/me/my project'`."
                    .to_owned()
            },
            |need| format!("Perhaps {} is meant.", need.allow_option()),
        );
        return format!(
            "--allow {item}: this is no command line with its folder, each of them quoted where it has blanks. {meant}"
        );
    }
    let kinds = NeedKind::ALL.map(NeedKind::as_str).join(", ");
    format!(
        "--allow {item}: write `all`, or items as `host:api.example.org` with commas between them. There are: {kinds}. A comma that \
         belongs to a name is written twice: `,,`."
    )
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
    let options: Vec<String> = lacks
        .iter()
        .map(|need| Need::new(need.kind, &need.what).allow_option())
        .collect();
    format!(
        "Nothing was run: the flow would use what nobody has approved: {}. Approve it in the window or on a terminal, or run it with \
         {}",
        list.join("; "),
        options.join(" ")
    )
}
