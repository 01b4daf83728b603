//! The files that a flow refers to. Each file is found, read and measured once, no matter how many references lead to it.
//!
//! If each of twenty files refers to the next one twice, the flow expands to a million flows. Therefore, the expanded size of a
//! flow is computed from the sizes of the files before any file is put inline.

use std::{
    collections::HashMap,
    ops::AddAssign,
    path::{Path, PathBuf},
    rc::Rc,
};

use serde_json::Value;

use super::{
    bounds::MAX_DEPTH,
    fields::{FLOW, inline_nodes, reference},
    files::{FlowFile, FlowFiles, NotFound},
};
use crate::{
    document::is_placeholder,
    kind::{Data, Kinds, Shape},
};

/// The size of a flow, including everything that it refers to. Addition saturates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) nodes: usize,
    /// The total length of the text of the files, in bytes. The text of an inline flow is part of its file.
    pub(super) bytes: usize,
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

pub(super) struct Library<'a> {
    kinds: &'a Kinds,
    files: &'a dyn FlowFiles,
    /// The results of [`Self::find`], keyed by the file that contains the reference and the reference itself.
    found: HashMap<(Option<PathBuf>, String), Result<PathBuf, NotFound>>,
    /// The results of [`Self::read`], by file. An error says why the file is not a flow.
    read: HashMap<PathBuf, Result<Rc<FlowFile>, String>>,
    /// The results of [`Self::size`], by file and depth. A flow that is nested too deeply is refused and has no size here.
    sizes: HashMap<(PathBuf, usize), Size>,
}

impl<'a> Library<'a> {
    pub(super) fn new(kinds: &'a Kinds, files: &'a dyn FlowFiles) -> Self {
        Self {
            kinds,
            files,
            found: HashMap::new(),
            read: HashMap::new(),
            sizes: HashMap::new(),
        }
    }

    /// Returns the file that `reference` names in `holder`.
    pub(super) fn find(
        &mut self,
        holder: Option<&Path>,
        reference: &str,
    ) -> Result<PathBuf, NotFound> {
        let key = (holder.map(Path::to_path_buf), reference.to_owned());
        self.found
            .entry(key)
            .or_insert_with(|| self.files.find(holder, reference))
            .clone()
    }

    /// Returns the flow in a file that [`Self::find`] returned.
    ///
    /// # Errors
    /// Returns a sentence that says why the file is not a flow.
    pub(super) fn read(&mut self, file: &Path) -> Result<Rc<FlowFile>, String> {
        if let Some(known) = self.read.get(file) {
            return known.clone();
        }
        let read = self.files.read(file).map(Rc::new);
        let read = read.map_err(|error| error.to_string());
        self.read.insert(file.to_path_buf(), read.clone());
        read
    }

    /// Returns the size of the flow in `file` at `depth`, where 1 is the outermost. References that will be refused are
    /// not counted: those that lead to no flow, and those that lead back to a file that is being measured.
    pub(super) fn size(&mut self, file: &Path, depth: usize) -> Size {
        let key = (file.to_path_buf(), depth);
        if let Some(&known) = self.sizes.get(&key) {
            return known;
        }
        self.sizes.insert(key.clone(), Size::default());
        let Ok(read) = self.read(file) else {
            return Size::default();
        };
        let mut size = Size {
            nodes: 0,
            bytes: read.bytes,
        };
        for node in &read.flow.nodes {
            size += self.node(&node.kind, &node.data, Some(file), depth);
        }
        self.sizes.insert(key, size);
        size
    }

    /// Returns the size of a flow that is inline in `holder`, as [`Self::size`] does for a file.
    pub(super) fn inline_size(
        &mut self,
        flow: &Value,
        holder: Option<&Path>,
        depth: usize,
    ) -> Size {
        let mut size = Size::default();
        for (kind, data) in inline_nodes(flow) {
            match data {
                Some(data) => size += self.node(kind, data, holder, depth),
                None => size.nodes += 1,
            }
        }
        size
    }

    /// Returns the size of a node, including the flow that it refers to or contains.
    fn node(&mut self, kind: &str, data: &Data, holder: Option<&Path>, depth: usize) -> Size {
        let mut size = Size { nodes: 1, bytes: 0 };
        if depth >= MAX_DEPTH || !is_subflow(kind, data, self.kinds) {
            return size;
        }
        size += match (reference(data), data.get(FLOW)) {
            (Some(reference), None | Some(Value::Null)) => match self.find(holder, reference) {
                Ok(file) => self.size(&file, depth + 1),
                Err(_) => Size::default(),
            },
            (None, Some(flow)) => self.inline_size(flow, holder, depth + 1),
            // A node with both a reference and an inline flow, or with neither, runs no flow.
            (Some(_), Some(_)) | (None, None) => Size::default(),
        };
        size
    }
}

fn is_subflow(kind: &str, data: &Data, kinds: &Kinds) -> bool {
    kinds
        .get(kind)
        .is_some_and(|kind| kind.shape() == Shape::Subflow)
        && !is_placeholder(data)
}
