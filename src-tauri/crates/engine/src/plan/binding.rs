//! The names that templates use, and the sources of their values.

use std::sync::Arc;

use super::wire::{Slot, Source};
use crate::reading::Read;

/// A name in the scope of a template, and the source of the name's value.
#[derive(Debug, Clone)]
pub struct Binding {
    /// The name in the template.
    pub root: Arc<str>,
    pub bound: Bound,
}

/// The source of a name's value.
#[derive(Debug, Clone)]
pub enum Bound {
    /// The value at the node's primary input.
    PrimaryInput,
    /// An object with the values at these input handles of the node. An empty list means all handles.
    Inputs(Vec<String>),
    /// The value at an input handle of the node.
    Handle(String),
    /// The parts of a node that a template reads: the node's whole value, or its handles or fields.
    Node(NodeRef),
    /// The nodes that a template reads as `nodes["id"]`, by id.
    Nodes(Vec<(String, NodeRef)>),
    /// The run, whose inputs a template reads as `run.inputs`.
    Run,
    /// A value of the current iteration of the nearest loop, whose graph is `up` graphs further out.
    Loop {
        up: usize,
        what: LoopName,
    },
    /// The enclosing loops that a template reads as `loops["id"].loopIndex`: for each loop, its id and how many graphs further
    /// out it is.
    Loops(Vec<(String, usize)>),
    /// The variables of the nearest loop, which a template reads as `vars`.
    Vars {
        up: usize,
    },
    /// The values of nodes in the previous iteration, which a template reads as `previous.<node>`.
    Previous {
        up: usize,
        nodes: Vec<(String, Slot, Read)>,
    },
    /// The current item of the iterator that is `up` graphs further out.
    Item {
        up: usize,
    },
    Index {
        up: usize,
    },
    /// The result of the iteration that has just run, for conditions and scores.
    Result,
}

/// The parts of a node that a template reads.
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
    /// Whether the loop has continued once after it made no progress.
    Escalated,
    Input,
    /// The values of the loop's resource.
    Resource,
}

impl LoopName {
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "loopIndex" => Self::Index,
            "loopCount" => Self::Count,
            "loopResult" => Self::Result,
            "loopStartTime" => Self::StartTime,
            "loopEscalated" => Self::Escalated,
            _ => return None,
        })
    }
}
