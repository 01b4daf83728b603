//! Checks what the page in the window may do against a complete list. A new permission, or a new source from which pages may
//! load, must be a deliberate decision: this test fails until it is added to the list.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::{Value, json};

fn read(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_page_may_listen_set_its_title_and_close_and_nothing_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("capabilities");
    let files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files, ["main.json"]);
    let mut capability = read("capabilities/main.json");
    let fields = capability.as_object_mut().unwrap();
    fields.remove("description");
    fields.remove("$schema");
    assert_eq!(
        capability,
        json!({
            "identifier": "main",
            "windows": ["main"],
            "permissions": [
                "core:event:allow-listen",
                "core:event:allow-unlisten",
                "core:window:allow-set-title",
                "core:window:allow-destroy",
            ],
        })
    );
}

#[test]
fn the_page_loads_runs_and_frames_nothing_but_what_is_built_in() {
    let config = read("tauri.conf.json");
    let security = &config["app"]["security"];
    let fields: BTreeSet<&str> = security
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    // The prototype of every object is frozen by `window.rs`.
    assert_eq!(fields, BTreeSet::from(["csp"]));
    let directives: BTreeMap<&str, &str> = security["csp"]
        .as_str()
        .unwrap()
        .split("; ")
        .map(|directive| directive.split_once(' ').unwrap())
        .collect();
    assert_eq!(
        directives,
        BTreeMap::from([
            ("default-src", "'self'"),
            ("script-src", "'self'"),
            ("style-src", "'self' 'unsafe-inline'"),
            ("img-src", "'self' data:"),
            ("connect-src", "ipc: http://ipc.localhost"),
            ("object-src", "'none'"),
            ("base-uri", "'none'"),
            ("form-action", "'none'"),
            ("frame-src", "'none'"),
            ("frame-ancestors", "'none'"),
        ])
    );
    assert_eq!(config["app"]["withGlobalTauri"], false);
    // `window.rs` creates the only window, and allows it to load only the built-in pages.
    let windows = config["app"]["windows"].as_array().unwrap();
    assert_eq!(windows.len(), 1);
    assert_eq!(windows[0]["create"], false);
    assert_eq!(config.get("plugins"), None);
}
