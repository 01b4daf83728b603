//! Permissions of flows: what each flow would use, what the user approved, and what its runs are permitted.
//!
//! A grant permits one flow to use one named item: a host, a folder, a command or a key. A flow is identified by its file,
//! or by its content if it has no file. If a flow changes, only its new needs require approval.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use loopwright_engine::{
    event::timestamp,
    trust::{Grants, ITEM_FORM, Need, Note, Verdict, migrated},
};
use loopwright_model::{Flow, Problem, file, subflow};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    env::Env,
    error::{ApiError, Code},
    files,
    flow_identity::identity,
    json_file::{load_json, save_json},
    paths,
    prepared_run::{PreparedFlow, PreparedRun},
    subflows,
    tools::tool_set,
};

pub(crate) mod allow;
pub(crate) mod dto;
pub(crate) mod needs;
pub(crate) mod refusals;

use allow::{allows, not_approved, parse};
use needs::{Around, approvable, beside, detail, state, wants};

use dto::{NeedInfo, NeedState, TrustList, TrustedFlow};
/// The stored approvals of a flow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    name: String,
    /// The approved items, each with its time in milliseconds since the Unix epoch.
    items: BTreeMap<String, i64>,
    /// The items that were refused to runs of the flow.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    wanted: BTreeSet<String>,
}

/// The key for the approvals of servers that the user starts from Settings. No flow has this identity.
const SETTINGS: &str = "settings";

/// The file `trust.json`: approvals, keyed by flow.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct ApprovalFile {
    /// The format version of the items. This program writes [`ITEM_FORM`]. The value is 0 if the file is from an earlier
    /// version of the program, which did not write this field.
    form: u32,
    flows: BTreeMap<String, Kept>,
}

impl ApprovalFile {
    /// Returns the approvals with their items converted to the present form. Ambiguous items are dropped, so the user is
    /// asked again.
    fn up_to_date(mut self) -> Self {
        if self.form < ITEM_FORM {
            for kept in self.flows.values_mut() {
                kept.items = std::mem::take(&mut kept.items)
                    .into_iter()
                    .filter_map(|(item, at)| Some((migrated(&item)?, at)))
                    .collect();
                let wanted = std::mem::take(&mut kept.wanted);
                kept.wanted = wanted.iter().filter_map(|item| migrated(item)).collect();
            }
            self.form = ITEM_FORM;
        }
        self
    }
}

/// The permissions of a run.
pub(crate) struct Trusted {
    pub(crate) flow: String,
    pub(crate) grants: Grants,
    /// The notes for the journal.
    pub(crate) notes: Vec<Note>,
}

fn digest<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let mut items: Vec<&str> = items.collect();
    items.sort_unstable();
    // The length of each item is hashed too. An item may contain any character, so without the lengths different lists could
    // produce the same bytes.
    let mut hash = blake3::Hasher::new();
    for item in items {
        hash.update(&(item.len() as u64).to_le_bytes());
        hash.update(item.as_bytes());
    }
    hash.finalize().to_hex()[..16].to_owned()
}

/// Reads the approvals. If the file is damaged, renames it, and returns no approvals and a message.
fn load(data_dir: &Path) -> (ApprovalFile, Option<String>) {
    let (approvals, damaged) = load_json::<ApprovalFile>(&paths::trust(data_dir));
    let approvals = approvals.up_to_date();
    let words = damaged.map(|words| {
        format!("The approvals of flows could not be read, so you are asked again: {words}")
    });
    (approvals, words)
}

/// Returns a warning if the file of approvals is damaged, and `None` otherwise. The warning is shown when the program
/// starts.
pub(crate) fn damage(data_dir: &Path) -> Option<String> {
    load(data_dir).1
}

/// Reads the approvals. If the file is damaged, nothing counts as approved, and the user is asked again.
fn approvals(env: &Env) -> ApprovalFile {
    let (approvals, damaged) = load(env.data_dir());
    if let Some(words) = damaged {
        env.give_notice(words);
    }
    approvals
}

/// Changes the file, under a lock that all programs on this data folder share.
fn change<T>(env: &Env, change: impl FnOnce(&mut ApprovalFile) -> T) -> Result<T, ApiError> {
    let _alone = files::alone(env.data_dir());
    let mut approvals = approvals(env);
    let given = change(&mut approvals);
    save_json(&paths::trust(env.data_dir()), &approvals)?;
    Ok(given)
}

/// Lists what the flow would use and which items are approved. `path` is its file.
///
/// # Errors
/// Returns an error if the document is not a flow, or if the flow is too large to be listed.
pub fn grants(env: &Env, document: Value, path: Option<&str>) -> Result<TrustList, ApiError> {
    let flow = file::read_value(document)?;
    let id = identity(path, &flow);
    let linked = subflows::checked(&flow, path, env.kinds().specs());
    needs_of(env, &linked.flow, path, id, &linked.problems)
}

