//! Tests of agent programs: sessions, permissions, environment, and the end of everything they started. Small scripts simulate
//! the programs and print what the real ones document.
#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use loopwright_engine::{
    CancellationToken,
    host::{ToolContext, Tools as _},
    trust::{Grants, Need, Secrets, TrustLog},
};
use serde_json::{Map, Value, json};

use super::programs;
use crate::{Runner, ToolSet, ToolSettings, bundled_runners};

/// Writes a program with this content to `folder`.
fn script(folder: &Path, name: &str, content: &str) -> PathBuf {
    let path = folder.join(name);
    programs::write_program(&path, &format!("#!/bin/sh\n{content}\n"));
    path
}

/// Returns the agent with this name, whose program is replaced by a script.
fn played(name: &str, by: &Path) -> Runner {
    let known = bundled_runners()
        .into_iter()
        .find(|runner| runner.name == name)
        .unwrap();
    Runner {
        name: format!("played-{name}"),
        command: by.display().to_string(),
        ..known
    }
}

fn settings(folder: &Path, agent: Runner) -> ToolSettings {
    ToolSettings {
        flow_folder: Some(folder.to_path_buf()),
        agents: vec![agent],
        secrets: Secrets::new(|name| Ok(Some(format!("secret-of-{name}")))),
        ..ToolSettings::default()
    }
}

fn args(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// Calls the agent with all its needs granted.
async fn call(settings: &ToolSettings, given: Value) -> Result<Value, String> {
    call_with(settings, given, ToolContext::default()).await
}

async fn call_with(
    settings: &ToolSettings,
    given: Value,
    cx: ToolContext,
) -> Result<Value, String> {
    let name = format!("agent:{}", settings.agents[0].name);
    let given = args(given);
    let needs = ToolSet::new(settings).find(&name).unwrap().needs(&given);
    let granted = ToolSettings {
        grants: needs.iter().map(Need::item).collect::<Grants>(),
        ..settings.clone()
    };
    let tool = ToolSet::new(&granted).find(&name).unwrap();
    tool.call(None, given, cx)
        .await
        .map_err(|error| format!("{}: {}", error.code, error.message))
}

/// Scripts that print like the real programs. They include the prompt from standard input and the session from the arguments.
const CLAUDE: &str = r#"prompt=$(cat); all="$*"; session=new-1
case "$all" in *"--resume "*) session=${all##*--resume };; esac
printf '{"type":"result","subtype":"success","is_error":false,"result":"%s|%s|%s","session_id":"%s","total_cost_usd":0.02,"usage":{"input_tokens":11,"output_tokens":5}}\n' "$prompt" "$*" "$(pwd -P)" "$session""#;
const CODEX: &str = r#"prompt=$(cat); all="$*"; session=new-1
case "$all" in *"resume "*) session=${all##*resume }; session=${session% -};; esac
printf '{"type":"thread.started","thread_id":"%s"}\n{"type":"turn.started"}\n' "$session"
printf '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"%s|%s|%s"}}\n' "$prompt" "$*" "$(pwd -P)"
printf '{"type":"turn.completed","usage":{"input_tokens":11,"cached_input_tokens":0,"output_tokens":5}}\n'"#;
const GEMINI: &str = r#"prompt=$(cat); all="$*"; session=new-1
case "$all" in *"--resume "*) session=${all##*--resume };; esac
printf '{"type":"init","session_id":"%s","model":"m"}\n{"type":"message","role":"user","content":"%s"}\n' "$session" "$prompt"
printf '{"type":"message","role":"assistant","content":"%s|%s","delta":true}\n{"type":"message","role":"assistant","content":"|%s","delta":true}\n' "$prompt" "$*" "$(pwd -P)"
printf '{"type":"result","status":"success","stats":{"input_tokens":11,"output_tokens":5}}\n'"#;

#[tokio::test]
async fn each_agent_gets_prompt_permission_folder_and_session_and_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    fs::create_dir(folder.join("work")).unwrap();
    for (name, content, sandboxed) in [
        ("claude-code", CLAUDE, "--permission-mode plan"),
        ("codex", CODEX, "--sandbox read-only"),
        ("gemini", GEMINI, "--approval-mode default"),
    ] {
        let settings = settings(&folder, played(name, &script(&folder, name, content)));
        let first = call(
            &settings,
            json!({ "prompt": "Review", "cwd": "work", "sandbox": "read_only" }),
        )
        .await
        .unwrap();
        assert_eq!(first["sessionId"], "new-1", "{name}");
        assert_eq!(
            (
                &first["usage"]["inputTokens"],
                &first["usage"]["outputTokens"]
            ),
            (&json!(11), &json!(5)),
            "{name}"
        );
        let said: Vec<&str> = first["response"].as_str().unwrap().split('|').collect();
        assert_eq!(
            (said[0], said[2]),
            ("Review", folder.join("work").to_str().unwrap()),
            "{name}"
        );
        assert!(said[1].contains(sandboxed), "{name}: {said:?}");
        let second = call(
            &settings,
            json!({ "prompt": "Again", "cwd": "work", "sandbox": "read_only", "session": "s-7" }),
        )
        .await
        .unwrap();
        assert_eq!(second["sessionId"], "s-7", "{name}: {second}");
    }
}

