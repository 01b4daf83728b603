//! What flows and runs were refused: kept for the next question, and written down as runs that did not begin.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use loopwright_driver::EventSink;
use loopwright_engine::{
    Entry, ErrorClass, Event, EventBody, NodeError, Record, RunStatus,
    journal::{COMPAT, Fact, Input, RunFailure, RunHeader, RunSetup, RunState},
    named::Named,
    trust::{Note, Verdict},
};
use loopwright_model::file;
use serde_json::{Value, json};

use super::{
    allow::not_approved,
    dto::{NeedInfo, NeedState, TrustList},
};
use crate::{
    app::App,
    clock::new_id,
    error::ApiError,
    prepared_run::{PreparedFlow, PreparedRun},
};

/// What runs were refused and is not in the file of approvals yet, by flow.
#[derive(Default)]
pub(crate) struct PendingRefusals {
    items: Mutex<BTreeMap<String, BTreeSet<String>>>,
    /// Held while they are written, so that whoever waits for them waits for all.
    writing: Mutex<()>,
}

impl PendingRefusals {
    /// Adds items. Gives whether nothing was pending before.
    fn add(&self, flow: &str, items: &[String]) -> bool {
        let mut pending = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        let first = pending.is_empty();
        pending
            .entry(flow.to_owned())
            .or_default()
            .extend(items.iter().cloned());
        first
    }

    fn take(&self) -> BTreeMap<String, BTreeSet<String>> {
        std::mem::take(&mut *self.items.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl App {
    /// Keeps what a run is refused, so that the next one can be allowed it.
    pub(crate) fn recording_refusals(
        self: &Arc<Self>,
        flow: String,
        events: EventSink,
    ) -> EventSink {
        let app = Arc::clone(self);
        Arc::new(move |event: &Event| {
            events(event);
            if let EventBody::Trust(note) = &event.body
                && note.verdict == Verdict::Refused
                && app.pending_refusals().add(&flow, &note.items)
            {
                let app = Arc::clone(&app);
                // A listener must not wait for a disk.
                let handle = app.runtime().clone();
                handle.spawn_blocking(move || app.keep_refusals());
            }
        })
    }

    /// Writes down what runs were refused until now. A run ends behind this, so that nothing is lost with the program.
    pub(crate) fn keep_refusals(&self) {
        let refusals = self.pending_refusals();
        let _writing = refusals
            .writing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let pending = refusals.take();
        if pending.is_empty() {
            return;
        }
        let kept = self.change(|approvals| {
            for (flow, items) in pending {
                approvals
                    .flows
                    .entry(flow)
                    .or_default()
                    .wanted
                    .extend(items);
            }
        });
        if let Err(error) = kept {
            tracing::warn!("What a run was refused could not be kept: {error}");
        }
    }

    /// Writes down that a flow was not run because somebody refused what it would use, or nobody was there to allow it: a run
    /// that failed before anything happened. Gives its id.
    pub fn refuse_run(&self, document: Value, path: Option<&str>) -> Result<String, ApiError> {
        let name = file::read_value(document.clone())?.name.unwrap_or_default();
        let list = self.grants(document.clone(), path)?;
        self.keep_refusal(&list, name, document, path)
    }

    /// As [`App::refuse_run`], of a run that was prepared.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn refuse_prepared(&self, prepared: &PreparedRun) -> Result<String, ApiError> {
        let list = self.needs(prepared)?;
        let PreparedFlow {
            flow,
            document,
            path,
            ..
        } = &prepared.flow;
        let name = flow.name.clone().unwrap_or_default();
        self.keep_refusal(&list, name, document.clone(), path.as_deref())
    }

    fn keep_refusal(
        &self,
        list: &TrustList,
        name: String,
        document: Value,
        path: Option<&str>,
    ) -> Result<String, ApiError> {
        let lacks: Vec<&NeedInfo> = list
            .needs
            .iter()
            .filter(|need| need.state == NeedState::New)
            .collect();
        let items = lacks.iter().map(|need| need.item.clone()).collect();
        let now = (self.clock())();
        let header = RunHeader {
            run_id: new_id(),
            flow: name.clone(),
            flow_path: path.map(str::to_owned),
            document,
            inputs: json!({}),
            started_at: now,
            setup: RunSetup::default(),
        };
        let error = NodeError::new("not_approved", not_approved(&lacks));
        let (records, state) = not_begun(name, items, RunStatus::Failed, error, now);
        self.journal().add(&header, &records, &state)?;
        Ok(header.run_id)
    }
}

/// The records and the state of a run that ended before anything of it happened. `items`: what it was refused.
pub(crate) fn not_begun(
    name: String,
    items: Vec<String>,
    status: RunStatus,
    error: NodeError,
    now: i64,
) -> (Vec<Record>, RunState) {
    let entries = [
        Entry::Input(Input::RunStarted {
            name,
            inputs: Named::default(),
            compat: COMPAT,
        }),
        Entry::Input(Input::Noted {
            note: Note::new(Verdict::Refused, items),
        }),
        Entry::Fact(Fact::RunFailed {
            status,
            error: Box::new(error.clone()),
            duration_ms: 0,
            usage: Box::default(),
            warnings: Vec::new(),
        }),
    ];
    let records: Vec<Record> = (0..)
        .zip(entries)
        .map(|(seq, entry)| Record {
            seq,
            at: now,
            path: String::new(),
            node_id: None,
            entry,
        })
        .collect();
    let state = RunState {
        status,
        duration_ms: Some(0),
        error: Some(RunFailure {
            code: error.code,
            node: None,
            message: error.message,
        }),
        ..RunState::default()
    };
    (records, state)
}

/// Whether a run was refused before anything of it happened: its records say no more than that.
pub(crate) fn was_refused(records: &[Record]) -> bool {
    matches!(
        records,
        [_, Record { entry: Entry::Input(Input::Noted { note }), .. }, Record { entry: Entry::Fact(Fact::RunFailed { error, .. }), .. }]
            if note.verdict == Verdict::Refused && error.class() == ErrorClass::NotApproved
    )
}
