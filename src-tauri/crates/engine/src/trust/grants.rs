//! The permissions that a person gave a flow, in memory and in stored form.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    item::migrated,
    need::{Need, NeedKind},
};

/// The permissions that a person granted a flow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "StoredGrants", into = "StoredGrants")]
pub struct Grants {
    /// The granted items, in the form of [`Need::item`].
    pub items: BTreeSet<String>,
    /// Whether everything is granted without further approval.
    pub all: bool,
}

/// Grants as they are stored with a run.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredGrants {
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    items: BTreeSet<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    all: bool,
    /// The version of the form in which the items are written; see [`ITEM_FORM`].
    #[serde(skip_serializing_if = "is_zero")]
    form: u32,
}

/// The current version of the form in which items are written. In version 2, the parts of a command line and its folder are
/// quoted, so that each item can be read in only one way.
pub const ITEM_FORM: u32 = 2;

fn is_zero(form: &u32) -> bool {
    *form == 0
}

impl From<StoredGrants> for Grants {
    fn from(stored: StoredGrants) -> Self {
        let StoredGrants { items, all, form } = stored;
        let items = match form {
            ITEM_FORM.. => items,
            _ => items.iter().filter_map(|item| migrated(item)).collect(),
        };
        Self { items, all }
    }
}

impl From<Grants> for StoredGrants {
    fn from(grants: Grants) -> Self {
        let Grants { items, all } = grants;
        let form = if items.is_empty() { 0 } else { ITEM_FORM };
        Self { items, all, form }
    }
}

impl Grants {
    /// Returns grants that cover everything.
    pub fn everything() -> Self {
        Self {
            items: BTreeSet::new(),
            all: true,
        }
    }

    pub fn is_empty(&self) -> bool {
        !self.all && self.items.is_empty()
    }

    pub fn add(&mut self, other: &Self) {
        self.all |= other.all;
        self.items.extend(other.items.iter().cloned());
    }

    /// Returns whether the grants cover `need`. A grant for any host covers every host, and a grant to write a folder also
    /// covers reading it.
    pub fn cover(&self, need: &Need) -> bool {
        let has =
            |kind: NeedKind, what: &str| self.items.contains(&format!("{}:{what}", kind.as_str()));
        if self.all || !need.can_be_granted() {
            return self.all;
        }
        has(need.kind, &need.what)
            || match need.kind {
                NeedKind::Host => has(NeedKind::Host, "*"),
                NeedKind::Read => has(NeedKind::Write, &need.what),
                _ => false,
            }
    }

    /// Returns the granted subjects of needs of this kind.
    pub fn of(&self, kind: NeedKind) -> impl Iterator<Item = &str> {
        let begins = format!("{}:", kind.as_str());
        self.items
            .iter()
            .filter_map(move |item| item.strip_prefix(begins.as_str()))
    }
}

impl<S: Into<String>> FromIterator<S> for Grants {
    fn from_iter<I: IntoIterator<Item = S>>(items: I) -> Self {
        Self {
            items: items.into_iter().map(Into::into).collect(),
            all: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::ANY;

    #[test]
    fn a_grant_covers_its_own_item_and_what_it_includes() {
        let grants: Grants = ["host:a.example", "write:/tmp/out"].into_iter().collect();
        let cover = |kind, what: &str| grants.cover(&Need::new(kind, what));
        assert!(cover(NeedKind::Host, "a.example"));
        assert!(!cover(NeedKind::Host, "b.example"));
        assert!(!cover(NeedKind::Private, "a.example"));
        assert!(cover(NeedKind::Read, "/tmp/out"));
        assert!(!cover(NeedKind::Write, "/tmp"));
        let any: Grants = ["host:*"].into_iter().collect();
        assert!(any.cover(&Need::new(NeedKind::Host, "b.example")));
        assert!(!any.cover(&Need::new(NeedKind::Private, "127.0.0.1")));
        assert!(Grants::everything().cover(&Need::new(NeedKind::Private, "127.0.0.1")));
    }

    #[test]
    fn a_key_is_granted_with_its_destination_and_what_is_computed_not_at_all() {
        let items = [
            "key:A@https://a.example",
            "key:OLD",
            "key:A@*",
            "read:*",
            "write:*",
            "command:*",
            "server_tool:s/echo#0829406c2194",
        ];
        let grants: Grants = items.into_iter().collect();
        assert!(grants.cover(&Need::key("A", "https://a.example")));
        for (name, to) in [
            ("A", "https://b.example"),
            ("A", "http://a.example"),
            ("A", "https://a.example:8443"),
            ("B", "https://a.example"),
            ("OLD", "https://a.example"),
            ("A", ANY),
        ] {
            assert!(!grants.cover(&Need::key(name, to)), "{name} to {to}");
        }
        for kind in [NeedKind::Read, NeedKind::Write, NeedKind::Command] {
            assert!(!grants.cover(&Need::new(kind, ANY)), "{kind:?}");
            assert!(!grants.cover(&Need::new(kind, "/home")), "{kind:?}");
        }
        // Part of a digest is not sufficient, because another digest could contain the same part.
        assert!(!grants.cover(&Need::new(NeedKind::ServerTool, "s/echo#0829406c2194")));
        assert!(Need::new(NeedKind::ServerTool, "s/echo#unseen").can_be_granted());
        assert!(Grants::everything().cover(&Need::key("A", ANY)));
    }

    #[test]
    fn what_an_earlier_version_allowed_for_a_run_holds_where_it_means_one_thing() {
        let read = |stored: &str| serde_json::from_str::<Grants>(stored).unwrap();
        let before =
            read(r#"{"items":["command:make in /a b","command:x in /a in /b","host:a.example"]}"#);
        let items: Vec<&str> = before.items.iter().map(String::as_str).collect();
        assert_eq!(items, ["command:make in '/a b'", "host:a.example"]);
        let written = serde_json::to_string(&before).unwrap();
        assert_eq!(read(&written), before);
        assert_eq!(
            serde_json::to_string(&Grants::everything()).unwrap(),
            r#"{"all":true}"#
        );
    }
}
