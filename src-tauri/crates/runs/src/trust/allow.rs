//! The text form of permission items, used in the file of approvals, in `--allow`, and in messages about missing permissions.

use std::path::Path;

use loopwright_engine::trust::{Grants, Need, NeedKind, list_of_items, migrated};

use super::dto::NeedInfo;
use crate::error::{ApiError, Code};

/// Returns `false` if a stored item permits nothing, such as a key without a destination. Returns `true` for any other
/// item, even one that cannot be parsed.
pub(super) fn allows(item: &str) -> bool {
    parse(item).is_none_or(|need| need.can_be_granted())
}

/// Parses an item as it is written in `--allow` and in the file of approvals. Returns `None` if it is not an item.
pub(super) fn parse(item: &str) -> Option<Need> {
    Need::of_item(item)
}

/// Parses the values of `--allow`: either `all`, or items separated by commas. A comma within an item is doubled. Relative
/// folders start at `base`.
///
/// # Errors
/// [`Code::InvalidArgument`] if an item is invalid.
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
                            "--allow {list}: `all` allows everything and cannot be combined with other items. If a name contains a comma, double it: `,,`."
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

/// Returns the need with its folder in canonical form. A relative folder starts at `base`.
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

/// Returns the message for a string in `--allow` that cannot be parsed as an item.
fn no_item(item: &str) -> String {
    if item.starts_with("command:") {
        let meant = migrated(item).and_then(|item| Need::of_item(&item));
        let meant = meant.map_or_else(
            || {
                "Quote it as `loopwright trust FLOW` lists it, such as `command:make 'all of it' in '/home/me/my project'`."
                    .to_owned()
            },
            |need| format!("Did you mean {}?", need.allow_option()),
        );
        return format!(
            "--allow {item}: this is not a command line followed by `in` and a folder. Quote parts that contain spaces. {meant}"
        );
    }
    let kinds = NeedKind::ALL.map(NeedKind::as_str).join(", ");
    format!(
        "--allow {item}: write `all`, or items such as `host:api.example.org` with commas between them. The kinds are {kinds}. If a name contains a comma, double it: `,,`."
    )
}

/// Returns the message for an item in `--allow` that does not identify exactly one thing.
fn not_one(need: &Need) -> String {
    let item = need.item();
    match need.kind {
        NeedKind::Key => format!(
            "--allow {item}: a key is allowed together with its destination, such as `key:MY_TOKEN@https://api.example.org` or \
             `key:MY_TOKEN@agent:codex`. `loopwright trust FLOW` lists what the flow would use."
        ),
        _ => format!(
            "--allow {item}: this is not one exact item. `loopwright trust FLOW` lists what the flow would use."
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
        "Nothing was run: the flow would use resources that nobody has approved: {}. Approve them in the window or on a terminal, or run it with \
         {}",
        list.join("; "),
        options.join(" ")
    )
}
