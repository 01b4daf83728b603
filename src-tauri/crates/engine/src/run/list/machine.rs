//! A list in progress: which items run, and the result of each.
//!
//! ```text
//!                     ┌──────hold─────▶ Held ──release──┐
//! an item:  to come ──┤                                 ▼
//!                     └────────────begin────────────▶ Running ──finish──▶ Nothing | One | Many | Failed
//!
//! the list: start ──next──▶ Begin(item), up to the concurrency
//!                    ├────▶ Wait: the concurrency is reached, or an item is held
//!                    └────▶ End, when every item is finished
//! ```
//!
//! A replacement value for an unknown item is ignored ([`ListMachine::replace`]). The following steps fail with
//! [`Impossible::List`]: finishing an item twice or before it begins, beginning or holding an item out of turn, and releasing
//! an item that is not held.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};

use crate::{
    exit::ExitReason,
    journal::ScopeEnd,
    outcome::{NodeError, Usage},
    plan::{GraphIx, ListConfig, OnItemError, Slot},
    run::{
        arena::FrameId,
        impossible::{Impossible, ListStep, Stepped},
    },
};

/// A list in progress: its items, their results and its settings.
pub(in crate::run) struct ListMachine {
    /// The frame and the slot of the list's node.
    pub(in crate::run) at: (FrameId, Slot),
    pub(in crate::run) graph: GraphIx,
    /// The slot of the end node, in the graph of the start node.
    pub(super) end: Slot,
    /// The settings in the current plan.
    pub(in crate::run) config: ListConfig,
    /// The input list. Each item is copied when it begins.
    list: Arc<Value>,
    /// The values that a fork set for items, by the index of the item.
    replaced: BTreeMap<usize, Arc<Value>>,
    /// The index of the item that begins next.
    next: usize,
    /// The indices of the items that a breakpoint stops before they begin.
    held: Vec<usize>,
    running: Vec<FrameId>,
    /// The result of each item.
    results: Vec<ItemResult>,
    /// The number of items that finished without an error.
    finished: u32,
    pub(in crate::run) started_at: i64,
    pub(in crate::run) usage: Usage,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ItemResult {
    /// The item is not finished.
    Open,
    /// No value reached the end.
    Nothing,
    One(Arc<Value>),
    Many(Arc<Value>),
    Failed(String),
}

impl ItemResult {
    pub(super) fn of(mut values: Vec<Arc<Value>>) -> Self {
        match (values.len(), values.pop()) {
            (_, None) => Self::Nothing,
            (1, Some(one)) => Self::One(one),
            (_, Some(last)) => {
                values.push(last);
                let copy = |value: &Arc<Value>| (**value).clone();
                Self::Many(Arc::new(values.iter().map(copy).collect()))
            }
        }
    }

    /// Returns the value of a finished item; `None` for an item that is not finished, has no value, or failed.
    pub(super) fn value(&self) -> Option<&Arc<Value>> {
        match self {
            Self::One(value) | Self::Many(value) => Some(value),
            Self::Open | Self::Nothing | Self::Failed(_) => None,
        }
    }

    pub(super) fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// The next action of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextItem {
    /// The item with this index begins.
    Begin(usize),
    Wait,
    End,
}

/// The result of a list.
#[derive(Debug, PartialEq)]
pub(super) struct ListResult {
    /// The values of the items, in the order of the items.
    pub(super) items: Vec<Value>,
    /// The failures of items, if they are collected.
    pub(super) errors: Vec<Value>,
    pub(super) end: ScopeEnd,
}

impl ListMachine {
    /// Creates the list before its first item begins. Returns `None` if `list` is not an array.
    pub(super) fn new(
        at: (FrameId, Slot),
        graph: GraphIx,
        end: Slot,
        config: ListConfig,
        list: Arc<Value>,
        now: i64,
    ) -> Option<Self> {
        let count = list.as_array()?.len();
        Some(Self {
            at,
            graph,
            end,
            config,
            list,
            replaced: BTreeMap::new(),
            next: 0,
            held: Vec::new(),
            running: Vec::new(),
            results: vec![ItemResult::Open; count],
            finished: 0,
            started_at: now,
            usage: Usage::default(),
        })
    }

    /// Returns the next action of the list. `stopped` is the number of running items that are stopped at a breakpoint. The
    /// list's concurrency does not count them.
    pub(super) fn next(&mut self, stopped: usize) -> NextItem {
        if self.next >= self.count() {
            return match self.running.is_empty() && self.held.is_empty() {
                true => NextItem::End,
                false => NextItem::Wait,
            };
        }
        if self.running.len() - stopped >= self.config.concurrency {
            return NextItem::Wait;
        }
        self.next += 1;
        NextItem::Begin(self.next - 1)
    }