/// Lists what a prepared run would use and which items are approved.
///
/// # Errors
/// [`Code::InvalidFlow`] if the flow is too large to be listed.
pub fn needs(env: &Env, prepared: &PreparedRun) -> Result<TrustList, ApiError> {
    let PreparedFlow {
        flow,
        path,
        identity,
        problems,
        ..
    } = &prepared.flow;
    needs_of(env, flow, path.as_deref(), identity.clone(), problems)
}

/// Lists a flow's needs. `id` is the identity under which its approvals are stored; `problems` are the problems in the flow.
fn needs_of(
    env: &Env,
    flow: &Flow,
    path: Option<&str>,
    id: String,
    problems: &[Problem],
) -> Result<TrustList, ApiError> {
    if !subflow::is_bounded(flow) {
        // An empty list would look as if the flow used nothing.
        let too_large = problems.iter().find(|problem| problem.is_error());
        return Err(ApiError::new(
            Code::InvalidFlow,
            too_large.map_or("", |problem| problem.message.as_str()),
        ));
    }
    let kept = approvals(env).flows.remove(&id).unwrap_or_default();
    Ok(list(env, id, flow, path, &kept, false))
}

/// Lists a flow's needs and compares them with its stored approvals. For `granted_alone`, see [`state`].
fn list(
    env: &Env,
    id: String,
    flow: &Flow,
    path: Option<&str>,
    kept: &Kept,
    granted_alone: bool,
) -> TrustList {
    let tools = tool_set(env, path, Grants::default());
    let mut found = BTreeMap::new();
    let around = Around {
        kinds: env.kinds().specs(),
        tools: &*tools,
        inside: "",
        workspace: None,
    };
    wants(flow, around, &mut found);
    let granted: Grants = kept.items.keys().cloned().collect();
    let mut needs: Vec<NeedInfo> = found
        .into_iter()
        .map(|(item, wants)| NeedInfo {
            state: state(&wants, &granted, granted_alone),
            detail: detail(&wants.need, &granted),
            item,
            kind: wants.need.kind,
            what: wants.need.what,
            nodes: wants.nodes,
        })
        .collect();
    let mut add = |item: &String, state, words| {
        if !needs.iter().any(|known| known.item == *item) {
            needs.extend(beside(item, state, words));
        }
    };
    // An approved item can be used even if the flow computes it or no longer names it.
    for item in kept.items.keys() {
        add(
            item,
            NeedState::Approved,
            "approved earlier, but not named in the flow",
        );
    }
    for item in &kept.wanted {
        if parse(item).is_some_and(|need| !granted.cover(&need)) {
            add(item, NeedState::Wanted, "refused in a run");
        }
    }
    needs.sort_by(|a, b| (a.kind, &a.what).cmp(&(b.kind, &b.what)));
    let missing = needs
        .iter()
        .filter(|need| need.state == NeedState::New)
        .count();
    TrustList {
        flow: id,
        digest: digest(needs.iter().map(|need| need.item.as_str())),
        missing: u32::try_from(missing).unwrap_or(u32::MAX),
        needs,
    }
}

/// Approves `items` for a flow. `shown` is the digest of the list that the user saw. If the list has changed since, nothing is
/// approved. Returns the list with the new approvals.
///
/// # Errors
/// [`Code::InvalidArgument`] if the list has changed, or if an item is not in it or cannot be approved; an error if the
/// document is not a flow or the approvals cannot be written.
pub fn approve(
    env: &Env,
    document: Value,
    path: Option<&str>,
    shown: &str,
    items: &[String],
) -> Result<TrustList, ApiError> {
    let list = grants(env, document.clone(), path)?;
    let name = file::read_value(document.clone())?.name.unwrap_or_default();
    approve_items(env, list, name, shown, items)?;
    grants(env, document, path)
}

/// Approves items as [`approve`] does, for the flow of a prepared run.
///
/// # Errors
/// See [`approve`].
pub fn approve_prepared(
    env: &Env,
    prepared: &PreparedRun,
    shown: &str,
    items: &[String],
) -> Result<(), ApiError> {
    let list = needs(env, prepared)?;
    let name = prepared.flow.flow.name.clone().unwrap_or_default();
    approve_items(env, list, name, shown, items)
}

