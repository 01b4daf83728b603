//! Flows within flows. A node of the shape `Subflow` holds one in `data.flow`, or names a file in `data.ref`.
//!
//! [`link`] reads each named file once and puts what it holds inline. Validation, planning and the stored run then see one
//! document that depends on no other file.

mod library;

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use self::library::{Library, Size};
use crate::{
    document::{Flow, Node},
    file::{self, ReadError},
    kind::{Data, Kinds, Shape},
    problem::Problem,
};

/// The field of `data` that holds an inline flow.
pub const FLOW: &str = "flow";
/// The field of `data` that names a file: a path relative to the file that holds the node, inside its folder.
pub const REF: &str = "ref";
/// The field of `data` that says where an inline flow was read from, relative to the folder of the outermost file.
pub const FROM: &str = "from";

/// How many flows may lie within one another, the outermost included.
pub const MAX_DEPTH: usize = 16;
/// How many nodes a flow may have with everything that it refers to.
pub const MAX_NODES: usize = 10_000;
/// How large the files may be together that a flow reads, in bytes, each counted as often as it is put inline.
pub const MAX_BYTES: usize = 2 * file::MAX_BYTES;
/// How deep the JSON of a flow with its subflows may be nested; what is deeper cannot be read again.
const MAX_NESTING: usize = 120;

/// A flow that was read from a file.
#[derive(Debug, Clone)]
pub struct FlowFile {
    pub flow: Flow,
    /// The length of its text.
    pub bytes: usize,
}

/// Why a reference leads to no flow: a stable code, and words that follow a node's name
/// (`refers to "a.json", and there is no such file …`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotFound {
    pub code: &'static str,
    pub message: String,
}

impl NotFound {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

/// Reads flows that other flows refer to.
pub trait FlowFiles {
    /// The file that `reference` names in the file `holder`; `None` is a document that was never saved. The path is the same
    /// whichever reference led to it.
    ///
    /// # Errors
    /// See [`NotFound`].
    fn find(&self, holder: Option<&Path>, reference: &str) -> Result<PathBuf, NotFound>;

    /// Reads a file that [`Self::find`] gave.
    ///
    /// # Errors
    /// See [`ReadError`].
    fn read(&self, file: &Path) -> Result<FlowFile, ReadError> {
        let (flow, text) = file::read(file)?;
        Ok(FlowFile {
            flow,
            bytes: text.len(),
        })
    }
}

/// Refers nowhere: for flows that cannot have files beside them.
pub struct NoFiles;

impl FlowFiles for NoFiles {
    fn find(&self, _holder: Option<&Path>, reference: &str) -> Result<PathBuf, NotFound> {
        Err(unsaved(reference))
    }
}

/// A document without a file refers to one.
pub fn unsaved(reference: &str) -> NotFound {
    NotFound::new(
        "subflow_unsaved",
        format!(
            "refers to \"{reference}\", and this workflow is not saved yet, so that there is no folder to look in. Save it first, \
             or hold the flow inline."
        ),
    )
}

/// `reference` as a path below the folder of the file that holds it.
///
/// # Errors
/// `subflow_outside` for an absolute path and for one that leads up.
pub fn relative(reference: &str) -> Result<PathBuf, NotFound> {
    let outside = |why: &str| {
        NotFound::new(
            "subflow_outside",
            format!(
                "refers to \"{reference}\", {why}. A subflow's file lies in the folder of the file that refers to it, or below: move \
                 it there and write the path from there, with `/` between folders."
            ),
        )
    };
    // A drive letter and a backslash mean something on some systems; a flow means the same on all.
    if reference.starts_with('/') || reference.contains([':', '\\']) {
        return Err(outside("which is no path from this file's folder"));
    }
    let mut path = PathBuf::new();
    for part in Path::new(reference).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir => return Err(outside("which leads out of this file's folder")),
            Component::RootDir | Component::Prefix(_) => {
                return Err(outside("which is no path from this file's folder"));
            }
        }
    }
    if path.as_os_str().is_empty() {
        return Err(outside("which names no file"));
    }
    Ok(path)
}

/// The reference in a node's `data`, if it has one.
pub fn reference(data: &Data) -> Option<&str> {
    data.get(REF)
        .and_then(Value::as_str)
        .filter(|reference| !reference.trim().is_empty())
}

/// The flow that a node holds inline; `None` where it holds none.
///
/// # Errors
/// When what it holds is no flow.
pub fn inline(node: &Node) -> Option<Result<Flow, ReadError>> {
    node.data
        .get(FLOW)
        .filter(|flow| !flow.is_null())
        .map(|flow| file::read_value(flow.clone()))
}

/// Whether `node` holds a flow, so that its handles are known.
pub fn is_linked(node: &Node) -> bool {
    node.data.get(FLOW).is_some_and(Value::is_object)
}

