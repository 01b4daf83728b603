//! Replaces references to other flows with the flows themselves.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    bounds::{MAX_BYTES, MAX_DEPTH, MAX_NODES},
    fields::{FLOW, FROM, REF, inline, inside, reference},
    files::{FlowFiles, NotFound},
    library::{Library, Size},
};
use crate::{
    document::{Flow, Node},
    kind::{Kinds, Shape},
    problem::Problem,
};

/// The maximum nesting depth of a flow's JSON, including its subflows. JSON with deeper nesting cannot be read again.
const MAX_NESTING: usize = 120;

/// The result of linking: a flow in which every reference that could be resolved is replaced by the flow that it names, and the
/// problems of the other references.
pub struct Linked {
    pub flow: Flow,
    /// Whether anything was read from another file, so that `flow` differs from the original document.
    pub has_read: bool,
    pub problems: Vec<Problem>,
}

/// Links `flow`, which was read from `file`: puts every flow that it refers to inline, at every depth. In a linked node, the
/// field `from` replaces `ref`. A node whose reference fails is unchanged and gets a problem.
pub fn link(flow: &Flow, kinds: &Kinds, file: Option<&Path>, files: &dyn FlowFiles) -> Linked {
    let root = file.and_then(Path::parent).map(Path::to_path_buf);
    let mut linker = Linker {
        kinds,
        library: Library::new(kinds, files),
        root,
        taken: Size::default(),
        problems: Vec::new(),
    };
    let mut linked = flow.clone();
    let mut chain: Vec<PathBuf> = file.map(Path::to_path_buf).into_iter().collect();
    let within = Within {
        place: String::new(),
        words: String::new(),
        depth: 1,
        disabled: false,
    };
    let has_read = linker.flow(&mut linked, file, &mut chain, &within);
    if has_read && json_levels(&linked) > MAX_NESTING {
        linker.problems.push(Problem::error(
            "subflow_too_deep",
            format!(
                "With its subflows inline, the JSON of this workflow is nested deeper than {MAX_NESTING} levels. Remove a subflow, or reduce the nesting of its values."
            ),
        ));
    }
    Linked {
        flow: linked,
        has_read,
        problems: linker.problems,
    }
}

struct Linker<'a> {
    kinds: &'a Kinds,
    library: Library<'a>,
    root: Option<PathBuf>,
    /// The size of all inline flows so far, including the outermost flow's own nodes.
    taken: Size,
    problems: Vec<Problem>,
}

/// The location of a subflow within the outermost flow.
struct Within {
    /// The ids of the enclosing nodes, as the path prefix of problem locations, such as `sub/`.
    place: String,
    /// The prefix of messages about the subflow, such as `In "Polish": `.
    words: String,
    depth: usize,
    disabled: bool,
}