/// Claude Code and Gemini keep sessions for each folder, so a fork in another copy cannot continue them.
#[tokio::test]
async fn a_turn_whose_session_is_lost_begins_a_new_one_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    for (name, content, lost) in [
        (
            "claude-code",
            CLAUDE,
            "No conversation found with session ID: s-7",
        ),
        (
            "gemini",
            GEMINI,
            "Error resuming session: No previous sessions found for this project.",
        ),
    ] {
        let content = format!(
            "case \"$*\" in *--resume*) cat > /dev/null; echo '{lost}' >&2; exit 1;; esac\n{content}"
        );
        let settings = settings(&folder, played(name, &script(&folder, name, &content)));
        let cx = ToolContext::default();
        let printed = cx.printed.clone();
        let said = call_with(
            &settings,
            json!({ "prompt": "Again", "session": "s-7" }),
            cx,
        )
        .await
        .unwrap();
        assert_eq!(said["sessionId"], "new-1", "{name}");
        assert_eq!(said["newSession"], true, "{name}");
        let warnings = printed.take_warnings();
        assert_eq!(warnings.len(), 1, "{name}: {warnings:?}");
        assert_eq!(warnings[0].0, "agent_session_lost");
        assert!(
            warnings[0].1.contains(lost.trim_end_matches('.')),
            "{warnings:?}"
        );
    }
}

#[tokio::test]
async fn nothing_is_started_that_was_not_approved_word_for_word() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    let program = script(
        &folder,
        "claude",
        "touch started; cat >/dev/null; echo '{}'",
    );
    let mut settings = settings(&folder, played("claude-code", &program));
    let tool = |settings: &ToolSettings| {
        ToolSet::new(settings)
            .find("agent:played-claude-code")
            .unwrap()
    };
    let asked = args(json!({ "prompt": "Go", "sandbox": "read_only" }));
    settings.grants = tool(&settings)
        .needs(&asked)
        .iter()
        .map(Need::item)
        .collect();
    for other in [
        json!({ "prompt": "Go", "sandbox": "full" }),
        json!({ "prompt": "Go", "sandbox": "read_only", "cwd": ".." }),
        json!({ "prompt": "Go", "sandbox": "read_only", "env": ["A_KEY"] }),
    ] {
        let error = tool(&settings)
            .call(None, args(other), ToolContext::default())
            .await
            .unwrap_err();
        assert_eq!(error.code, "not_approved", "{error}");
    }
    assert!(!folder.join("started").exists());
}

