//! Names of templates, and where their values come from.

use std::sync::Arc;

use super::wire::{Slot, Source};
use crate::reading::Read;

/// One name of a template's scope and where its value comes from.
#[derive(Debug, Clone)]
pub struct Binding {
    /// The name in the template.
    pub root: Arc<str>,
    pub bound: Bound,
}

/// Where a name's value comes from.
#[derive(Debug, Clone)]
pub enum Bound {
    /// The value at the primary input.
    PrimaryInput,
    /// An object of the values at these input handles; empty: at all of them.
    Inputs(Vec<String>),
    /// The value at an input handle.
    Handle(String),
    /// A node's values: itself (`bare`) and these handles or fields.
    Node(NodeRef),
    /// `nodes["id"]`
    Nodes(Vec<(String, NodeRef)>),
    /// `run.inputs`
    Run,
    /// The nearest loop's iteration, `up` graphs out.
    Loop {
        up: usize,
        what: LoopName,
    },
    /// `loops["id"].loopIndex`
    Loops(Vec<(String, usize)>),
    /// `vars`
    Vars {
        up: usize,
    },
    /// `previous.<node>`: values of the iteration before.
    Previous {
        up: usize,
        nodes: Vec<(String, Slot, Read)>,
    },
    /// The iterator's item, `up` graphs out.
    Item {
        up: usize,
    },
    Index {
        up: usize,
    },
    /// The result of the iteration that has just run (conditions and scores).
    Result,
}

/// How a template reads a node.
#[derive(Debug, Clone)]
pub struct NodeRef {
    pub source: Source,
    pub read: Read,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopName {
    Index,
    Count,
    Result,
    StartTime,
    Input,
}

impl LoopName {
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "loopIndex" => Self::Index,
            "loopCount" => Self::Count,
            "loopResult" => Self::Result,
            "loopStartTime" => Self::StartTime,
            _ => return None,
        })
    }
}
