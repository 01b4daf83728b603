//! The descendants of a process, from `/proc`.

use std::{
    collections::{HashMap, HashSet},
    fs,
};

/// Lists every living descendant of `root`. Processes may start and end during the listing, so a caller that kills them must
/// list them again.
pub(crate) fn descendants(root: i32) -> Vec<i32> {
    let mut children = by_parent();
    let (mut found, mut seen) = (Vec::new(), HashSet::from([root]));
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            if seen.insert(child) {
                found.push(child);
                open.push(child);
            }
        }
    }
    found
}

/// Lists the living children of `parent`.
pub(crate) fn children(parent: i32) -> Vec<i32> {
    by_parent().remove(&parent).unwrap_or_default()
}

fn by_parent() -> HashMap<i32, Vec<i32>> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let Ok(entries) = fs::read_dir("/proc") else {
        return children;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        if let Some(parent) = parent_of_living(&stat) {
            children.entry(parent).or_default().push(pid);
        }
    }
    children
}

/// Returns the start time of a process, from its line in `/proc/<pid>/stat`, in ticks since the system started; `None` if
/// the line cannot be parsed.
pub(crate) fn began(stat: &str) -> Option<u64> {
    let fields = stat.rsplit_once(')')?.1;
    fields.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// Returns the parent of a process, from its line in `/proc/<pid>/stat` (proc_pid_stat(5)), or `None` for a process that has
/// ended and waits to be reaped.
fn parent_of_living(stat: &str) -> Option<i32> {
    // The program's name is in brackets, and may itself contain brackets.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // Even if the first thread of a process has ended, others may continue.
    let threads: u32 = fields.nth(15)?.parse().ok()?;
    let ended = matches!(state, "Z" | "X") && threads <= 1;
    (!ended).then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_proc_is_read_with_any_program_name() {
        let line = |name: &str, state: &str, threads: u32| {
            format!("7 ({name}) {state} 5 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 {threads} 0 99 0 0")
        };
        assert_eq!(parent_of_living(&line("sh", "S", 1)), Some(5));
        assert_eq!(parent_of_living(&line(") Z 9 (", "R", 3)), Some(5));
        assert_eq!(parent_of_living(&line("sh", "Z", 1)), None);
        assert_eq!(parent_of_living(&line("sh", "Z", 2)), Some(5));
        assert_eq!(parent_of_living("7 (sh"), None);
        assert_eq!(began(&line(") 1 (", "S", 1)), Some(99));
    }
}