#[tokio::test]
async fn it_sees_the_variables_that_it_was_given_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(
        folder.path(),
        "own",
        "cat >/dev/null; echo \"working\"; printf '{\"out\":{\"text\":\"%s\"}}' \"$(env | cut -d= -f1 | sort | tr '\\n' ' ')$([ \"$A_KEY\" = secret-of-A_KEY ] && echo same)$A_KEY\"",
    );
    let settings = settings(
        folder.path(),
        Runner {
            name: "own".to_owned(),
            command: program.display().to_string(),
            args: Vec::new(),
            resume: Vec::new(),
            resume_first: false,
            format: crate::Format::Own {
                response: Some("out.text".to_owned()),
                session: None,
            },
            sandboxes: ["a", "b", "c"].map(str::to_owned),
            env: Vec::new(),
        },
    );
    let noted = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&noted);
    let cx = ToolContext {
        trust_log: TrustLog::new(move |note| into.lock().unwrap().extend(note.items)),
        ..ToolContext::default()
    };
    let asked = json!({ "prompt": "Go", "env": ["A_KEY"] });
    let said = call_with(&settings, asked, cx).await.unwrap();
    assert_eq!(*noted.lock().unwrap(), ["key:A_KEY"]);
    let said = said["response"].as_str().unwrap();
    assert!(
        // The program receives the key, but the key is removed from its output.
        said.contains("A_KEY") && said.ends_with("same***") && said.contains("PATH"),
        "{said}"
    );
    assert!(!said.contains("CARGO_MANIFEST"), "{said}");
    let error = call(&settings, json!({ "prompt": "Go", "session": "s" }))
        .await
        .unwrap_err();
    assert!(error.contains("cannot resume a session"), "{error}");
}

