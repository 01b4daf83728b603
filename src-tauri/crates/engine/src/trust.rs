//! The permissions of a run: the needs of its tools, the grants that a person gave, and the notes about both in the journal.
//!
//! A tool lists, as [`Need`]s, what it would use. A person grants items ([`Grants`]). The tool checks each use against the
//! grants at the time of the use. Code that works for an execution receives the execution's [`TrustLog`] and adds [`Note`]s to
//! it.

mod grants;
mod item;
mod need;

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use grants::{Grants, ITEM_FORM};
pub use item::{CommandLine, Word, for_shell, list_of_items, migrated};
pub use need::{ANY, Need, NeedKind, is_computed};

use crate::{outcome::NodeError, redact::Redactor};

/// The decision about the needs of a tool, or the fact that a secret was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A person allowed the needs for the run.
    Approved,
    /// The needs were refused, by a person or because nobody was asked.
    Refused,
    /// A secret was used. Only its name is recorded.
    Used,
}

/// An approval, a refusal or a use of a secret, as the journal records it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename = "TrustNote")]
pub struct Note {
    pub verdict: Verdict,
    /// The needs or secrets that the note is about, such as `host:api.example.org` or `key:BRAVE_API_KEY`.
    pub items: Vec<String>,
    /// The purpose of the use, or the reason for a refusal; `None` for an approval.
    #[serde(default)]
    pub reason: Option<String>,
}

impl Note {
    pub fn new(verdict: Verdict, items: Vec<String>) -> Self {
        Self {
            verdict,
            items,
            reason: None,
        }
    }

    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

/// The scope of a person's consent to the call in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Consent {
    /// No consent: the grants decide.
    #[default]
    None,
    /// Every question of the run is approved in advance.
    General,
    /// A person saw the call with its arguments, and allowed it.
    Call,
}

/// Looks up secrets by name, as environment variables or entries of the system's keychain. Tools have no other access to
/// secrets. The secrets that have been handed out are remembered, so that they can be removed from replies.
#[derive(Clone)]
pub struct Secrets {
    lookup: Lookup,
    given: Arc<Mutex<HandedOut>>,
}

/// The secrets that have been handed out so far.
#[derive(Default)]
struct HandedOut {
    secrets: BTreeSet<String>,
    redactor: Arc<Redactor>,
}

type Lookup = Arc<dyn Fn(&str) -> Result<Option<String>, String> + Send + Sync>;

impl Secrets {
    pub fn new(
        lookup: impl Fn(&str) -> Result<Option<String>, String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            lookup: Arc::new(lookup),
            given: Arc::default(),
        }
    }

    /// Returns a redactor for the secrets that have been handed out so far.
    pub fn redactor(&self) -> Arc<Redactor> {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&given.redactor)
    }

    /// Returns `text` with every form of each secret that has been handed out replaced by stars.
    pub fn redact(&self, text: &str) -> String {
        self.redactor().redact(text)
    }

    /// Returns `value` with every string and every field name redacted as by [`Self::redact`].
    pub fn redact_value(&self, value: Value) -> Value {
        self.redactor().redact_value(value)
    }

    /// Returns `error` with its message and its partial text redacted as by [`Self::redact`].
    pub fn redact_error(&self, mut error: NodeError) -> NodeError {
        error.message = self.redact(&error.message);
        if let Some(partial) = error
            .beside
            .as_mut()
            .and_then(|beside| beside.partial.as_mut())
        {
            *partial = self.redact(partial);
        }
        error
    }

    /// Creates a lookup that knows no secrets.
    pub fn none() -> Self {
        Self::new(|_| Ok(None))
    }

    /// Returns whether a secret with this name exists. The secret is not handed out.
    pub fn has(&self, name: &str) -> bool {
        matches!((self.lookup)(name), Ok(Some(secret)) if !secret.is_empty())
    }

    /// Returns the secret `name` and notes in `trust_log` that it is used for `purpose`.
    ///
    /// # Errors
    /// `key_missing` if the secret does not exist, or if the keychain cannot be read.
    pub fn get(
        &self,
        name: &str,
        purpose: &str,
        trust_log: &TrustLog,
    ) -> Result<String, NodeError> {
        let missing = |why: String| {
            NodeError::new(
                "key_missing",
                format!("{purpose} needs the key `{name}`, {why}"),
            )
        };
        match (self.lookup)(name) {
            Ok(Some(secret)) if !secret.trim().is_empty() => {
                trust_log.key_used(name, purpose);
                let secret = secret.trim().to_owned();
                let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
                if given.secrets.insert(secret.clone()) {
                    let redactor = Redactor::new(given.secrets.iter().map(String::as_str));
                    given.redactor = Arc::new(redactor);
                }
                drop(given);
                Ok(secret)
            }
            Ok(_) => Err(missing(format!(
                "which is not set. Set it in Settings or with `loopwright keys set {}`, or set the environment variable before Loopwright starts.",
                for_shell(name)
            ))),
            Err(error) => Err(missing(format!("which cannot be read: {error}"))),
        }
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets")
    }
}

