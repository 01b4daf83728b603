//! Checks the licence of every crate and npm package against the list in `deny.toml`, without network access. Also lists crates
//! that occur in several versions, unless `deny.toml` permits that.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use crate::report::{Complaints, Trouble, answer, read};

/// Packages that state their licence only in the readme, not in the manifest.
const STATED_ELSEWHERE: &[(&str, &str)] = &[("css-value", "MIT")];

#[derive(Deserialize)]
struct Deny {
    licenses: Allowed,
    bans: Bans,
}

#[derive(Deserialize)]
struct Allowed {
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    /// The names of crates that may have several versions.
    skip: Vec<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
}

#[derive(Deserialize)]
struct Lock {
    packages: BTreeMap<String, Locked>,
}

#[derive(Deserialize)]
struct Locked {
    version: Option<String>,
    license: Option<String>,
}

/// Checks the licences of all dependencies, and reports duplicate versions of crates.
///
/// # Errors
/// Returns an error if a lock file or `deny.toml` cannot be read, or if cargo cannot be run.
pub(crate) fn licences(root: &Path) -> Result<Complaints, Trouble> {
    let rust = root.join("src-tauri");
    let deny: Deny = toml::from_str(&read(&rust.join("deny.toml"))?)
        .map_err(|error| Trouble(format!("deny.toml: {error}")))?;
    let allowed = licensees(&deny.licenses.allow)?;
    let metadata = answer(
        &rust,
        "cargo",
        &["metadata", "--format-version", "1", "--locked"],
    )?;
    let metadata: Metadata = json("cargo metadata", &metadata)?;
    let (several, stale) = duplicates(&metadata.packages, &deny.bans.skip);
    for name in several {
        println!("warning: {name} now has several versions; find a way to build only one of them");
    }
    for name in stale {
        println!("warning: {name} now has only one version; remove it from deny.toml");
    }
    let lock: Lock = json("package-lock.json", &read(&root.join("package-lock.json"))?)?;

    let crates = metadata.packages.into_iter().map(|package| {
        (
            format!("crate {} {}", package.name, package.version),
            package.license,
        )
    });
    // The package with the empty name is this project.
    let modules = lock
        .packages
        .into_iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, package)| {
            let name = name
                .rsplit("node_modules/")
                .next()
                .unwrap_or_default()
                .to_owned();
            let stated = STATED_ELSEWHERE.iter().find(|(known, _)| *known == name);
            let licence = package
                .license
                .or_else(|| stated.map(|(_, licence)| (*licence).to_owned()));
            (
                format!("npm package {name} {}", package.version.unwrap_or_default()),
                licence,
            )
        });
    let mut complaints = Complaints::default();
    let mut count = 0;
    for (package, licence) in crates.chain(modules) {
        count += 1;
        if let Err(words) = check_licence(licence.as_deref(), &allowed) {
            complaints.add(package, words);
        }
    }
    println!("The licences of {count} packages were checked");
    Ok(complaints)
}

/// Returns the crates with several versions that `listed` does not name, and the names in `listed` that are not needed.
fn duplicates<'a>(packages: &'a [Package], listed: &'a [String]) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut once, mut several) = (BTreeSet::new(), BTreeSet::new());
    for package in packages {
        if !once.insert(package.name.as_str()) {
            several.insert(package.name.as_str());
        }
    }
    let listed: BTreeSet<_> = listed.iter().map(String::as_str).collect();
    let left = |of: &BTreeSet<&'a str>, without| of.difference(without).copied().collect();
    (left(&several, &listed), left(&listed, &several))
}

fn json<T: for<'a> Deserialize<'a>>(name: &str, text: &str) -> Result<T, Trouble> {
    serde_json::from_str(text).map_err(|error| Trouble(format!("{name}: {error}")))
}

fn licensees(names: &[String]) -> Result<Vec<Licensee>, Trouble> {
    names
        .iter()
        .map(|name| {
            Licensee::parse(name).map_err(|error| Trouble(format!("deny.toml, {name}: {error}")))
        })
        .collect()
}

fn check_licence(licence: Option<&str>, allowed: &[Licensee]) -> Result<(), String> {
    let text = licence.ok_or("names no licence; look for another package")?;
    let expression = Expression::parse_mode(text, ParseMode::LAX)
        .map_err(|error| format!("its licence `{text}` cannot be read: {}", error.reason))?;
    if expression.evaluate(|requirement| {
        allowed
            .iter()
            .any(|licensee| licensee.satisfies(requirement))
    }) {
        Ok(())
    } else {
        Err(format!(
            "its licence `{text}` is not in deny.toml; look for another package, or add it there with the reason"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_of_several_versions_is_listed_or_named() {
        let packages = [("a", "1"), ("b", "1"), ("b", "2"), ("c", "1"), ("c", "2")];
        let packages = packages.map(|(name, version)| Package {
            name: name.to_owned(),
            version: version.to_owned(),
            license: None,
        });
        let listed = ["a".to_owned(), "b".to_owned()];
        assert_eq!(duplicates(&packages, &listed), (vec!["c"], vec!["a"]));
    }

    #[test]
    fn an_expression_is_weighed_as_a_whole() {
        let allowed = licensees(&["MIT".into(), "Apache-2.0".into(), "Zlib".into()]).unwrap();
        for fine in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0-or-later OR MIT",
            "(MIT AND Zlib)",
        ] {
            assert_eq!(check_licence(Some(fine), &allowed), Ok(()), "{fine}");
        }
        for (text, words) in [
            (Some("GPL-3.0-or-later"), "not in deny.toml"),
            (Some("MIT AND GPL-2.0-only"), "not in deny.toml"),
            (Some("see LICENSE file"), "cannot be read"),
            (None, "names no licence"),
        ] {
            let complaint = check_licence(text, &allowed).unwrap_err();
            assert!(complaint.contains(words), "{text:?}: {complaint}");
        }
    }
}
