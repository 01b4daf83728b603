//! Holds the licence of every crate and every npm package to the list in `deny.toml`, without a network.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use crate::report::{Complaints, Trouble, answer, read};

/// Packages whose manifest forgets the licence that their Readme states.
const STATED_ELSEWHERE: &[(&str, &str)] = &[("css-value", "MIT")];

#[derive(Deserialize)]
struct Deny {
    licenses: Allowed,
}

#[derive(Deserialize)]
struct Allowed {
    allow: Vec<String>,
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

/// # Errors
/// When a lock file or `deny.toml` cannot be read, or cargo not be asked.
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
    println!("{count} packages' licences looked at");
    Ok(complaints)
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
