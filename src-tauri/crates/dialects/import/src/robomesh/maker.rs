//! The state of a workflow's translation.

use std::collections::BTreeMap;

use super::{Builder, Container, ImportError, Port, given::Inputs, out::Out};

/// The reason why a node is not translated.
pub(super) enum Trouble {
    /// The node fails in the source too, or has no equivalent. A placeholder stores it.
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

/// The translation of a source node.
#[derive(Clone, Default)]
pub(super) struct Made {
    /// The node that provides the values of the source node.
    pub(super) node: String,
    /// The outputs by name. `None` means that the output exists in the source but has no equivalent here.
    pub(super) outputs: BTreeMap<String, Option<Out>>,
    /// Whether the node is a placeholder, which provides no values.
    pub(super) kept: bool,
    /// The values that become outputs of the run, each with the output's name, if nothing else reads the node.
    pub(super) ends: Vec<(String, Out)>,
}

/// A workflow whose translation is under construction.
pub(super) struct Maker<'v, 'b> {
    pub(super) container: &'b Container<'v>,
    pub(super) builder: &'b mut Builder,
    pub(super) made: BTreeMap<&'v str, Made>,
    /// Ports that several readers share: fields of values, values of docks, inputs of the run.
    pub(super) picked: BTreeMap<(String, String), Port>,
    /// The ports that provide values from outside the workflow, by node and input.
    pub(super) fed: BTreeMap<(&'v str, &'v str), Port>,
    /// The inputs of the component that this workflow defines, or `None` if the workflow is not a component.
    pub(super) component: Option<BTreeMap<&'v str, Port>>,
    /// The inputs of the loops with docks.
    pub(super) loops: BTreeMap<&'v str, Inputs<'v>>,
    /// The working folder of programs whose nodes name none.
    pub(super) folder: Option<&'v str>,
    pub(super) depth: usize,
    pub(super) numbers: usize,
    /// Whether text fields may name inputs of their node without `inputs.`, as in workflows inside a loop.
    pub(super) plain_names: bool,
}