fn approve_items(
    env: &Env,
    list: TrustList,
    name: String,
    shown: &str,
    items: &[String],
) -> Result<(), ApiError> {
    if list.digest != shown {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The list of resources that this flow would use has changed, so nothing was approved. Review the new list.",
        ));
    }
    if let Some(other) = items
        .iter()
        .find(|item| !list.needs.iter().any(|need| need.item == **item))
    {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!("This flow would not use `{other}`. Nothing was approved."),
        ));
    }
    if let Some(open) = items
        .iter()
        .find(|item| !approvable(&list).any(|known| known == **item))
    {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "`{open}` cannot be approved in advance, because it is known only while the flow runs. Nothing was approved. If a run needs it, the error message of the run contains the exact name. Approve that name."
            ),
        ));
    }
    let now = env.now();
    change(env, |approvals| {
        let kept = approvals.flows.entry(list.flow).or_default();
        kept.name = name;
        // Key approvals without a destination no longer allow anything.
        kept.items.retain(|item, _| allows(item));
        for item in items {
            kept.items.insert(item.clone(), now);
            kept.wanted.remove(item);
        }
    })
}

/// Returns the items that the user approved in Settings, outside any flow.
pub(crate) fn approved_in_settings(env: &Env) -> BTreeSet<String> {
    let kept = approvals(env).flows.remove(SETTINGS).unwrap_or_default();
    kept.items.into_keys().collect()
}

pub(crate) fn approve_in_settings(env: &Env, item: &str) -> Result<(), ApiError> {
    let now = env.now();
    change(env, |approvals| {
        let kept = approvals.flows.entry(SETTINGS.to_owned()).or_default();
        kept.name = "Settings".to_owned();
        kept.items.insert(item.to_owned(), now);
    })
}

/// Returns the flows that have permissions, sorted by name.
pub fn trusted_flows(env: &Env) -> Vec<TrustedFlow> {
    let flows = approvals(env).flows;
    let mut flows: Vec<TrustedFlow> = flows
        .into_iter()
        .filter(|(_, kept)| !kept.items.is_empty())
        .map(|(flow, kept)| TrustedFlow {
            flow,
            name: kept.name,
            items: kept
                .items
                .into_iter()
                .filter(|(item, _)| allows(item))
                .map(|(item, at)| (item, timestamp(at)))
                .collect(),
        })
        .collect();
    flows.sort_by(|a, b| (&a.name, &a.flow).cmp(&(&b.name, &b.flow)));
    flows
}

/// Revokes the permission `item` of a flow, or all its permissions if `item` is `None`. Does nothing if the flow does
/// not have them.
///
/// # Errors
/// Returns an error if the approvals cannot be written.
pub fn revoke(env: &Env, flow: &str, item: Option<&str>) -> Result<(), ApiError> {
    change(env, |approvals| {
        match (approvals.flows.get_mut(flow), item) {
            (Some(kept), Some(item)) => {
                kept.items.remove(item);
            }
            (Some(_), None) => {
                approvals.flows.remove(flow);
            }
            (None, _) => {}
        }
    })
}

/// Returns the permissions of a run of `flow`: those that were approved for the flow, and `for_run`, which applies to this run
/// alone. In a shared store, only the grants of this machine are used.
///
/// # Errors
/// [`Code::NotApproved`] if the flow needs more than these.
pub(crate) fn trusted(
    env: &Env,
    flow: &Flow,
    path: Option<&str>,
    identity: String,
    for_run: &Grants,
) -> Result<Trusted, ApiError> {
    let (kept, grants, for_run) = match env.may_use() {
        // The run was requested on another machine, so this machine's own grants decide.
        Some(grants) => (Kept::default(), grants.clone(), &Grants::default()),
        None => {
            let kept = approvals(env).flows.remove(&identity).unwrap_or_default();
            let mut grants: Grants = kept.items.keys().cloned().collect();
            grants.add(for_run);
            (kept, grants, for_run)
        }
    };
    let list = list(
        env,
        identity.clone(),
        flow,
        path,
        &kept,
        env.may_use().is_some(),
    );
    let lacks: Vec<&NeedInfo> = list
        .needs
        .iter()
        .filter(|need| need.state == NeedState::New)
        .filter(|need| !grants.cover(&Need::new(need.kind, &need.what)))
        .collect();
    if !lacks.is_empty() {
        return Err(ApiError::new(Code::NotApproved, not_approved(&lacks)));
    }
    let covered = |need: &&NeedInfo| grants.cover(&Need::new(need.kind, &need.what));
    let mut items: BTreeSet<String> = list
        .needs
        .iter()
        .filter(covered)
        .map(|need| need.item.clone())
        .collect();
    // The permissions for this run alone may include items that the flow's text does not name.
    items.extend(for_run.items.iter().cloned());
    if for_run.all {
        items.insert("all".to_owned());
    }
    let notes = if items.is_empty() {
        Vec::new()
    } else {
        vec![Note::new(Verdict::Approved, items.into_iter().collect())]
    };
    Ok(Trusted {
        flow: identity,
        grants,
        notes,
    })
}
