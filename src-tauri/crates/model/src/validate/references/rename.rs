//! Renames node ids in everything that refers to them: templates, expressions and scripts. A name is rewritten only where it
//! refers to the node. The name is unchanged where a node's own input, a loop's name or a name that the template defines hides
//! the node.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use serde_json::{Map, Value};
use thiserror::Error;

use super::place::Place;
use crate::{
    document::Flow,
    graph::Graph,
    kind::{Data, Kinds, TemplateMode, TemplateSite},
    regions::regions,
    validate::flow_context::FlowContext,
};
use loopwright_template::Occurrence;

/// The result of a rename.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Renamed {
    /// The complete new `data` of each node whose data changed, keyed by the node's old id.
    pub data: BTreeMap<String, Data>,
    /// The number of references that were rewritten.
    pub places: usize,
    /// The templates that contain the old name of a renamed node, but could not be parsed.
    pub unread: Vec<Unread>,
}

/// A template, expression or script with a syntax error. It is left unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The old id of the node.
    pub node: String,
    /// The field, as a path within `data`.
    pub field: String,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenameError {
    #[error("No node has the id \"{0}\". Rename an existing node.")]
    Unknown(String),
    #[error("The id \"{0}\" is used by another node. Choose another id.")]
    Taken(String),
    #[error("\"{0}\" cannot be an id. Use letters, digits, `_`, `-` and spaces.")]
    Invalid(String),
}

/// Rewrites the references to renamed nodes, and returns the new data of the nodes that contain them. `names` maps old ids to
/// new ones. The caller must change the ids themselves and the sources and targets of wires. Flows within subflows have their
/// own node ids and are unchanged.
///
/// # Errors
/// Returns an error if an old id does not exist, or a new one is taken, used twice or invalid.
pub fn rename(
    flow: &Flow,
    kinds: &Kinds,
    names: &BTreeMap<String, String>,
) -> Result<Renamed, RenameError> {
    check(flow, names)?;
    let graph = Graph::new(flow, kinds);
    let regions = regions(flow, kinds, &graph);
    let context = FlowContext::new(flow, kinds, &graph, &regions);
    let mut renamed = Renamed::default();
    for (index, node) in flow.nodes.iter().enumerate() {
        let Some(kind) = context.spec(index) else {
            continue;
        };
        let mut data = None;
        for site in kind.templates(&node.data) {
            let place = Place::new(&context, index, node, &site);
            match site.occurrences() {
                Ok(found) => {
                    let Some((source, places)) = place.rewritten(&site, &found, names) else {
                        continue;
                    };
                    let data = data.get_or_insert_with(|| node.data.clone());
                    if let Some(text) = field_mut(data, &site.field) {
                        *text = Value::String(source);
                        renamed.places += places;
                    }
                }
                Err(mistake) if names.keys().any(|name| site.source.contains(name.as_str())) => {
                    renamed.unread.push(Unread {
                        node: node.id.clone(),
                        field: site.field.clone(),
                        message: mistake.to_string(),
                    });
                }
                Err(_) => {}
            }
        }
        if let Some(data) = data {
            renamed.data.insert(node.id.clone(), data);
        }
    }
    Ok(renamed)
}

fn check(flow: &Flow, names: &BTreeMap<String, String>) -> Result<(), RenameError> {
    if let Some(unknown) = names.keys().find(|id| flow.node(id).is_none()) {
        return Err(RenameError::Unknown(unknown.clone()));
    }
    let mut taken: BTreeSet<&str> = flow
        .nodes
        .iter()
        .map(|node| node.id.as_str())
        .filter(|id| !names.contains_key(*id))
        .collect();
    for new in names.values() {
        // Node paths join ids with `/`, and references in brackets put an id in quotes, so an id must not contain these
        // characters.
        let bad = |c: char| c.is_control() || matches!(c, '/' | '"' | '\'' | '`' | '\\');
        if new.trim().is_empty() || new.trim() != new || new.contains(bad) {
            return Err(RenameError::Invalid(new.clone()));
        }
        if !taken.insert(new) {
            return Err(RenameError::Taken(new.clone()));
        }
    }
    Ok(())
}

/// A range of a source, and its replacement.
type Change = (Range<usize>, String);