/// Whether `flow` has no more nodes, those of the flows inside it included, and no more levels than may be. What follows each
/// flow inside asks this first: [`link`] reports what is larger.
pub fn is_bounded(flow: &Flow) -> bool {
    let mut nodes = flow.nodes.len();
    let inner = flow.nodes.iter().filter_map(|node| node.data.get(FLOW));
    inner
        .filter(|inner| inner.is_object())
        .all(|inner| library::counts_within(inner, 2, MAX_NODES, &mut nodes))
}

/// Says that [`is_bounded`] does not hold.
pub(crate) fn unbounded() -> Problem {
    Problem::error(
        "subflow_too_large",
        format!(
            "With the flows inside its nodes this workflow has more than {MAX_NODES} nodes, or more than {MAX_DEPTH} flows within one \
             another. Take some out."
        ),
    )
}

/// A flow with everything it refers to inline, and why that could not be had.
pub struct Linked {
    pub flow: Flow,
    /// Something was read from another file, so that `flow` is not the document as it came.
    pub has_read: bool,
    pub problems: Vec<Problem>,
}

/// Puts every flow that `flow`, read from `file`, refers to inline, at every depth. A linked node has `from` in place of
/// `ref`. A node whose reference fails stays as it is, with a problem.
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
    if has_read && nesting(&linked) > MAX_NESTING {
        linker.problems.push(Problem::error(
            "subflow_too_deep",
            format!(
                "With its subflows inline, the JSON of this workflow is nested deeper than {MAX_NESTING} levels. Take a subflow out, \
                 or make values in it flatter."
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
    /// What has been put inline so far, with the outermost flow's own nodes.
    taken: Size,
    problems: Vec<Problem>,
}

/// Where a flow stands within the outermost one.
struct Within {
    /// `sub/`, the ids of the nodes around, for the places of problems.
    place: String,
    /// `In "Polish": `, for their messages.
    words: String,
    depth: usize,
    disabled: bool,
}

impl Linker<'_> {
    /// Links the nodes of a flow; says whether anything in it changed.
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
            // What is wrong with these, validation says.
            (Some(_), Some(_)) | (None, None | Some(Err(_))) => false,
            (None, Some(Ok(mut flow))) => {
                let written = node.data.get(FLOW).unwrap_or(&Value::Null);
                let size = self.library.inline_size(written, holder, inner.depth);
                if let Err(error) = self.bounded(within, size) {
                    self.refuse(node, within, error);
                    return false;
                }
                let changed = self.flow(&mut flow, holder, chain, &inner);
                changed && put(node, &flow)
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
                if !put(node, &flow) {
                    return false;
                }
                let from = self.shown(&file);
                node.data.shift_remove(REF);
                node.data.insert(FROM.to_owned(), Value::String(from));
                true
            }
        }
    }

    /// The flow that `reference` names in `holder`, where it fits into the one that is being linked.
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
                    "refers to \"{reference}\", which cannot be used. {error} Put it right there, or choose another file."
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
                "refers to \"{reference}\", which leads back to itself: {}. Take one of these references out.",
                circle.join(" → ")
            ),
        ))
    }

    /// Whether a flow of `size` may be put inside one at `within`.
    fn bounded(&self, within: &Within, size: Size) -> Result<(), NotFound> {
        if within.depth >= MAX_DEPTH {
            return Err(NotFound::new(
                "subflow_too_deep",
                format!(
                    "would be flow {} within one another, and {MAX_DEPTH} may be. Take a level out.",
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
                "would bring this workflow, with its subflows, to more than {limit}. Refer to smaller flows, or to fewer."
            ),
        ))
    }

    fn refuse(&mut self, node: &Node, within: &Within, error: NotFound) {
        let message = format!("{}\"{}\" {}", within.words, node.title(), error.message);
        // What is bypassed is not run.
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

    /// A file as messages name it: from the outermost file's folder.
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

/// How messages about what is inside `node` begin: `In "Polish": `, `In "Polish", in "Check": `.
pub(crate) fn inside(around: &str, node: &Node) -> String {
    let from = node
        .text(FROM)
        .or(reference(&node.data))
        .map_or_else(String::new, |file| format!(" ({file})"));
    match around.strip_suffix(": ") {
        Some(around) => format!("{around}, in \"{}\"{from}: ", node.title()),
        None => format!("In \"{}\"{from}: ", node.title()),
    }
}

fn put(node: &mut Node, flow: &Flow) -> bool {
    let Ok(value) = serde_json::to_value(flow) else {
        return false;
    };
    node.data.insert(FLOW.to_owned(), value);
    true
}

/// How many levels of lists and objects a flow's JSON has.
fn nesting(flow: &Flow) -> usize {
    fn depth(value: &Value) -> usize {
        match value {
            Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
            Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
            _ => 0,
        }
    }
    serde_json::to_value(flow).map_or(0, |value| depth(&value))
}
