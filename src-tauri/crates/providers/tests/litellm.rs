//! A real server of somebody else's: LiteLLM's proxy with mocked answers, from PyPI, in a virtual environment that is kept in
//! the target folder. It speaks chat completions and the Messages API. Where there is no Python, or the registry cannot be
//! reached in time, the test says so and passes.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    io::Write as _,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use loopwright_engine::host::{ModelRequest, TokenSink};
use loopwright_providers::{Limits, ModelProvider, Protocol, Remote, RemoteConfig, Secret};
use tokio_util::sync::CancellationToken;

/// The version that the test was written with.
const PACKAGE: &str = "litellm[proxy]==1.106.2";

/// How long the installation and the start may take.
const INSTALL: Duration = Duration::from_secs(240);
const START: Duration = Duration::from_secs(60);

const KEY: &str = "sk-local-master";

const CONFIG: &str = "
model_list:
  - model_name: mocked
    litellm_params:
      model: openai/gpt-4o-mini
      api_key: none
      mock_response: 'An answer that nobody thought of.'
general_settings:
  master_key: sk-local-master
litellm_settings:
  telemetry: false
";

/// Not `eprintln`, which tests that pass keep to themselves.
fn skipped(why: &str) {
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: the test against LiteLLM's proxy: {why}"
    );
}

/// Waits for a program, no longer than `patience`.
fn within(mut child: Child, patience: Duration) -> Result<(), String> {
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("it ended with {status}")),
            Ok(None) if began.elapsed() < patience => {
                std::thread::sleep(Duration::from_millis(100))
            }
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it took longer than {} s", patience.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn quiet(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The Python of the environment with LiteLLM in it, made once.
fn environment() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("litellm-venv");
    let python = folder.join("bin/python");
    let done = folder.join("installed");
    if fs::read_to_string(&done).is_ok_and(|package| package == PACKAGE) {
        return Ok(python);
    }
    let make = quiet("python3").args(["-m", "venv"]).arg(&folder).spawn();
    let make = make.map_err(|error| format!("there is no python3 ({error})"))?;
    within(make, START).map_err(|why| format!("no virtual environment could be made: {why}"))?;
    let install = quiet(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--prefer-binary",
            PACKAGE,
        ])
        .spawn()
        .map_err(|error| format!("pip cannot be run ({error})"))?;
    within(install, INSTALL).map_err(|why| format!("{PACKAGE} could not be installed: {why}"))?;
    fs::write(&done, PACKAGE).map_err(|error| error.to_string())?;
    Ok(python)
}

/// The server, which ends with the test.
struct Proxy {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn start(python: &Path) -> Result<Proxy, String> {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.yaml");
    fs::write(&config, CONFIG).unwrap();
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let child = quiet(python)
        .args([
            "-c",
            "from litellm import run_server; run_server()",
            "--host",
            "127.0.0.1",
            "--port",
        ])
        .arg(port.to_string())
        .arg("--config")
        .arg(&config)
        .current_dir(folder.path())
        // Prices come with the package; nothing is fetched.
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .env("LITELLM_MODE", "PRODUCTION")
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut proxy = Proxy {
        child,
        port,
        _folder: folder,
    };
    let began = Instant::now();
    while remote(&proxy, Protocol::ChatCompletions)
        .models()
        .await
        .is_err()
    {
        if let Ok(Some(status)) = proxy.child.try_wait() {
            return Err(format!("the server ended with {status}"));
        }
        if began.elapsed() > START {
            return Err(format!("the server did not start in {} s", START.as_secs()));
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    Ok(proxy)
}

fn remote(proxy: &Proxy, protocol: Protocol) -> Remote {
    let root = format!("http://127.0.0.1:{}", proxy.port);
    Remote::new(RemoteConfig {
        id: "compatible".to_owned(),
        name: "LiteLLM".to_owned(),
        base_url: match protocol {
            Protocol::ChatCompletions => format!("{root}/v1"),
            _ => root,
        },
        key: Some(Secret::new(KEY)),
        protocol,
        limits: Limits {
            idle: Duration::from_secs(30),
            ..Limits::default()
        },
    })
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_server_is_understood() {
    let python = match tokio::task::spawn_blocking(environment).await.unwrap() {
        Ok(python) => python,
        Err(why) => return skipped(&why),
    };
    // It is installed: from here on what fails is a failure.
    let proxy = start(&python).await.unwrap();
    for protocol in [Protocol::ChatCompletions, Protocol::Messages] {
        let ask = |model: &str| ModelRequest {
            model: Some(model.to_owned()),
            system: Some("Be brief.".to_owned()),
            prompt: "Hello".to_owned(),
            max_tokens: Some(50),
            ..ModelRequest::default()
        };
        let server = remote(&proxy, protocol.clone());
        let call = |request| server.call(request, TokenSink::none(), CancellationToken::new());
        let reply = call(ask("mocked")).await.unwrap();
        assert_eq!(
            reply.text, "An answer that nobody thought of.",
            "{protocol:?}"
        );
        assert!(reply.usage.output_tokens > 0, "{protocol:?}: {reply:?}");
        let error = call(ask("no-such-model")).await.unwrap_err();
        assert!(error.code.starts_with("http_4"), "{protocol:?}: {error:?}");
        assert!(!error.is_uncertain());
    }
    let listed = remote(&proxy, Protocol::ChatCompletions)
        .test()
        .await
        .unwrap();
    assert_eq!(listed.models[0].id, "mocked");
}
