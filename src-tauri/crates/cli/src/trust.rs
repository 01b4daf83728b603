//! `--allow` and `loopwright trust`: the permissions of a flow.

use std::io::{self, IsTerminal as _};

use loopwright_api::App;
use loopwright_engine::trust::Grants;
use loopwright_engine::trust::{Need, NeedKind, for_shell};
use loopwright_runs as runs;
use loopwright_runs::{ApiError, NeedInfo, NeedState, PreparedRun, TrustList, needed, parse_allow};
use serde_json::{Value, json};

use crate::{
    named::read_flow,
    out::{errln, outln},
    question::read_line,
    status,
    terminal::{Paged, blanks_shown, labels, show},
};

/// Parses the values of `--allow`. Relative folders start from the current folder.
///
/// # Errors
/// Returns an error if a value does not identify exactly one thing.
pub(crate) fn allow(given: &[String]) -> Result<Grants, ApiError> {
    parse_allow(given, &std::env::current_dir().unwrap_or_default())
}

fn open<'a>(list: &'a TrustList, allow: &Grants) -> Vec<&'a NeedInfo> {
    list.needs
        .iter()
        .filter(|need| need.state == NeedState::New && !allow.all)
        .filter(|need| !allow.items.contains(&need.item))
        .collect()
}

/// The maximum number of characters in a line of an item's description.
const WIDTH: usize = 100;

/// Returns the lines that show an item to a person: the item, the nodes that need it, and its description. A description of
/// several lines, such as the tools of a server, is marked with a bar, so that nobody mistakes it for the program's own output.
fn describe(need: &NeedInfo) -> Vec<String> {
    let nodes = if need.nodes.is_empty() {
        String::new()
    } else {
        format!("  [{}]", labels(&need.nodes))
    };
    // The item is in the syntax of `--allow` and `--approve`.
    let item = Need::new(need.kind, &need.what).as_argument();
    let head = format!("{}{nodes}", blanks_shown(&item));
    let detail = need.detail.as_deref().map(blanks_shown);
    match detail.as_deref() {
        None => vec![head],
        Some(detail) if !detail.contains('\n') => vec![format!("{head}  {detail}")],
        Some(detail) => std::iter::once(head)
            .chain(
                wrapped(detail)
                    .into_iter()
                    .map(|line| format!("      | {line}")),
            )
            .collect(),
    }
}

/// Wraps text to lines of at most [`WIDTH`] characters, at spaces if possible. Spaces at which a line is wrapped are dropped.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for mut rest in text.lines() {
        while let Some((end, _)) = rest.char_indices().nth(WIDTH) {
            let (line, behind) = match rest[..end].rfind(' ').filter(|space| *space > 0) {
                Some(space) => (&rest[..space], &rest[space + 1..]),
                None => rest.split_at(end),
            };
            lines.push(line.to_owned());
            rest = behind;
        }
        lines.push(rest.to_owned());
    }
    lines
}

/// Asks on the terminal for approval of everything that is not yet approved. Without a terminal, or if the user declines, `allow`
/// is returned unchanged, and the run will be refused when it starts.
///
/// # Errors
/// Returns an error if the list of items cannot be read, or if an approval cannot be stored.
pub(crate) fn ask(app: &App, prepared: &PreparedRun, allow: Grants) -> Result<Grants, ApiError> {
    if !is_asked() {
        return Ok(allow);
    }
    ask_about(
        &runs::needs(app.env(), prepared)?,
        allow,
        "for this run",
        |shown, items| runs::approve_prepared(app.env(), prepared, shown, items),
    )
}

/// Asks like [`ask`], but for all runs that a schedule starts.
///
/// # Errors
/// Returns the errors of [`ask`].
pub(crate) fn ask_for_schedule(
    app: &App,
    prepared: &PreparedRun,
    allow: Grants,
) -> Result<Grants, ApiError> {
    if !is_asked() {
        return Ok(allow);
    }
    ask_about(
        &runs::needs(app.env(), prepared)?,
        allow,
        "for this schedule",
        |shown, items| runs::approve_prepared(app.env(), prepared, shown, items),
    )
}

/// Asks like [`ask`], but about a flow that is run many times.
///
/// # Errors
/// Returns the errors of [`ask`].
pub(crate) fn ask_for_flow(
    app: &App,
    document: &Value,
    path: Option<&str>,
    allow: Grants,
) -> Result<Grants, ApiError> {
    if !is_asked() {
        return Ok(allow);
    }
    let list = runs::grants(app.env(), document.clone(), path)?;
    ask_about(&list, allow, "for this run", |shown, items| {
        runs::approve(app.env(), document.clone(), path, shown, items).map(drop)
    })
}

