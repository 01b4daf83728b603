//! Access to the runs in named shared stores. The page identifies a run by a [`RunRef`]. Without the feature `stores`, there
//! are only runs on this computer.

#[cfg(feature = "stores")]
mod connected;
#[cfg(not(feature = "stores"))]
#[path = "absent.rs"]
mod connected;
mod run_ref;

use std::sync::Arc;

use loopwright_api::{App, Event};
use loopwright_records::{OpenQuestion, RunComparison, RunDetail, RunSummary};
use loopwright_runs::{ApiError, Code};

pub(crate) use connected::Stores;
use tauri::ipc::Channel;

use crate::{attention::Attention, events};
use run_ref::RunRef;

/// Where a run is: the app of its store, and the run's id in that store.
pub(crate) struct Place<'a> {
    /// The name of the store; `None` is this computer.
    pub(crate) store: Option<&'a str>,
    pub(crate) app: Arc<App>,
    pub(crate) run_id: &'a str,
}

impl Stores {
    /// Returns the place of a run, given the id that the page uses.
    ///
    /// # Errors
    /// Returns an error if the store of the run does not answer, or the settings no longer name it.
    pub(crate) fn place<'a>(
        &self,
        local: &Arc<App>,
        run_id: &'a str,
    ) -> Result<Place<'a>, ApiError> {
        let RunRef { store, run_id } = RunRef::read(run_id);
        Ok(Place {
            store,
            app: self.app(local, store)?,
            run_id,
        })
    }

    /// Returns the place of the run `a`, and the id of the run `b` in the same store.
    ///
    /// # Errors
    /// [`Code::Unsupported`] if the runs are in different stores. Also returns the errors of [`Stores::place`].
    pub(crate) fn place_of_both<'a>(
        &self,
        local: &Arc<App>,
        a: &'a str,
        b: &'a str,
    ) -> Result<(Place<'a>, &'a str), ApiError> {
        let (place, other) = (self.place(local, a)?, RunRef::read(b));
        if place.store != other.store {
            return Err(ApiError::new(
                Code::Unsupported,
                "The two runs are in different stores. Export one of them, import it into the store of the other, and compare them there.",
            ));
        }
        Ok((place, other.run_id))
    }
}

impl Place<'_> {
    /// Replaces the id of a run in this store by the id that the page uses.
    pub(crate) fn shown(&self, run_id: &mut String) {
        let named = RunRef {
            store: self.store,
            run_id,
        };
        *run_id = named.to_string();
    }

    pub(crate) fn summary(&self, mut summary: RunSummary) -> RunSummary {
        self.shown(&mut summary.run_id);
        if let Some(from) = &mut summary.forked_from {
            self.shown(&mut from.run_id);
        }
        summary
    }

    pub(crate) fn question(&self, mut question: OpenQuestion) -> OpenQuestion {
        self.shown(&mut question.run_id);
        question.store = self.store.map(str::to_owned);
        question
    }

    pub(crate) fn detail(&self, mut detail: RunDetail) -> RunDetail {
        detail.summary = self.summary(detail.summary);
        if let Some(origin) = &mut detail.origin {
            self.shown(&mut origin.run_id);
        }
        detail
    }

    pub(crate) fn comparison(&self, mut comparison: RunComparison) -> RunComparison {
        comparison.a = self.summary(comparison.a);
        comparison.b = self.summary(comparison.b);
        comparison
    }

    pub(crate) fn event(&self, mut event: Event) -> Event {
        self.shown(&mut event.run_id);
        event
    }

    /// Returns the receiver of the events of a run in this store. It sends the events to the page and notifies the user
    /// according to the settings of `local`.
    pub(crate) fn sink(
        &self,
        local: &Arc<App>,
        attention: &Arc<Attention>,
        channel: Channel<Vec<Event>>,
    ) -> Arc<dyn Fn(&Event) + Send + Sync> {
        let flow = self.app.env().flow_name(self.run_id).unwrap_or_default();
        let told = attention.watching(local, flow, events::sink(&self.app, channel));
        let Some(store) = self.store.map(str::to_owned) else {
            return told;
        };
        Arc::new(move |event| {
            let mut event = event.clone();
            let named = RunRef {
                store: Some(&store),
                run_id: &event.run_id,
            };
            event.run_id = named.to_string();
            told(&event);
        })
    }

    pub(crate) fn events(&self, events: Vec<Event>) -> Vec<Event> {
        events.into_iter().map(|event| self.event(event)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_a_store_are_known_by_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let app = App::open(folder.path(), runtime.handle().clone()).expect("an app");
        let stores = Stores::default();
        let place = stores.place(&app, "0192").expect("this computer");
        assert_eq!((place.store, place.run_id), (None, "0192"));
        let mut id = "0192".to_owned();
        let place = Place {
            store: Some("work"),
            ..place
        };
        place.shown(&mut id);
        assert_eq!(id, "work/0192");
        let unknown = stores
            .place(&app, "work/0192")
            .err()
            .expect("no such store");
        assert_eq!(unknown.code, Code::NotFound);
        let apart = stores.place_of_both(&app, "0192", "work/0192").err();
        assert_eq!(apart.expect("two places").code, Code::Unsupported);
    }
}
