//! Tests of agent transcripts. The recorded streams were printed by the real programs, with a stand-in in place of their
//! models. Only the folders in the streams were changed.
#![cfg(unix)]

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use loopwright_engine::{
    host::{ToolContext, Tools as _},
    transcript::{Activity, ActivityKind, TranscriptLog, TranscriptPart},
    trust::{Grants, Need, Secrets},
};
use serde_json::{Map, Value, json};

use super::programs;
use crate::{Runner, ToolSet, ToolSettings, bundled_runners};

/// The result of a turn, and the parts of its transcript.
struct Turn {
    result: Result<Value, String>,
    parts: Vec<TranscriptPart>,
}

impl Turn {
    fn entries(&self) -> Vec<Activity> {
        self.parts
            .iter()
            .flat_map(TranscriptPart::activities)
            .collect()
    }

    fn lines(&self) -> Vec<String> {
        self.entries().iter().map(Activity::line).collect()
    }

    fn all(&self) -> String {
        serde_json::to_string(&self.parts).unwrap()
    }
}

/// Runs a turn of the agent `name`, with a script in place of its program.
async fn turn(folder: &Path, name: &str, script: &str, args: Value) -> Turn {
    let program = folder.join("program");
    programs::write_program(&program, &format!("#!/bin/sh\ncat > /dev/null\n{script}\n"));
    let known = bundled_runners()
        .into_iter()
        .find(|runner| runner.name == name)
        .unwrap();
    let settings = ToolSettings {
        flow_folder: Some(folder.to_path_buf()),
        agents: vec![Runner {
            name: "played".to_owned(),
            command: program.display().to_string(),
            ..known
        }],
        secrets: Secrets::new(|_| Ok(Some("sk-canary-7f3a-0911".to_owned()))),
        ..ToolSettings::default()
    };
    let args: Map<String, Value> = args.as_object().unwrap().clone();
    let find = |settings: &ToolSettings| ToolSet::new(settings).find("agent:played").unwrap();
    let grants: Grants = find(&settings)
        .needs(&args)
        .iter()
        .map(Need::item)
        .collect();
    let granted = ToolSettings { grants, ..settings };
    let parts = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&parts);
    let cx = ToolContext {
        transcript: TranscriptLog::new(move |part| into.lock().unwrap().push(part)),
        ..ToolContext::default()
    };
    let result = find(&granted).call(None, args, cx).await;
    let parts = parts.lock().unwrap().clone();
    Turn {
        result: result.map_err(|error| format!("{}: {}", error.code, error.message)),
        parts,
    }
}

/// Writes a recorded stream to the file `stream` in `folder`, with the recorded path of the project replaced by that of `folder`.
/// Returns the shell command that prints the file when it runs in `folder`.
fn prints(folder: &Path, stream: &str) -> String {
    let own = folder.display().to_string();
    fs::write(
        folder.join("stream"),
        stream.replace("/home/me/project", &own),
    )
    .unwrap();
    "cat stream".to_owned()
}

