//! The memory of a node between iterations: items that its outcomes leave, stored in the loop around the node.
//!
//! The recorded outcomes contain the items, so a run that is resumed, replayed or forked has the same memory.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::Tree;
use crate::run::{
    arena::{FrameId, ScopeId},
    scope::Scope,
};

impl Tree {
    /// Returns the loop that stores the memory of nodes in this frame: the nearest loop around it, even across subflows. `None`
    /// if there is none, or if the frame is inside a list, whose items run at the same time.
    fn memory_keeper(&self, frame: FrameId) -> Option<ScopeId> {
        let mut at = frame;
        loop {
            let state = self.frames.get(at)?;
            let scope = state.scope?;
            match self.scopes.get(scope)? {
                Scope::Loop(_) => return Some(scope),
                Scope::List(_) => return None,
                Scope::Subflow(_) => at = state.parent?.0,
            }
        }
    }

    /// Returns the items that earlier executions of the node left, oldest first.
    pub(in crate::run) fn memory(&self, frame: FrameId, node: NodeIx) -> Vec<Arc<Value>> {
        self.memory_keeper(frame)
            .and_then(|scope| self.looping(scope).ok()?.memory.get(&node).cloned())
            .unwrap_or_default()
    }

    /// Adds an item to the memory of the node.
    pub(in crate::run) fn remember(&mut self, frame: FrameId, node: NodeIx, item: Arc<Value>) {
        if let Some(scope) = self.memory_keeper(frame)
            && let Ok(looping) = self.looping_mut(scope)
        {
            looping.memory.entry(node).or_default().push(item);
        }
    }
}
