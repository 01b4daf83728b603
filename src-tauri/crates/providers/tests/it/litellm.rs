//! Tests against a real third-party server: LiteLLM's proxy with mocked answers. It is installed from PyPI into a virtual
//! environment in the target folder. It speaks chat completions and the Messages API. Without Python, or if the registry
//! cannot be reached in time, the test says so and passes.

#![allow(clippy::unwrap_used)]

use crate::registries;

use std::{
    fs,
    net::TcpListener,
    path::Path,
    process::Child,
    time::{Duration, Instant},
};

use loopwright_engine::host::{ModelContext, ModelRequest};
use loopwright_providers::{Limits, ModelProvider, Protocol, Remote, RemoteConfig, Secret};
use registries::{quiet, skipped};

/// The version for which the test was written.
const PACKAGE: &str = "litellm[proxy]==1.106.2";

/// The maximum time that the server may take to start. The first start compiles the modules that it loads.
const START: Duration = Duration::from_secs(180);

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

/// The server, which is killed on drop.
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
        // The package contains the prices, so nothing is fetched.
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
    let install = || registries::python("litellm-venv", &[PACKAGE]);
    let programs = match tokio::task::spawn_blocking(install).await.unwrap() {
        Ok(programs) => programs,
        Err(why) => return skipped("the test against LiteLLM's proxy", &why),
    };
    // The package is installed: from here on, every error fails the test.
    let proxy = start(&programs.join("python")).await.unwrap();
    for protocol in [Protocol::ChatCompletions, Protocol::Messages] {
        let ask = |model: &str| ModelRequest {
            model: Some(model.to_owned()),
            system: Some("Be brief.".to_owned()),
            prompt: "Hello".to_owned(),
            max_tokens: Some(50),
            ..ModelRequest::default()
        };
        let server = remote(&proxy, protocol.clone());
        let call = |request| server.call(request, ModelContext::default());
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