/// Returns whether a process exists and is not a zombie.
fn lives(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .trim_start()
            .starts_with('Z')
    })
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn cancelling_and_timeouts_end_the_whole_tree() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(
        folder.path(),
        "claude",
        "trap '' TERM; (trap '' TERM; sleep 300 & echo $! >> pids; wait) & echo $! >> pids; echo $$ >> pids; echo ready > ready; wait",
    );
    for by_timeout in [false, true] {
        let _ = fs::remove_file(folder.path().join("pids"));
        let _ = fs::remove_file(folder.path().join("ready"));
        let mut settings = settings(folder.path(), played("claude-code", &program));
        let asked = args(json!({ "prompt": "Go", "timeout": if by_timeout { 2 } else { 600 } }));
        let find = |settings: &ToolSettings| {
            ToolSet::new(settings)
                .find("agent:played-claude-code")
                .unwrap()
        };
        settings.grants = find(&settings)
            .needs(&asked)
            .iter()
            .map(Need::item)
            .collect();
        let cancel = CancellationToken::new();
        let cx = ToolContext {
            cancel: cancel.clone(),
            ..ToolContext::default()
        };
        let call = tokio::spawn(find(&settings).call(None, asked, cx));
        let began = Instant::now();
        let pids = loop {
            let pids = fs::read_to_string(folder.path().join("pids")).unwrap_or_default();
            if folder.path().join("ready").exists() && pids.lines().count() == 3 {
                break pids;
            }
            assert!(
                began.elapsed() < Duration::from_secs(20),
                "it did not start"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        assert!(by_timeout || pids.lines().all(lives), "{pids}");
        if !by_timeout {
            cancel.cancel();
        }
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.code, if by_timeout { "timeout" } else { "cancelled" });
        let began = Instant::now();
        while pids.lines().any(lives) {
            assert!(
                began.elapsed() < Duration::from_secs(5),
                "{pids} still live"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_or_fails_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let settings_of = |program: &Path| settings(folder.path(), played("codex", program));
    let error = call(
        &settings_of(Path::new("/no/such/program")),
        json!({ "prompt": "Go" }),
    )
    .await
    .unwrap_err();
    assert!(
        error.starts_with("agent_not_started") && error.contains("Settings"),
        "{error}"
    );
    let fails = script(folder.path(), "fails", "echo 'no credit left' >&2; exit 3");
    let error = call(&settings_of(&fails), json!({ "prompt": "Go" }))
        .await
        .unwrap_err();
    assert!(
        error.starts_with("agent_failed") && error.contains("no credit left"),
        "{error}"
    );
    // Excessive output is reported at once, even if the program would keep running.
    for content in [
        "yes | head -c 20000000",
        "trap '' PIPE; yes 2>/dev/null | head -c 20000000; sleep 300",
    ] {
        let talks = script(folder.path(), "talks", content);
        let began = Instant::now();
        let error = call(&settings_of(&talks), json!({ "prompt": "Go" }))
            .await
            .unwrap_err();
        assert!(error.contains("more than the maximum of 16 MB"), "{error}");
        assert!(began.elapsed() < Duration::from_secs(150), "{content}");
    }
}

/// Returns a custom agent program with these arguments. Its whole output is its answer.
fn own(command: &Path, args: &[&str], resume: &[&str]) -> Runner {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Runner {
        name: "own".to_owned(),
        command: command.display().to_string(),
        args: texts(args),
        resume: texts(resume),
        resume_first: false,
        format: crate::Format::Own {
            response: None,
            session: None,
        },
        sandboxes: ["a", "b", "c"].map(str::to_owned),
        env: Vec::new(),
    }
}

/// A process left behind in its own session keeps the program's output and input open. The answer is available once the program
/// has exited.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_answer_is_given_although_a_child_holds_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(
        folder.path(),
        "leaves",
        "setsid sleep 30 <&0 & echo $! > pid; echo Done.",
    );
    let settings = settings(folder.path(), own(&program, &[], &[]));
    let began = Instant::now();
    // The prompt is larger than a pipe's buffer, so the program ends before its whole input is written.
    let prompt = "Go ".repeat(100_000);
    let said = call(&settings, json!({ "prompt": prompt })).await.unwrap();
    assert_eq!(said["response"], "Done.");
    assert!(began.elapsed() < Duration::from_secs(10));
    let pid = fs::read_to_string(folder.path().join("pid")).unwrap();
    // Nothing supervises this process, which has left Loopwright's process group.
    let _ = std::process::Command::new("kill").arg(pid.trim()).status();
}

#[tokio::test]
async fn a_prompt_is_never_taken_for_an_option() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(folder.path(), "echoes", "printf '%s|' \"$@\"");
    let prompt = "--yolo rm -rf";
    for args in [
        &["{prompt}"][..],
        &["-p", "{prompt}"],
        &["{prompt} please", "--"],
    ] {
        let settings = settings(folder.path(), own(&program, args, &[]));
        let error = call(&settings, json!({ "prompt": prompt }))
            .await
            .unwrap_err();
        assert!(
            error.starts_with("tool_bad_arguments") && error.contains("standard input"),
            "{args:?}: {error}"
        );
        let said = call(&settings, json!({ "prompt": "Go" })).await.unwrap();
        assert!(said["response"].as_str().unwrap().contains("Go"));
    }
    for (args, said) in [
        (&["--", "{prompt}"][..], "--|--yolo rm -rf|"),
        (&["--prompt={prompt}"], "--prompt=--yolo rm -rf|"),
    ] {
        let settings = settings(folder.path(), own(&program, args, &[]));
        let came = call(&settings, json!({ "prompt": prompt })).await.unwrap();
        assert_eq!(came["response"], said);
    }
}

#[tokio::test]
async fn what_is_added_to_resume_a_session_is_approved_with_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(folder.path(), "own", "touch started; cat >/dev/null");
    let mut settings = settings(
        folder.path(),
        own(&program, &["-q"], &["--resume", "{session}"]),
    );
    let find = |settings: &ToolSettings| ToolSet::new(settings).find("agent:own").unwrap();
    let asked = args(json!({ "prompt": "Go", "session": "s" }));
    let needs = find(&settings).needs(&asked);
    assert!(
        needs[0]
            .what
            .contains("own -q [resumed: --resume {session}] in "),
        "{needs:?}"
    );
    settings.grants = needs.iter().map(Need::item).collect();
    settings.agents[0].resume = vec!["--do-anything".to_owned()];
    let refused = find(&settings)
        .call(None, asked, ToolContext::default())
        .await;
    assert_eq!(refused.unwrap_err().code, "not_approved");
    assert!(!folder.path().join("started").exists());
}
