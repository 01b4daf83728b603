//! Tests programs that fork, leave their group and ignore signals, below a supervisor. None of their processes remains after
//! the program has exited, after it is dropped, or after its starter is killed. This test program is its own supervisor, so
//! it needs its own `main`.
#![allow(clippy::unwrap_used)]

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    return linux::main();
    #[cfg(not(target_os = "linux"))]
    ExitCode::SUCCESS
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        env, fs,
        io::Read as _,
        path::Path,
        process::{Command, ExitCode, Stdio},
        thread,
        time::{Duration, Instant},
    };

    use loopwright_process::{Program, Running, all_ended, supervise_if_asked};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    /// Five processes: the program, its child, and three in their own sessions. All ignore SIGTERM and SIGHUP. Each writes
    /// its id to a file.
    const STUBBORN: &str = r#"trap '' TERM HUP
echo $$ >> pids
(sleep 300 & echo $! >> pids; wait) &
setsid sh -c 'echo $$ >> pids; setsid sh -c "echo \$\$ >> pids; (sleep 300 & echo \$! >> pids; wait); :" & wait' &
"#;

    pub(crate) fn main() -> ExitCode {
        // Window libraries start threads before any code of this program runs, even in its supervisors. Such a thread
        // receives signals that other threads block.
        for _ in 0..4 {
            thread::spawn(|| thread::sleep(Duration::from_secs(60)));
        }
        if let Some(code) = supervise_if_asked() {
            return code;
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        if let Ok(folder) = env::var("STARTS_IN") {
            return runtime.block_on(starts_and_waits(Path::new(&folder)));
        }
        runtime.block_on(async {
            an_exit_ends_what_was_left_running().await;
            dropping_ends_everything().await;
            a_killed_starter_leaves_nothing().await;
            ending_the_supervisor_ends_the_program().await;
            a_killed_supervisor_leaves_nothing().await;
            input_output_status_and_errors_are_the_programs_own().await;
            every_exit_is_noticed().await;
        });
        println!("all of the supervisor's tests passed");
        ExitCode::SUCCESS
    }

    fn shell(folder: &Path, script: &str) -> Program {
        Program {
            command: "sh".into(),
            args: vec!["-c".into(), script.into()],
            cwd: Some(folder.to_path_buf()),
            env: vec![("PATH".into(), env::var_os("PATH").unwrap())],
        }
    }

    /// Plays the role of Loopwright: starts the program and is killed.
    async fn starts_and_waits(folder: &Path) -> ExitCode {
        let _running = shell(folder, &format!("{STUBBORN} wait"))
            .start()
            .await
            .unwrap();
        tokio::time::sleep(Duration::from_secs(300)).await;
        ExitCode::FAILURE
    }

    fn lives(pid: &str) -> bool {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.is_ok_and(|stat| !stat.rsplit_once(')').unwrap().1.starts_with(" Z"))
    }

    fn living(folder: &Path) -> Vec<String> {
        let pids = fs::read_to_string(folder.join("pids")).unwrap_or_default();
        pids.lines()
            .filter(|pid| lives(pid))
            .map(str::to_owned)
            .collect()
    }

    async fn until(what: &str, mut reached: impl FnMut() -> bool) {
        let began = Instant::now();
        while !reached() {
            assert!(began.elapsed() < Duration::from_secs(10), "{what}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn until_all_five_run(folder: &Path) {
        until("five processes run", || living(folder).len() == 5).await;
    }

    async fn until_none_is_left(folder: &Path) {
        let began = Instant::now();
        until("none is left", || living(folder).is_empty()).await;
        assert!(
            began.elapsed() < Duration::from_secs(3),
            "{:?}",
            began.elapsed()
        );
    }

    /// The exit is noticed even if another thread of the supervisor receives the signal.
    async fn every_exit_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        for at in 0..60 {
            let mut running = shell(folder.path(), "sleep 0.03").start().await.unwrap();
            let exited = tokio::time::timeout(Duration::from_secs(10), running.exited()).await;
            assert!(exited.is_ok(), "the end of program {at} was not noticed");
            running.end().await;
        }
    }

    async fn an_exit_ends_what_was_left_running() {
        let folder = tempfile::tempdir().unwrap();
        // The program exits once all of its children are running.
        let script =
            format!("{STUBBORN} while [ $(wc -l < pids) -lt 5 ]; do sleep 0.01; done; exit 7");
        let mut running = shell(folder.path(), &script).start().await.unwrap();
        let mut stdout = running.stdout.take().unwrap();
        let status = running.exited().await.unwrap();
        assert_eq!(status.code(), Some(7));
        // The children keep the program's output open until they are ended.
        let mut all = Vec::new();
        tokio::time::timeout(Duration::from_secs(3), stdout.read_to_end(&mut all))
            .await
            .unwrap()
            .unwrap();
        running.end().await;
        assert!(living(folder.path()).is_empty());
    }

    async fn dropping_ends_everything() {
        let folder = tempfile::tempdir().unwrap();
        let running = shell(folder.path(), &format!("{STUBBORN} wait"))
            .start()
            .await
            .unwrap();
        until_all_five_run(folder.path()).await;
        drop(running);
        all_ended(Duration::from_secs(3)).await;
        until_none_is_left(folder.path()).await;
    }

    async fn a_killed_starter_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut starter = Command::new(env::current_exe().unwrap())
            .env("STARTS_IN", folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        until_all_five_run(folder.path()).await;
        starter.kill().unwrap();
        starter.wait().unwrap();
        until_none_is_left(folder.path()).await;
    }

    async fn ending_the_supervisor_ends_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let mut running: Running = shell(
            folder.path(),
            "echo $$ >> pids; kill -TERM $PPID; sleep 0.1; kill -KILL $PPID; sleep 300",
        )
        .start()
        .await
        .unwrap();
        let error = running.exited().await.unwrap_err();
        assert!(error.to_string().contains("process supervisor"), "{error}");
        until_none_is_left(folder.path()).await;
    }

    /// Even processes that left the program's group and session are killed.
    async fn a_killed_supervisor_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let script = format!(
            "{STUBBORN} while [ $(wc -l < pids) -lt 5 ]; do sleep 0.01; done; kill -KILL $PPID; wait"
        );
        let other = shell(folder.path(), "sleep 300").start().await.unwrap();
        let mut running = shell(folder.path(), &script).start().await.unwrap();
        assert!(running.exited().await.is_err());
        until_none_is_left(folder.path()).await;
        // The program is dropped while its supervisor is killed.
        fs::remove_file(folder.path().join("pids")).unwrap();
        let dropped = shell(folder.path(), &script).start().await.unwrap();
        until("five processes run", || {
            fs::read_to_string(folder.path().join("pids"))
                .is_ok_and(|pids| pids.lines().count() == 5)
        })
        .await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        drop(dropped);
        until_none_is_left(folder.path()).await;
        let mut other = other;
        let waiting = tokio::time::timeout(Duration::from_millis(200), other.exited()).await;
        assert!(waiting.is_err(), "another program was ended too");
        other.end().await;
    }

    async fn input_output_status_and_errors_are_the_programs_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut running = shell(
            folder.path(),
            "cat; pwd -P >&2; env | grep -c = >&2; kill -INT $$",
        )
        .start()
        .await
        .unwrap();
        let mut stdin = running.stdin.take().unwrap();
        stdin.write_all(b"in and out").await.unwrap();
        drop(stdin);
        let (mut out, mut errors) = (String::new(), String::new());
        running
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut out)
            .await
            .unwrap();
        running
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut errors)
            .await
            .unwrap();
        let status = running.exited().await.unwrap();
        running.end().await;
        assert_eq!(out, "in and out");
        let at = fs::canonicalize(folder.path()).unwrap();
        assert!(errors.starts_with(at.to_str().unwrap()), "{errors}");
        assert_eq!(
            (status.code(), status.to_string()),
            (None, "signal: 2 (SIGINT)".to_owned())
        );

        let missing = Program {
            command: "/no/such/program".into(),
            ..Program::default()
        };
        let error = missing.start().await.err().unwrap();
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
        let nowhere = Program {
            cwd: Some("/no/such/folder".into()),
            ..shell(folder.path(), "true")
        };
        assert_eq!(
            nowhere.start().await.err().unwrap().kind(),
            std::io::ErrorKind::NotFound
        );

        // A supervisor that is started by hand prints what it is for.
        let mut by_hand = Command::new(env::current_exe().unwrap())
            .arg("__supervise")
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        by_hand
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert!(
            !by_hand.wait().unwrap().success() && said.contains("supervise"),
            "{said}"
        );
    }
}