    /// Begins an item, which runs in this frame.
    pub(super) fn begin(&mut self, index: usize, frame: FrameId) -> Stepped {
        if !self.is_to_begin(index) || self.running.contains(&frame) {
            return Err(Impossible::List(ListStep::Begin));
        }
        self.running.push(frame);
        Ok(())
    }

    /// Holds an item that a breakpoint stops before it begins.
    pub(super) fn hold(&mut self, index: usize) -> Stepped {
        if !self.is_to_begin(index) {
            return Err(Impossible::List(ListStep::Hold));
        }
        self.held.push(index);
        Ok(())
    }

    /// Releases a held item, which may now begin.
    pub(in crate::run) fn release(&mut self, index: usize) -> Stepped {
        let Some(place) = self.held.iter().position(|&held| held == index) else {
            return Err(Impossible::List(ListStep::Release));
        };
        self.held.remove(place);
        Ok(())
    }

    /// Returns whether the item can begin: its turn has come, and it is neither finished nor held.
    fn is_to_begin(&self, index: usize) -> bool {
        index < self.next
            && self.results.get(index) == Some(&ItemResult::Open)
            && !self.held.contains(&index)
    }

    /// Finishes the item that ran in this frame.
    pub(super) fn finish(&mut self, index: usize, frame: FrameId, result: ItemResult) -> Stepped {
        let running = self.running.iter().position(|&other| other == frame);
        match (running, self.results.get_mut(index)) {
            (Some(place), Some(open @ ItemResult::Open)) => {
                self.finished += u32::from(!result.is_failed());
                *open = result;
                self.running.remove(place);
                Ok(())
            }
            _ => Err(Impossible::List(ListStep::Finish)),
        }
    }

    /// Returns whether an item that fails with this error ends the list.
    pub(super) fn ends_by(&self, error: &NodeError) -> bool {
        self.config.on_error == OnItemError::Fail || error.is_final()
    }

    /// Returns the values and the failures of the items, and how the list ended.
    pub(super) fn into_result(self) -> ListResult {
        let mut items = Vec::with_capacity(self.results.len());
        let mut errors = Vec::new();
        for (index, result) in self.results.into_iter().enumerate() {
            match result {
                ItemResult::One(value) => items.push(Arc::unwrap_or_clone(value)),
                ItemResult::Many(reached) => match Arc::unwrap_or_clone(reached) {
                    Value::Array(reached) => items.extend(reached),
                    other => items.push(other),
                },
                ItemResult::Failed(message) if self.config.on_error == OnItemError::Collect => {
                    items.push(Value::Null);
                    errors.push(json!({ "index": index, "message": message }));
                }
                ItemResult::Failed(_) | ItemResult::Open | ItemResult::Nothing => {}
            }
        }
        let end = ScopeEnd {
            iterations: self.finished,
            exit_reason: ExitReason::Completed,
            exhausted: false,
        };
        ListResult { items, errors, end }
    }

    /// Returns the number of items that finished without an error.
    pub(in crate::run) fn finished(&self) -> u32 {
        self.finished
    }

    /// Returns the frames of the items in progress.
    pub(in crate::run) fn frames(&self) -> &[FrameId] {
        &self.running
    }

    /// Returns the number of items.
    pub(super) fn count(&self) -> usize {
        self.results.len()
    }

    pub(super) fn item(&self, index: usize) -> Arc<Value> {
        match self.replaced.get(&index) {
            Some(value) => Arc::clone(value),
            None => Arc::new(self.list.get(index).cloned().unwrap_or_default()),
        }
    }

