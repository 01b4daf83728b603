//! What flows may use of the world: what each would use, what the person approved, and what a run is given of it.
//!
//! A grant is for one flow and one thing, by name: a host, a folder, a command, a key. The flow is known by its file, or by its
//! content where it has none. When a flow changes, what it newly needs is asked about; what was approved before stays so.

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
use needs::{approvable, beside, detail, state, wants};

use dto::{NeedInfo, NeedState, TrustList, TrustedFlow};
pub use loopwright_engine::trust::Grants as Allow;

/// What is kept of a flow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    name: String,
    /// What is approved, and when: milliseconds since the Unix epoch.
    items: BTreeMap<String, i64>,
    /// What its runs were refused.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    wanted: BTreeSet<String>,
}

/// What stands in the place of a flow for what is started from the settings. No path and no content is called so.
const SETTINGS: &str = "settings";

/// What is approved, by flow: the file `trust.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct ApprovalFile {
    /// How its items are written: [`ITEM_FORM`]. Earlier versions do not say it.
    form: u32,
    flows: BTreeMap<String, Kept>,
}

impl ApprovalFile {
    /// The approvals with their items as this version writes them. What could be read in more than one way is asked for again.
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

/// What a run is given.
pub(crate) struct Trusted {
    pub(crate) flow: String,
    pub(crate) grants: Grants,
    /// For the journal.
    pub(crate) notes: Vec<Note>,
}

fn digest<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let mut items: Vec<&str> = items.collect();
    items.sort_unstable();
    // With their lengths, because an item may hold anything.
    let mut hash = blake3::Hasher::new();
    for item in items {
        hash.update(&(item.len() as u64).to_le_bytes());
        hash.update(item.as_bytes());
    }
    hash.finalize().to_hex()[..16].to_owned()
}

/// Reads the approvals; a damaged file is set aside, and said.
fn load(data_dir: &Path) -> (ApprovalFile, Option<String>) {
    let (approvals, damaged) = load_json::<ApprovalFile>(&paths::trust(data_dir));
    let approvals = approvals.up_to_date();
    let words = damaged.map(|words| {
        format!("What flows may use could not be read, so that you are asked again: {words}")
    });
    (approvals, words)
}

/// What is to be said of the file of approvals when the program starts.
pub(crate) fn damage(data_dir: &Path) -> Option<String> {
    load(data_dir).1
}

/// Nothing in a damaged file counts: the person is asked again.
fn approvals(env: &Env) -> ApprovalFile {
    let (approvals, damaged) = load(env.data_dir());
    if let Some(words) = damaged {
        env.give_notice(words);
    }
    approvals
}

/// Changes the file, alone among all programs on this data folder.
fn change<T>(env: &Env, change: impl FnOnce(&mut ApprovalFile) -> T) -> Result<T, ApiError> {
    let _alone = files::alone(env.data_dir());
    let mut approvals = approvals(env);
    let given = change(&mut approvals);
    save_json(&paths::trust(env.data_dir()), &approvals)?;
    Ok(given)
}

/// What the flow would use, and what of it is approved. `path`: its file.
pub fn grants(env: &Env, document: Value, path: Option<&str>) -> Result<TrustList, ApiError> {
    let flow = file::read_value(document)?;
    let id = identity(path, &flow);
    let linked = subflows::checked(&flow, path, env.kinds().specs());
    needs_of(env, &linked.flow, path, id, &linked.problems)
}

/// What a prepared run would use, and what of it is approved.
///
/// # Errors
/// [`Code::InvalidFlow`] where the flow is too large to be listed.
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

/// `id`: how approvals know the flow; `problems`: its own.
fn needs_of(
    env: &Env,
    flow: &Flow,
    path: Option<&str>,
    id: String,
    problems: &[Problem],
) -> Result<TrustList, ApiError> {
    if !subflow::is_bounded(flow) {
        // Nothing of it is listed, which must not read as if it used nothing.
        let too_large = problems.iter().find(|problem| problem.is_error());
        return Err(ApiError::new(
            Code::InvalidFlow,
            too_large.map_or("", |problem| problem.message.as_str()),
        ));
    }
    let kept = approvals(env).flows.remove(&id).unwrap_or_default();
    Ok(list(env, id, flow, path, &kept, false))
}

/// `granted_alone`: as in [`state`].
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
    wants(flow, env.kinds().specs(), &*tools, "", &mut found);
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
    // What was approved can be used, whether the text still names it or only computes it.
    for item in kept.items.keys() {
        add(
            item,
            NeedState::Approved,
            "approved before; nothing in the flow's text names it",
        );
    }
    for item in &kept.wanted {
        if parse(item).is_some_and(|need| !granted.cover(&need)) {
            add(item, NeedState::Wanted, "a run was refused it");
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

/// Approves `items` for a flow, from now on. `shown` is the digest of the list that the person saw: where the flow would use
/// something else by now, nothing is approved.
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

/// As [`approve`], for the flow of a prepared run.
///
/// # Errors
/// As [`approve`].
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
            "What this flow would use has changed since it was listed. Look at the list again; nothing was approved.",
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
                "`{open}` cannot be approved in advance: what it is, is known only while the flow runs. A run that is refused it says its name; approve that. Nothing was approved."
            ),
        ));
    }
    let now = env.now();
    change(env, |approvals| {
        let kept = approvals.flows.entry(list.flow).or_default();
        kept.name = name;
        // Approvals of keys that do not say where they go allow nothing any more.
        kept.items.retain(|item, _| allows(item));
        for item in items {
            kept.items.insert(item.clone(), now);
            kept.wanted.remove(item);
        }
    })
}

/// What the person approved to be started from the settings, outside of any flow.
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

/// Flows that may use something, by name.
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

/// Takes back what a flow may use: `item`, or all of it.
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

/// What a run of `flow` is given: what was approved for the flow, `before` for the run, and `allow` just now.
///
/// # Errors
/// [`Code::NotApproved`] where the flow would use more than that.
pub(crate) fn trusted(
    env: &Env,
    flow: &Flow,
    path: Option<&str>,
    identity: String,
    for_run: &Grants,
) -> Result<Trusted, ApiError> {
    let (kept, grants, for_run) = match env.may_use() {
        // Who asks for the run is elsewhere: what is allowed here is for this machine to say.
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
    // What is allowed for the run beyond what its text says.
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