impl Place<'_> {
    /// Returns the source with the new names, and the number of references that changed. Returns `None` if none changed.
    fn rewritten(
        &self,
        site: &TemplateSite,
        found: &[Occurrence],
        names: &BTreeMap<String, String>,
    ) -> Option<(String, usize)> {
        let apply = |plain: bool| {
            let mut changes: Vec<Change> = found
                .iter()
                .filter_map(|occurrence| self.change(occurrence, names, plain))
                .collect();
            changes.sort_by_key(|(at, _)| at.start);
            let mut source = site.source.clone();
            for (at, text) in changes.iter().rev() {
                source.replace_range(at.clone(), text);
            }
            (source, changes.len())
        };
        let (source, places) = apply(true);
        if places == 0 {
            return None;
        }
        // If a name that the template defines hides the new name, the reference is written as `nodes["name"]`.
        let hidden = site.mode != TemplateMode::Script
            && site
                .occurrences_in(&source)
                .map_or(true, |after| after.len() != found.len());
        Some(
            if hidden || (site.mode == TemplateMode::Script && self.may_hide(site, names)) {
                apply(false)
            } else {
                (source, places)
            },
        )
    }

    /// Returns whether the script already contains one of the new names, with any meaning.
    fn may_hide(&self, site: &TemplateSite, names: &BTreeMap<String, String>) -> bool {
        let is_word = |c: char| c == '_' || c.is_alphanumeric();
        site.source
            .split(|c| !is_word(c))
            .any(|word| names.values().any(|new| new == word))
    }

    /// Returns the change for one occurrence of a name. With `plain`, a new name is written without `nodes[…]`, unless the
    /// name is reserved. `None` if the occurrence does not change.
    fn change(
        &self,
        occurrence: &Occurrence,
        names: &BTreeMap<String, String>,
        plain: bool,
    ) -> Option<Change> {
        let root = occurrence.reference.root.as_str();
        if matches!(root, "nodes" | "previous" | "loops") {
            let new = names.get(occurrence.reference.path.first()?)?;
            let at = occurrence.steps.first()?.clone();
            let text = match root {
                "nodes" | "loops" => format!("[\"{new}\"]"),
                _ if is_name(new) => format!(".{new}"),
                _ => format!("[\"{new}\"]"),
            };
            return Some((at, text));
        }
        if let Some((id, name)) = self.outer_loop(root) {
            let new = names.get(id)?;
            let text = if is_name(new) {
                format!("{new}_{name}")
            } else {
                format!("loops[\"{new}\"].{name}")
            };
            return Some((occurrence.at.clone(), text));
        }
        if self.is_reserved(root) {
            return None;
        }
        let new = names.get(root)?;
        let text = if plain && is_name(new) && !self.is_reserved(new) {
            new.clone()
        } else {
            format!("nodes[\"{new}\"]")
        };
        Some((occurrence.at.clone(), text))
    }
}

/// Keywords of Tera and Luau that cannot be names.
const WORDS: [&str; 32] = [
    "and", "or", "not", "in", "is", "if", "else", "true", "True", "false", "False", "none", "None",
    "null", "loop", "range", "throw", "for", "do", "end", "then", "elseif", "function", "local",
    "nil", "repeat", "return", "until", "while", "break", "continue", "type",
];

/// Returns whether an id can be written without quotes in templates and scripts.
fn is_name(id: &str) -> bool {
    !id.starts_with(|c: char| c.is_ascii_digit())
        && !id.starts_with("__")
        && id
            .bytes()
            .all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
        && !WORDS.contains(&id)
}

/// Returns the value at a path such as `branches[0].when` within `data`; `None` if there is no such value. Keys may contain
/// dots and brackets, so the longest existing key is tried first.
fn field_mut<'v>(data: &'v mut Map<String, Value>, path: &str) -> Option<&'v mut Value> {
    let mut keys: Vec<String> = data
        .keys()
        .filter(|key| {
            path.strip_prefix(key.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
        .cloned()
        .collect();
    keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
    let key = keys.into_iter().next()?;
    let rest = path[key.len()..].to_owned();
    below(data.get_mut(&key)?, &rest)
}

fn below<'v>(value: &'v mut Value, path: &str) -> Option<&'v mut Value> {
    if path.is_empty() {
        return Some(value);
    }
    match value {
        Value::Object(fields) => field_mut(fields, path.strip_prefix('.')?),
        Value::Array(items) => {
            let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
            below(items.get_mut(index.parse::<usize>().ok()?)?, rest)
        }
        _ => None,
    }
}
