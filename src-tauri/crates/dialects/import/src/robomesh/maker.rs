//! A workflow that is being made.

use std::collections::BTreeMap;

use super::{Builder, Container, ImportError, Port, given::Inputs, out::Out};

/// Why a node is not made.
pub(super) enum Trouble {
    /// It fails in the source too, or has no counterpart: a placeholder keeps it.
    Kept(String),
    /// The file cannot be imported.
    Refused(ImportError),
}

impl From<String> for Trouble {
    fn from(why: String) -> Self {
        Self::Kept(why)
    }
}

impl From<ImportError> for Trouble {
    fn from(error: ImportError) -> Self {
        Self::Refused(error)
    }
}

/// What a node of the source became.
#[derive(Clone, Default)]
pub(super) struct Made {
    /// What gives its values.
    pub(super) node: String,
    /// By name; `None`: it is there in the source and has no counterpart here.
    pub(super) outputs: BTreeMap<String, Option<Out>>,
    /// A placeholder, which gives nothing whatever is asked for.
    pub(super) kept: bool,
    /// What the run gives of it where nothing else reads it, by name.
    pub(super) ends: Vec<(String, Out)>,
}

/// A workflow that is being made.
pub(super) struct Maker<'v, 'b> {
    pub(super) container: &'b Container<'v>,
    pub(super) builder: &'b mut Builder,
    pub(super) made: BTreeMap<&'v str, Made>,
    /// What is made once for all that read it: fields of values, the values of docks, inputs of the run.
    pub(super) picked: BTreeMap<(String, String), Port>,
    /// What is given to inputs of nodes from outside the workflow, by node and input.
    pub(super) fed: BTreeMap<(&'v str, &'v str), Port>,
    /// The inputs of the component that this workflow is; `None` for a workflow that is run.
    pub(super) component: Option<BTreeMap<&'v str, Port>>,
    /// What the loops with docks are given.
    pub(super) loops: BTreeMap<&'v str, Inputs<'v>>,
    /// The folder that programs run in where their nodes name none.
    pub(super) folder: Option<&'v str>,
    pub(super) depth: usize,
    pub(super) numbers: usize,
    /// Texts name inputs of their node without `inputs.`, as in workflows that a loop holds.
    pub(super) plain_names: bool,
}