#[tokio::test]
async fn the_streams_of_the_real_programs_are_read() {
    let did = [
        "said I read the file first.",
        "edited word.txt",
        "ran grep -c new word.txt && echo 1 test passed",
        "said The word is right now.",
    ];
    for (name, stream, also) in [
        (
            "claude-code",
            include_str!("agent-streams/claude-code.jsonl"),
            &["thought The word in the file is wrong.", "read word.txt"][..],
        ),
        (
            "codex",
            include_str!("agent-streams/codex.jsonl"),
            &[
                "thought **Looking** The word in the file is wrong.",
                "ran cat word.txt",
            ],
        ),
        (
            "gemini",
            include_str!("agent-streams/gemini.jsonl"),
            &["read word.txt"],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(folder.path()).unwrap();
        let script = format!("{}; echo 'a notice' >&2", prints(&folder, stream));
        let turn = turn(
            &folder,
            name,
            &script,
            json!({ "prompt": "Correct the word." }),
        )
        .await;
        let answer = turn.result.as_ref().unwrap();
        assert_eq!(
            answer["response"].as_str().unwrap().lines().last(),
            Some(match name {
                // Gemini's answer consists of all messages of the turn.
                "gemini" => "I read the file first.The word is right now.",
                _ => "The word is right now.",
            }),
            "{name}"
        );
        assert_eq!(answer["usage"]["inputTokens"], 400, "{name}");
        let lines = turn.lines();
        let mut rest = lines.iter();
        for expected in did {
            assert!(rest.any(|line| line == expected), "{name}: {lines:?}");
        }
        for expected in also {
            assert!(
                lines.iter().any(|line| line == expected),
                "{name}: {expected}: {lines:?}"
            );
        }
        let entries = turn.entries();
        let ran = entries
            .iter()
            .rfind(|entry| entry.kind == ActivityKind::Ran)
            .unwrap();
        assert_eq!(ran.output.as_deref(), Some("1\n1 test passed"), "{name}");
        assert_eq!(ran.failed, Some(false), "{name}");
        let last = entries.last().unwrap();
        assert_eq!(
            (last.kind, last.output.as_deref()),
            (ActivityKind::Printed, Some("a notice")),
            "{name}"
        );
        let progress = &turn.parts.last().unwrap().progress;
        assert_eq!(progress.line, "said The word is right now.");
        assert_eq!(
            progress.input_tokens,
            (name == "claude-code").then_some(400)
        );
    }
}

#[tokio::test]
async fn a_hostile_program_harms_neither_memory_nor_the_record_nor_the_display() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    let script = r#"
printf '{"type":"system","x":"'; head -c 104857600 /dev/zero | tr '\0' x; printf '"}\n'
printf '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"\\u001b[31mred\\u001b[0m \\u0007 \\u202egnp \\u0000\377\376"}]}}\n'
printf '{"type":"assistant","message":[{{{\n'
printf '{"type":"assistant","message":{"content":"no list"}}\n{"type":"user"}\n[1]\n{"type":7}\n'
i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo '{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}'; done
printf '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"'; head -c 6000000 /dev/zero | tr '\0' y; printf 'the end"}]}}\n'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s"}'"#;
    let turn = turn(&folder, "claude-code", script, json!({ "prompt": "Go" })).await;
    assert_eq!(turn.result.as_ref().unwrap()["response"], "Done.");
    let entries = turn.entries();
    assert!(
        entries[0]
            .text
            .starts_with("A line of 100 MB in the agent's output was skipped"),
        "{}",
        entries[0].text
    );
    assert_eq!(entries[1].text, "red  gnp ��");
    let with_output = entries.iter().find(|entry| entry.output.is_some()).unwrap();
    assert!(with_output.output.as_ref().unwrap().ends_with("yyythe end"));
    assert!(with_output.cut > 5_000_000);
    assert!(entries.len() <= 2_000);
    assert_eq!(turn.parts.last().unwrap().progress.count, 3_002);
    assert!(turn.all().len() < 1_500_000);
}

#[tokio::test]
async fn a_secret_is_in_no_transcript_even_if_it_is_printed_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    for (name, script) in [
        (
            "claude-code",
            r#"printf '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"%s and \\u0073k-canary-7f3a-0911"},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"curl -H %s"}}]}}\n' "$A_KEY" "$A_KEY"
printf '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"sk-can\\u001b[0mary-7f3a-0911"}]}}\n'
echo "$A_KEY" >&2
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s"}'"#,
        ),
        (
            "gemini",
            r#"printf '{"type":"init","session_id":"s"}\n'
printf '{"type":"message","role":"assistant","content":"It is sk-canary","delta":true}\n{"type":"message","role":"assistant","content":"-7f3a-0911.","delta":true}\n'
printf '{"type":"tool_use","tool_name":"run_shell_command","tool_id":"t","parameters":{"command":"echo %s"}}\n' "$A_KEY"
printf '{"type":"result","status":"success","stats":{}}\n'"#,
        ),
        (
            "codex",
            r#"printf '{"type":"thread.started","thread_id":"s"}\n{"type":"item.completed","item":{"id":"1","type":"command_execution","command":"bash -lc env","aggregated_output":"A_KEY=%s","exit_code":0}}\n' "$A_KEY"
printf '{"type":"item.completed","item":{"id":"2","type":"agent_message","text":"Done."}}\n'"#,
        ),
    ] {
        let args = json!({ "prompt": "Go", "env": ["A_KEY"] });
        let turn = turn(&folder, name, script, args).await;
        let answer = turn.result.as_ref().unwrap().to_string();
        for text in [&answer, &turn.all()] {
            assert!(
                !text.contains("canary") && !text.contains("7f3a"),
                "{name}: {text}"
            );
        }
        assert!(turn.all().contains("***"), "{name}: {}", turn.all());
    }
}

#[tokio::test]
async fn a_turn_that_is_ended_keeps_what_it_had_done() {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    let script = r#"printf '{"type":"thread.started","thread_id":"s"}\n{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"Look."}}\n'
printf '{"type":"item.started","item":{"id":"2","type":"command_execution","command":"npm test"}}\n'
echo 'a warning' >&2
sleep 60"#;
    let turn = turn(
        &folder,
        "codex",
        script,
        json!({ "prompt": "Go", "timeout": 2 }),
    )
    .await;
    assert!(turn.result.as_ref().unwrap_err().starts_with("timeout"));
    assert!(
        turn.parts
            .iter()
            .any(|part| part.progress.line == "running npm test"),
        "the line is passed on while the command runs: {:?}",
        turn.parts
    );
    assert_eq!(
        turn.lines(),
        ["said Look.", "ran npm test", "printed on standard error"]
    );
}