    /// Replaces the value of an item with the result of `value`, which receives the old value. An unknown item is ignored.
    pub(in crate::run) fn replace(
        &mut self,
        index: usize,
        value: impl FnOnce(Arc<Value>) -> Arc<Value>,
    ) {
        if index < self.count() {
            let value = value(self.item(index));
            self.replaced.insert(index, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::arena::ArenaId as _;

    fn list(count: usize, concurrency: usize, on_error: OnItemError) -> ListMachine {
        let config = ListConfig {
            concurrency,
            on_error,
        };
        let items = Arc::new(Value::from((0..count).collect::<Vec<_>>()));
        ListMachine::new((FrameId::ROOT, 0), 1, 1, config, items, 0).unwrap()
    }

    fn frame(index: usize) -> FrameId {
        FrameId::new(index + 10)
    }

    /// Begins the next item, which must be the one with this index.
    fn begin(list: &mut ListMachine, index: usize) {
        assert_eq!(list.next(0), NextItem::Begin(index));
        list.begin(index, frame(index)).unwrap();
    }

    fn one(value: impl Into<Value>) -> ItemResult {
        ItemResult::of(vec![Arc::new(value.into())])
    }

    #[test]
    fn items_begin_while_there_are_places_and_results_keep_their_order() {
        let mut list = list(3, 2, OnItemError::Fail);
        begin(&mut list, 0);
        begin(&mut list, 1);
        assert_eq!(list.next(0), NextItem::Wait);
        assert_eq!(list.frames(), [frame(0), frame(1)]);
        list.finish(1, frame(1), one("b")).unwrap();
        begin(&mut list, 2);
        assert_eq!(list.next(0), NextItem::Wait);
        list.finish(2, frame(2), ItemResult::of(vec![])).unwrap();
        list.finish(
            0,
            frame(0),
            ItemResult::of(vec![Arc::default(), Arc::new(json!(1))]),
        )
        .unwrap();
        assert_eq!((list.next(0), list.finished()), (NextItem::End, 3));
        let left = list.into_result();
        assert_eq!(left.items, [Value::Null, json!(1), json!("b")]);
        assert_eq!((left.errors.len(), left.end.iterations), (0, 3));
    }

    #[test]
    fn an_empty_list_ends_and_a_text_is_not_a_list() {
        assert_eq!(list(0, 2, OnItemError::Fail).next(0), NextItem::End);
        let config = list(0, 1, OnItemError::Fail).config;
        let text = Arc::new(json!("text"));
        assert!(ListMachine::new((FrameId::ROOT, 0), 1, 1, config, text, 0).is_none());
    }

    #[test]
    fn an_item_that_is_held_keeps_the_list_open_and_takes_no_place() {
        let mut list = list(2, 1, OnItemError::Fail);
        assert_eq!(list.next(0), NextItem::Begin(0));
        list.hold(0).unwrap();
        begin(&mut list, 1);
        list.finish(1, frame(1), one(1)).unwrap();
        assert_eq!(list.next(0), NextItem::Wait);
        list.release(0).unwrap();
        list.replace(0, |own| Arc::new(json!([*own])));
        assert_eq!(*list.item(0), json!([0]));
        list.begin(0, frame(0)).unwrap();
        list.finish(0, frame(0), one(0)).unwrap();
        assert_eq!(list.next(0), NextItem::End);
    }

    #[test]
    fn an_item_that_is_stopped_inside_takes_no_place() {
        let mut list = list(2, 1, OnItemError::Fail);
        begin(&mut list, 0);
        assert_eq!(list.next(0), NextItem::Wait);
        assert_eq!(list.next(1), NextItem::Begin(1));
    }

    #[test]
    fn a_failed_item_ends_the_list_or_is_left_out_or_collected() {
        let error = NodeError::new("x", "Failed.".to_owned());
        let failed = |on_error| {
            let mut list = list(1, 1, on_error);
            let ends = list.ends_by(&error);
            begin(&mut list, 0);
            list.finish(0, frame(0), ItemResult::Failed("Failed.".to_owned()))
                .unwrap();
            assert_eq!(list.finished(), 0);
            let left = list.into_result();
            (ends, left.items, left.errors)
        };
        assert!(failed(OnItemError::Fail).0);
        assert_eq!(failed(OnItemError::Skip), (false, vec![], vec![]));
        let told = json!({ "index": 0, "message": "Failed." });
        assert_eq!(
            failed(OnItemError::Collect),
            (false, vec![Value::Null], vec![told])
        );
    }

    #[test]
    fn another_value_for_an_unknown_item_is_ignored() {
        let mut list = list(1, 1, OnItemError::Fail);
        list.replace(1, |_| Arc::new(json!("x")));
        assert_eq!(*list.item(1), Value::Null);
    }

    #[test]
    fn it_refuses_steps_out_of_order() {
        let impossible = |step| Err(Impossible::List(step));
        let mut list = list(2, 2, OnItemError::Fail);
        assert_eq!(list.begin(0, frame(0)), impossible(ListStep::Begin));
        assert_eq!(list.hold(0), impossible(ListStep::Hold));
        assert_eq!(list.release(0), impossible(ListStep::Release));
        assert_eq!(
            list.finish(0, frame(0), one(0)),
            impossible(ListStep::Finish)
        );
        begin(&mut list, 0);
        assert_eq!(list.begin(0, frame(0)), impossible(ListStep::Begin));
        assert_eq!(
            list.finish(0, frame(1), one(0)),
            impossible(ListStep::Finish)
        );
        assert_eq!(
            list.finish(9, frame(0), one(0)),
            impossible(ListStep::Finish)
        );
        list.finish(0, frame(0), one(0)).unwrap();
        assert_eq!(
            list.finish(0, frame(0), one(0)),
            impossible(ListStep::Finish)
        );
        assert_eq!(list.begin(0, frame(0)), impossible(ListStep::Begin));
        assert_eq!(list.hold(0), impossible(ListStep::Hold));
        assert_eq!(list.next(0), NextItem::Begin(1));
        list.hold(1).unwrap();
        assert_eq!(list.begin(1, frame(1)), impossible(ListStep::Begin));
        assert_eq!(list.hold(1), impossible(ListStep::Hold));
    }
}
