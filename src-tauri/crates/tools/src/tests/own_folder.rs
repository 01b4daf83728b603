//! Tests that a flow's tools cannot reach Loopwright's own data folder even if everything was approved, that file names may
//! be as long as the system allows, and that special files never block.
#![cfg(unix)]

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use loopwright_engine::{
    host::{ToolContext, Tools as _},
    trust::Grants,
};
use serde_json::{Value, json};

use crate::{ToolSet, ToolSettings};

/// Returns settings of a flow in `home` that may do everything, with Loopwright's data in `home/data`.
fn settings(home: &Path) -> ToolSettings {
    ToolSettings {
        data_dir: home.join("data"),
        flow_folder: Some(home.to_path_buf()),
        grants: Grants::everything(),
        ..ToolSettings::default()
    }
}

async fn call(settings: &ToolSettings, tool: &str, args: Value) -> Result<Value, String> {
    let tool = ToolSet::new(settings).find(tool).unwrap();
    let args = args.as_object().unwrap().clone();
    tool.call(None, args, ToolContext::default())
        .await
        .map_err(|error| format!("{}: {}", error.code, error.message))
}

#[tokio::test]
async fn no_tool_reaches_the_data_folder() {
    let home = tempfile::tempdir().unwrap();
    let home = fs::canonicalize(home.path()).unwrap();
    fs::create_dir_all(home.join("data/search")).unwrap();
    fs::write(home.join("data/trust.json"), "{}").unwrap();
    fs::write(home.join("data-of-mine.txt"), "mine").unwrap();
    std::os::unix::fs::symlink("data", home.join("link")).unwrap();
    std::os::unix::fs::symlink("data/trust.json", home.join("link.json")).unwrap();
    let settings = settings(&home);
    for args in [
        json!({ "path": "data/trust.json" }),
        json!({ "path": "./data/../data/trust.json" }),
        json!({ "path": "link/trust.json" }),
        json!({ "path": "link.json" }),
        json!({ "path": "data/new/file.json" }),
        json!({ "path": "not/there/../../data/trust.json" }),
        json!({ "path": "trust.json", "folder": "data" }),
        json!({ "path": "trust.json", "folder": "link" }),
        json!({ "path": "x.json", "folder": home.join("data/search") }),
    ] {
        let mut written = args.clone();
        written["text"] = json!("{\"flows\":{}}");
        let error = call(&settings, "files.write", written).await.unwrap_err();
        assert!(
            error.starts_with("own_folder: ") && error.contains("even if it is approved"),
            "{args}: {error}"
        );
        let mut edited = args.clone();
        edited["old"] = json!("{}");
        edited["new"] = json!("{\"flows\":{}}");
        let error = call(&settings, "files.edit", edited).await.unwrap_err();
        assert!(
            error.starts_with("own_folder: ") || error.contains("contains `..`"),
            "{args}: {error}"
        );
        let error = call(&settings, "files.read", args.clone())
            .await
            .unwrap_err();
        assert!(
            error.starts_with("own_folder: ") || error.starts_with("not_found: "),
            "{args}: {error}"
        );
    }
    assert_eq!(
        fs::read_to_string(home.join("data/trust.json")).unwrap(),
        "{}"
    );
    assert!(!home.join("data/new").exists());
    let error = call(
        &settings,
        "files.glob",
        json!({ "pattern": "*", "folder": "data" }),
    )
    .await;
    assert!(error.unwrap_err().starts_with("own_folder: "));
    let listed = call(&settings, "files.glob", json!({ "pattern": "**" }))
        .await
        .unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    // A folder whose name only shares a prefix is a different folder.
    let read = call(
        &settings,
        "files.read",
        json!({ "path": "data-of-mine.txt" }),
    )
    .await;
    assert_eq!(read.unwrap(), "mine");
    for cwd in ["data", "link", "data/search"] {
        let error = call(
            &settings,
            "agent:codex",
            json!({ "prompt": "Go", "cwd": cwd }),
        )
        .await;
        assert!(error.unwrap_err().starts_with("own_folder: "), "{cwd}");
    }
}

#[tokio::test]
async fn a_name_may_be_as_long_as_the_system_allows() {
    let home = tempfile::tempdir().unwrap();
    let settings = settings(home.path());
    let name = "n".repeat(255);
    call(
        &settings,
        "files.write",
        json!({ "path": name, "text": "a" }),
    )
    .await
    .unwrap();
    assert_eq!(
        call(&settings, "files.read", json!({ "path": name }))
            .await
            .unwrap(),
        "a"
    );
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    let error = call(
        &settings,
        "files.write",
        json!({ "path": "n".repeat(256), "text": "a" }),
    )
    .await;
    assert!(error.unwrap_err().starts_with("file_failed: "));
}

/// A file and a pipe swap places continuously. Each read returns at once, whether it opens the file or the pipe.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_becomes_a_pipe_is_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};

    let home = tempfile::tempdir().unwrap();
    let (file, pipe) = (home.path().join("file"), home.path().join("pipe"));
    fs::write(&file, "text").unwrap();
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let settings = settings(home.path());
    let done = AtomicBool::new(false);
    let (mut read, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &file, CWD, &pipe, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let reads = async {
            for _ in 0..500 {
                match call(&settings, "files.read", json!({ "path": "file" })).await {
                    Ok(text) => {
                        assert_eq!(text, "text");
                        read += 1;
                    }
                    Err(error) => {
                        assert!(error.contains("is not a regular file"), "{error}");
                        refused += 1;
                    }
                }
            }
        };
        let handle = tokio::runtime::Handle::current();
        let ended = tokio::task::block_in_place(|| {
            handle.block_on(tokio::time::timeout(Duration::from_secs(20), reads))
        });
        done.store(true, Ordering::Relaxed);
        ended.expect("a read of a pipe waits for ever");
    });
    assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
}