impl Linker<'_> {
    /// Links the nodes of a flow. Returns whether the flow changed.
    fn flow(
        &mut self,
        flow: &mut Flow,
        holder: Option<&Path>,
        chain: &mut Vec<PathBuf>,
        within: &Within,
    ) -> bool {
        self.taken.nodes += flow.nodes.len();
        let mut changed = false;
        for node in &mut flow.nodes {
            if self.kinds.shape(node) != Shape::Subflow || node.is_placeholder() {
                continue;
            }
            changed |= self.node(node, holder, chain, within);
        }
        changed
    }

    fn node(
        &mut self,
        node: &mut Node,
        holder: Option<&Path>,
        chain: &mut Vec<PathBuf>,
        within: &Within,
    ) -> bool {
        let inner = Within {
            place: format!("{}{}/", within.place, node.id),
            words: inside(&within.words, node),
            depth: within.depth + 1,
            disabled: within.disabled || node.disabled(),
        };
        match (reference(&node.data).map(str::to_owned), inline(node)) {
            // Validation reports the problems of these nodes.
            (Some(_), Some(_)) | (None, None | Some(Err(_))) => false,
            (None, Some(Ok(mut flow))) => {
                let written = node.data.get(FLOW).unwrap_or(&Value::Null);
                let size = self.library.inline_size(written, holder, inner.depth);
                if let Err(error) = self.bounded(within, size) {
                    self.refuse(node, within, error);
                    return false;
                }
                let changed = self.flow(&mut flow, holder, chain, &inner);
                changed && write_flow(node, &flow)
            }
            (Some(reference), None) => {
                let (file, mut flow) = match self.fetch(&reference, holder, chain, within) {
                    Ok(found) => found,
                    Err(error) => {
                        self.refuse(node, within, error);
                        return false;
                    }
                };
                chain.push(file.clone());
                self.flow(&mut flow, Some(&file), chain, &inner);
                chain.pop();
                if !write_flow(node, &flow) {
                    return false;
                }
                let from = self.shown(&file);
                node.data.shift_remove(REF);
                node.data.insert(FROM.to_owned(), Value::String(from));
                true
            }
        }
    }

    /// Returns the file and the flow that `reference` names in `holder`. Fails if the file cannot be used or contains itself,
    /// or if the linked flow would exceed the size limits.
    fn fetch(
        &mut self,
        reference: &str,
        holder: Option<&Path>,
        chain: &[PathBuf],
        within: &Within,
    ) -> Result<(PathBuf, Flow), NotFound> {
        let file = self.library.find(holder, reference)?;
        self.unless_within_itself(reference, &file, chain)?;
        let read = self.library.read(&file).map_err(|error| {
            NotFound::new(
                "subflow_unreadable",
                format!(
                    "refers to \"{reference}\", which cannot be used. {error} Correct that file, or choose another one."
                ),
            )
        })?;
        let size = self.library.size(&file, within.depth + 1);
        self.bounded(within, size)?;
        self.taken.bytes += read.bytes;
        Ok((file, read.flow.clone()))
    }

    fn unless_within_itself(
        &self,
        reference: &str,
        found: &PathBuf,
        chain: &[PathBuf],
    ) -> Result<(), NotFound> {
        let Some(first) = chain.iter().position(|file| file == found) else {
            return Ok(());
        };
        let circle: Vec<String> = chain[first..]
            .iter()
            .chain([found])
            .map(|file| self.shown(file))
            .collect();
        Err(NotFound::new(
            "subflow_cycle",
            format!(
                "refers to \"{reference}\", which leads back to itself: {}. Remove one of these references.",
                circle.join(" → ")
            ),
        ))
    }

    /// Fails if a flow of `size` would exceed the limits inside the flow at `within`.
    fn bounded(&self, within: &Within, size: Size) -> Result<(), NotFound> {
        if within.depth >= MAX_DEPTH {
            return Err(NotFound::new(
                "subflow_too_deep",
                format!(
                    "would nest flows {} levels deep, but the limit is {MAX_DEPTH}. Remove a level.",
                    within.depth + 1
                ),
            ));
        }
        let mut all = self.taken;
        all += size;
        let limit = if all.nodes > MAX_NODES {
            format!("{MAX_NODES} nodes")
        } else if all.bytes > MAX_BYTES {
            format!("{} MB", MAX_BYTES / (1024 * 1024))
        } else {
            return Ok(());
        };
        Err(NotFound::new(
            "subflow_too_large",
            format!(
                "would make this workflow and its subflows exceed {limit}. Refer to fewer or smaller flows."
            ),
        ))
    }

    fn refuse(&mut self, node: &Node, within: &Within, error: NotFound) {
        let message = format!("{}\"{}\" {}", within.words, node.title(), error.message);
        // A bypassed node does not run, so a problem with its reference is only a warning.
        let problem = if within.disabled || node.disabled() {
            Problem::warning(error.code, message)
        } else {
            Problem::error(error.code, message)
        };
        self.problems
            .push(problem.at(format!("{}{}", within.place, node.id)).place(
                if reference(&node.data).is_some() {
                    REF
                } else {
                    FLOW
                },
            ));
    }

    /// Returns the path of a file for messages, relative to the folder of the outermost file.
    fn shown(&self, file: &Path) -> String {
        let short = self
            .root
            .as_ref()
            .and_then(|root| file.strip_prefix(root).ok())
            .unwrap_or(file);
        let parts: Vec<_> = short
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        match short.is_absolute() {
            true => short.display().to_string(),
            false => parts.join("/"),
        }
    }
}

fn write_flow(node: &mut Node, flow: &Flow) -> bool {
    let Ok(value) = serde_json::to_value(flow) else {
        return false;
    };
    node.data.insert(FLOW.to_owned(), value);
    true
}

/// Returns the maximum nesting depth of lists and objects in a flow's JSON.
fn json_levels(flow: &Flow) -> usize {
    fn depth(value: &Value) -> usize {
        match value {
            Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
            Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
            _ => 0,
        }
    }
    serde_json::to_value(flow).map_or(0, |value| depth(&value))
}