impl Default for Secrets {
    fn default() -> Self {
        Self::none()
    }
}

/// Receives the notes about trust that an execution writes. The default discards them: outside a run, for example in a
/// connection test, there is no journal. Clones share one receiver.
#[derive(Clone, Default)]
pub struct TrustLog(Option<Arc<dyn Fn(Note) + Send + Sync>>);

impl TrustLog {
    /// Creates a log that passes every note to `receive`, on any thread.
    pub fn new(receive: impl Fn(Note) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(receive)))
    }

    /// Passes a note to the receiver. The default log discards it.
    pub fn note(&self, note: Note) {
        if let Some(receive) = &self.0 {
            receive(note);
        }
    }

    /// Returns a log that writes to this one and redacts the secrets of `secrets` from its notes. A note may contain a
    /// secret, for example in an address from a server.
    pub fn without(self, secrets: Secrets) -> Self {
        let redacted = move |note: Note| {
            let redactor = secrets.redactor();
            self.note(Note {
                verdict: note.verdict,
                items: note
                    .items
                    .iter()
                    .map(|item| redactor.redact(item))
                    .collect(),
                reason: note.reason.map(|reason| redactor.redact(&reason)),
            });
        };
        Self::new(redacted)
    }

    /// Notes that the secret `name` was used for `purpose`. The secret itself is never noted.
    pub fn key_used(&self, name: &str, purpose: impl Into<String>) {
        let item = Need::new(NeedKind::Key, name).item();
        self.note(Note::new(Verdict::Used, vec![item]).because(purpose));
    }

    /// Notes that `need` was refused for the reason `why`, and returns the error `not_approved`.
    pub fn refuse(&self, need: &Need, why: impl Into<String>) -> NodeError {
        let why = why.into();
        self.note(Note::new(Verdict::Refused, vec![need.item()]).because(why.clone()));
        NodeError::new("not_approved", why)
    }
}

impl fmt::Debug for TrustLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TrustLog")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn notes_are_without_the_secrets_that_were_handed_out() {
        let secrets = Secrets::new(|_| Ok(Some("sk-canary-7f3a".to_owned())));
        let notes = Arc::new(Mutex::new(Vec::new()));
        let log = {
            let notes = Arc::clone(&notes);
            TrustLog::new(move |note| notes.lock().unwrap().push(note)).without(secrets.clone())
        };
        secrets.get("K", "a call", &log).unwrap();
        let _ = log.refuse(
            &Need::new(NeedKind::Host, "sk-canary-7f3a.example"),
            "sk-canary-7f3a",
        );
        let notes = notes.lock().unwrap();
        assert_eq!(notes[0].items, ["key:K"]);
        assert_eq!(notes[1].items, ["host:***.example"]);
        assert_eq!(notes[1].reason.as_deref(), Some("***"));
    }

    #[test]
    fn what_was_handed_out_is_taken_out_of_what_comes_back() {
        let secrets = Secrets::new(|name| Ok(Some(format!("{name}-secret/1"))));
        let said = serde_json::json!({ "a": ["x a-secret/1 y", 1], "a-secret%2F1": "b-secret/1" });
        assert_eq!(secrets.redact_value(said.clone()), said);
        secrets.get("a", "A test", &TrustLog::default()).unwrap();
        assert_eq!(
            secrets.redact_value(said),
            serde_json::json!({ "a": ["x *** y", 1], "***": "b-secret/1" })
        );
        let error = secrets.redact_error(NodeError::new("x", "It said a-secret/1."));
        assert_eq!(error.message, "It said ***.");
    }

    #[test]
    fn a_ledger_receives_what_was_used_and_refused() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&heard);
        let trust_log = TrustLog::new(move |note| into.lock().unwrap().push(note));
        let secrets = Secrets::new(|name| Ok((name == "A_KEY").then(|| "secret".to_owned())));
        secrets.get("A_KEY", "A test", &trust_log).unwrap();
        let missing = secrets.get("NO_KEY", "A test", &trust_log).unwrap_err();
        assert_eq!(missing.code, "key_missing");
        let need = Need::new(NeedKind::Host, "a.example");
        let refused = trust_log.clone().refuse(&need, "No.");
        assert_eq!((&*refused.code, &*refused.message), ("not_approved", "No."));
        // The default log drops the note.
        secrets
            .get("A_KEY", "A test", &TrustLog::default())
            .unwrap();
        let used = Note::new(Verdict::Used, vec!["key:A_KEY".to_owned()]);
        let refused = Note::new(Verdict::Refused, vec!["host:a.example".to_owned()]);
        assert_eq!(
            *heard.lock().unwrap(),
            [used.because("A test"), refused.because("No.")]
        );
    }
}
