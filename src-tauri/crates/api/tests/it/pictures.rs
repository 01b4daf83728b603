//! Images of flows: which are written to a file, and which are rejected.

#![allow(clippy::unwrap_used)]

use std::fs;

use loopwright_runs::{Code, save_picture};

#[test]
fn a_picture_is_written_where_its_name_says_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let png = b"\x89PNG\r\n\x1a\n...".as_slice();
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>".as_slice();

    save_picture(&at("a.png"), png).unwrap();
    save_picture(&at("a.SVG"), svg).unwrap();
    assert_eq!(fs::read(at("a.png")).unwrap(), png);
    assert_eq!(fs::read(at("a.SVG")).unwrap(), svg);

    for (name, bytes) in [
        ("a.svg", png),
        ("b.png", svg),
        ("b", png),
        ("b.sh", b"#!/bin/sh"),
    ] {
        let error = save_picture(&at(name), bytes).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument, "{name}");
    }
    assert!(!folder.path().join("b.sh").exists());
    let nowhere = save_picture(&at("no folder/a.png"), png).unwrap_err();
    assert_eq!(nowhere.code, Code::Io);
}