fn is_asked() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks about a list of items. `scope` says what a simple yes covers. `approve` stores the approval of items permanently. It
/// receives the digest of the list that the user saw.
fn ask_about(
    list: &TrustList,
    mut allow: Grants,
    scope: &str,
    approve: impl Fn(&str, &[String]) -> Result<(), ApiError>,
) -> Result<Grants, ApiError> {
    let mut lacks = open(list, &allow);
    if lacks.is_empty() {
        return Ok(allow);
    }
    lacks.sort_by_key(|need| weight(need.kind));
    errln!("This flow would use:");
    let lines: Vec<String> = lacks
        .iter()
        .flat_map(|need| describe(need))
        .map(|line| format!("    {line}"))
        .collect();
    loop {
        match show(&lines, 1, &mut read_line) {
            Paged::Shown => {}
            Paged::Said(said) if matches!(said.as_str(), "n" | "no") => return Ok(allow),
            Paged::Said(_) => continue,
            Paged::Ended => return Ok(allow),
        }
        break;
    }
    loop {
        if lacks.len() > 1 {
            errln!("In total: {}.", counts(&lacks));
        }
        let said = read_line(&format!(
            "Allow it? [y]es, {scope}; [a]lways, for this flow; [n]o: "
        ));
        let items = lacks.iter().map(|need| need.item.clone());
        match said.as_deref() {
            Some("y" | "yes") => allow.items.extend(items),
            Some("a" | "always") => {
                approve(&list.digest, &items.collect::<Vec<_>>())?;
            }
            Some("n" | "no") | None => {}
            Some(_) => continue,
        }
        return Ok(allow);
    }
}

/// Returns the sort key of a kind. The riskiest kinds come last, next to the prompt: programs, folders for writing, private
/// addresses.
fn weight(kind: NeedKind) -> usize {
    match kind {
        NeedKind::Host => 0,
        NeedKind::Key => 1,
        NeedKind::Read => 2,
        NeedKind::ServerTool => 3,
        NeedKind::Server => 4,
        NeedKind::Private => 5,
        NeedKind::Write => 6,
        NeedKind::Command => 7,
    }
}

/// Returns the number of items of each kind: `1000 hosts, 1 program`.
fn counts(needs: &[&NeedInfo]) -> String {
    let mut kinds = NeedKind::ALL;
    kinds.sort_by_key(|kind| weight(*kind));
    let counted = kinds.into_iter().filter_map(|kind| {
        let count = needs.iter().filter(|need| need.kind == kind).count();
        let (one, many) = match kind {
            NeedKind::Host => ("host", "hosts"),
            NeedKind::Key => ("key", "keys"),
            NeedKind::Read => ("folder to read", "folders to read"),
            NeedKind::ServerTool => ("tool of an MCP server", "tools of MCP servers"),
            NeedKind::Server => ("MCP server", "MCP servers"),
            NeedKind::Private => (
                "address of this computer or its network",
                "addresses of this computer or its network",
            ),
            NeedKind::Write => ("folder to write", "folders to write"),
            NeedKind::Command => ("program", "programs"),
        };
        let name = if count == 1 { one } else { many };
        (count > 0).then(|| format!("{count} {name}"))
    });
    counted.collect::<Vec<_>>().join(", ")
}

/// Performs `loopwright trust`.
///
/// # Errors
/// Returns an error if the flow cannot be read, if an item is not in the list, or if the change cannot be stored.
pub(crate) fn perform(
    app: &App,
    flow: Option<&str>,
    approve: &[String],
    revoke: bool,
    json: bool,
) -> Result<u8, ApiError> {
    match flow {
        None => all(app, json),
        Some(flow) => {
            let opened = read_flow(app, flow)?;
            let (document, path) = (&opened.document, opened.path());
            of_flow(app, document, path, approve, revoke, json)?;
        }
    }
    Ok(status::COMPLETED)
}

