//! The names that templates use, and the sources of their values.

use std::sync::Arc;

use super::wire::{Slot, Source};
use crate::reading::Read;

/// One name of a template's scope, and the source of its value.
#[derive(Debug, Clone)]
pub struct Binding {
    /// The name in the template.
    pub root: Arc<str>,
    pub bound: Bound,
}

/// The source of a name's value.
#[derive(Debug, Clone)]
pub enum Bound {
    /// The value at the primary input.
    PrimaryInput,
    /// An object with the values at these input handles. An empty list means all handles.
    Inputs(Vec<String>),
    /// The value at an input handle.
    Handle(String),
    /// The values of a node: its own value if it is read as a whole, and the handles or fields that are read.
    Node(NodeRef),
    /// `nodes["id"]`
    Nodes(Vec<(String, NodeRef)>),
    /// `run.inputs`
    Run,
    /// The iteration of the nearest loop, `up` graphs further out.
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
    /// `previous.<node>`: values of the previous iteration.
    Previous {
        up: usize,
        nodes: Vec<(String, Slot, Read)>,
    },
    /// The iterator's item, `up` graphs further out.
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