/// Lists what a flow would use, approves some of it, or revokes everything.
fn of_flow(
    app: &App,
    document: &Value,
    path: Option<&str>,
    approve: &[String],
    revoke: bool,
    json: bool,
) -> Result<(), ApiError> {
    let mut list = runs::grants(app.env(), document.clone(), path)?;
    if revoke {
        runs::revoke(app.env(), &list.flow, None)?;
        list = runs::grants(app.env(), document.clone(), path)?;
    }
    if !approve.is_empty() {
        let allow = self::allow(approve)?;
        let items: Vec<String> = if allow.all {
            needed(&list).map(str::to_owned).collect()
        } else {
            allow.items.into_iter().collect()
        };
        list = runs::approve(app.env(), document.clone(), path, &list.digest, &items)?;
    }
    if json {
        let needs: Vec<Value> = list
            .needs
            .iter()
            .map(|need| {
                json!({
                    "item": need.item, "kind": need.kind, "what": need.what, "detail": need.detail,
                    "nodes": need.nodes, "state": need.state,
                })
            })
            .collect();
        outln!(
            "{}",
            json!({ "flow": list.flow, "missing": list.missing, "needs": needs })
        );
        return Ok(());
    }
    if list.needs.is_empty() {
        outln!("This flow uses nothing outside Loopwright except the models that you set up.");
    }
    for need in &list.needs {
        let state = match need.state {
            NeedState::Approved => "approved",
            NeedState::New => "not approved",
            NeedState::Asks => "asks each time",
            NeedState::Wanted => "was refused",
            NeedState::Computed => "computed later",
        };
        let lines = describe(need);
        for (line, before) in lines
            .iter()
            .zip([state].into_iter().chain(std::iter::repeat("")))
        {
            outln!("{before:<16}{line}");
        }
    }
    let refused: Vec<&NeedInfo> = list
        .needs
        .iter()
        .filter(|need| need.state == NeedState::Wanted)
        .collect();
    if let (Some(first), true) = (refused.first(), approve.iter().any(|item| item == "all")) {
        let item = Need::new(first.kind, &first.what).as_argument();
        errln!(
            "{} items were not approved: earlier runs used them, but the flow itself does not name them. Approve each by name, for example with --approve {}",
            refused.len(),
            for_shell(&item)
        );
    }
    Ok(())
}

/// Lists every flow with approvals.
fn all(app: &App, json: bool) {
    let flows = runs::trusted_flows(app.env());
    if json {
        let flows: Vec<Value> = flows
            .iter()
            .map(|flow| json!({ "flow": flow.flow, "name": flow.name, "items": flow.items }))
            .collect();
        outln!("{}", Value::Array(flows));
        return;
    }
    for flow in flows {
        outln!("{}  {}", flow.name, flow.flow);
        for (item, at) in flow.items {
            outln!("    {item}  since {at}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::out::one_line;

    #[test]
    fn all_that_a_server_says_is_shown_and_none_of_it_passes_for_a_line_of_ours() {
        let words = "word ".repeat(200);
        let need = NeedInfo {
            item: "server_tool:s/echo#1".to_owned(),
            kind: serde_json::from_value(json!("server_tool")).unwrap(),
            what: "s/echo#1".to_owned(),
            detail: Some(format!(
                "Echo\n{words}UPLOAD\nAllow it? [y]es\n{}",
                "x".repeat(250)
            )),
            nodes: vec!["Say".to_owned()],
            state: NeedState::New,
        };
        let lines = describe(&need);
        assert_eq!(lines[0], "server_tool:s/echo#1  [\"Say\"]");
        let said: Vec<&str> = lines[1..]
            .iter()
            .map(|line| line.strip_prefix("      | ").unwrap())
            .collect();
        assert!(
            said.iter().all(|line| line.chars().count() <= WIDTH),
            "{said:#?}"
        );
        assert!(said.contains(&"Allow it? [y]es"));
        assert!(said.join(" ").contains(&format!("{words}UPLOAD")));
        assert!(said.concat().contains(&"x".repeat(250)));
    }

    #[test]
    fn an_item_is_always_one_line() {
        let need: NeedInfo = NeedInfo {
            item: "command:true\n    host:a.example\u{1b}[1A".to_owned(),
            kind: serde_json::from_value(json!("command")).unwrap(),
            what: "true\n    host:a.example\u{1b}[1A".to_owned(),
            detail: Some("Repeats.\rAllow it?\u{e0041}".to_owned()),
            nodes: vec!["A\u{202e}\nB".to_owned()],
            state: NeedState::New,
        };
        let lines: Vec<_> = describe(&need)
            .iter()
            .map(|line| one_line(line).into_owned())
            .collect();
        assert_eq!(
            lines,
            [
                "command:true\\u{a}    host:a.example\\u{1b}[1A  [\"A\\u{202e}\\u{a}B\"]  Repeats.\\u{d}Allow it?\\u{e0041}"
            ]
        );
    }
}
