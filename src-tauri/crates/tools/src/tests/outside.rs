//! Tests of the tools with external access, over real sockets and folders: what they refuse, send and limit.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use loopwright_engine::{
    host::{ToolContext, Tools as _},
    trust::{self, Consent, Grants, Secrets},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::tls;
use crate::{SearchEngine, ToolSet, ToolSettings, WebSearch};

/// The requests that a server received.
type Seen = Arc<Mutex<Vec<String>>>;

/// Answers each connection with the next of `answers`, in which `HOST` is the server's own address. Returns the address and the
/// requests.
async fn serve(answers: Vec<String>) -> (String, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let seen = Seen::default();
    let (host, into) = (address.clone(), Arc::clone(&seen));
    tokio::spawn(async move {
        for answer in answers {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 65536];
            let length = socket.read(&mut request).await.unwrap();
            let text = String::from_utf8_lossy(&request[..length]).into_owned();
            into.lock().unwrap().push(text);
            // The client may close the connection once it has read enough.
            let _ = socket
                .write_all(answer.replace("HOST", &host).as_bytes())
                .await;
        }
    });
    (address, seen)
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn settings(grants: &[String]) -> ToolSettings {
    ToolSettings {
        grants: grants.iter().cloned().collect::<Grants>(),
        secrets: Secrets::new(|name| Ok((name != "MISSING").then(|| format!("secret-of-{name}")))),
        ..ToolSettings::default()
    }
}

async fn call(
    settings: &ToolSettings,
    tool: &str,
    consent: Consent,
    args: Value,
) -> Result<Value, String> {
    let found = ToolSet::new(settings).find(tool).unwrap();
    let args = args.as_object().unwrap().clone();
    let cx = ToolContext {
        consent,
        ..ToolContext::default()
    };
    found
        .call(None, args, cx)
        .await
        .map_err(|error| format!("{}: {}", error.code, error.message))
}

#[tokio::test]
async fn addresses_are_refused_or_reached_as_was_granted_and_consented() {
    let ok = || vec![answer("200 OK", "", "hello")];
    // The grants (`SELF` is this server), the consent, the address, and the resulting error code.
    let rows: &[(&[&str], Consent, &str, &str)] = &[
        (&[], Consent::None, "http://SELF/", "address_refused"),
        (
            &["host:*"],
            Consent::None,
            "http://SELF/",
            "address_refused",
        ),
        (&["private:SELF"], Consent::None, "http://SELF/", ""),
        (
            &["private:127.0.0.1"],
            Consent::None,
            "http://SELF/",
            "address_refused",
        ),
        (&[], Consent::General, "http://SELF/", "address_refused"),
        // The user saw the address and allowed the call.
        (&[], Consent::Call, "http://SELF/", ""),
        // The same address in other notations.
        (
            &["host:*"],
            Consent::None,
            "http://2130706433:PORT/",
            "address_refused",
        ),
        (
            &["host:*"],
            Consent::None,
            "http://0x7f.1:PORT/",
            "address_refused",
        ),
        (
            &["host:*"],
            Consent::None,
            "http://[::ffff:127.0.0.1]:PORT/",
            "address_refused",
        ),
        (
            &["host:*"],
            Consent::None,
            "http://localhost:PORT/",
            "address_refused",
        ),
        (
            &["host:localhost:PORT"],
            Consent::None,
            "http://localhost:PORT/",
            "address_refused",
        ),
        (
            &["private:localhost:PORT"],
            Consent::None,
            "http://localhost:PORT/",
            "",
        ),
        (
            &["host:*"],
            Consent::None,
            "http://169.254.169.254/latest/meta-data/",
            "address_refused",
        ),
        (
            &["host:*"],
            Consent::General,
            "http://[fd00:ec2::254]/",
            "address_refused",
        ),
        (
            &["host:*"],
            Consent::None,
            "http://0.0.0.0:PORT/",
            "address_refused",
        ),
        (
            &["host:*"],
            Consent::None,
            "http://0177.0.0.1:PORT/",
            "address_refused",
        ),
        (
            &["host:*"],
            Consent::None,
            "http://127.0.0.1.:PORT/",
            "address_refused",
        ),
        (
            &["host:*"],
            Consent::General,
            "http://[::1]:PORT/",
            "address_refused",
        ),
        (
            &["host:*"],
            Consent::General,
            "http://[64:ff9b::7f00:1]:PORT/",
            "address_refused",
        ),
        (
            &["host:*"],
            Consent::General,
            "http://[2002:a9fe:a9fe::]/",
            "address_refused",
        ),
        (&[], Consent::None, "http://1.1.1.1/", "not_approved"),
        (
            &["host:1.0.0.1"],
            Consent::None,
            "http://1.1.1.1/",
            "not_approved",
        ),
        (
            &["host:1.1.1.1"],
            Consent::None,
            "http://1.1.1.1:8080/",
            "not_approved",
        ),
        (
            &["host:*"],
            Consent::Call,
            "file:///etc/passwd",
            "tool_bad_arguments",
        ),
        (
            &["host:*"],
            Consent::Call,
            "gopher://x/",
            "tool_bad_arguments",
        ),
    ];
    for (grants, consent, url, expected) in rows {
        let (address, _) = serve(ok()).await;
        let port = address.rsplit(':').next().unwrap().to_owned();
        let fill = |text: &str| text.replace("SELF", &address).replace("PORT", &port);
        let grants: Vec<String> = grants.iter().map(|item| fill(item)).collect();
        let came = call(
            &settings(&grants),
            "http.request",
            *consent,
            json!({ "url": fill(url) }),
        )
        .await;
        match (&came, *expected) {
            (Ok(reply), "") => assert_eq!(reply["body"], "hello"),
            (Err(error), code) if !code.is_empty() => {
                assert!(
                    error.starts_with(&format!("{code}: ")),
                    "{grants:?} {consent:?} {url}: {error}"
                );
                assert!(
                    code.starts_with("tool") || error.contains("--allow"),
                    "{error}"
                );
            }
            _ => panic!("{grants:?} {consent:?} {url}: {came:?}"),
        }
    }
}

#[tokio::test]
async fn redirects_are_checked_again_and_followed_without_credentials() {
    let (other, heard) = serve(vec![answer("200 OK", "", "elsewhere"); 2]).await;
    let to = |place: &str| answer("302 Found", &format!("Location: {place}\r\n"), "");
    let (first, _) = serve(vec![
        to(&format!("http://{other}/")),
        to(&format!("http://{other}/")),
    ])
    .await;
    let args = json!({
        "url": format!("http://{first}/"), "method": "POST", "body": "x",
        "headers": { "Authorization": "Bearer abc", "X-Own": "1", "Cookie": "c=1" }
    });
    // Only the first server is allowed. The second is refused even if the user allowed the call, because the question did
    // not show it.
    let only = [format!("private:{first}")];
    let error = call(
        &settings(&only),
        "http.request",
        Consent::Call,
        args.clone(),
    )
    .await
    .unwrap_err();
    assert!(
        error.starts_with("address_refused") && error.contains(&other),
        "{error}"
    );
    assert!(heard.lock().unwrap().is_empty());
    let both = [format!("private:{first}"), format!("private:{other}")];
    let reply = call(&settings(&both), "http.request", Consent::None, args)
        .await
        .unwrap();
    assert_eq!(reply["body"], "elsewhere");
    let request = heard.lock().unwrap()[0].to_lowercase();
    assert!(request.starts_with("get / "), "{request}");
    for field in ["authorization", "x-own", "cookie"] {
        assert!(!request.contains(field), "{request}");
    }
    // Cloud metadata, and this computer under another name, are refused even if all hosts are granted.
    for place in [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]:1/",
        "http://0177.0.0.1/",
        "//localhost:1/",
    ] {
        let (leading, _) = serve(vec![to(place)]).await;
        let error = call(
            &settings(&[format!("private:{leading}"), "host:*".to_owned()]),
            "http.request",
            Consent::Call,
            json!({ "url": format!("http://{leading}/") }),
        )
        .await
        .unwrap_err();
        assert!(error.starts_with("address_refused"), "{place}: {error}");
    }
    // On the same host the headers are kept.
    let (same, heard) = serve(vec![
        answer("307 Temporary Redirect", "Location: /b\r\n", ""),
        answer("200 OK", "Content-Type: application/json\r\n", "{\"a\":1}"),
    ])
    .await;
    let args = json!({ "url": format!("http://{same}/a"), "method": "PUT", "body": { "b": 2 }, "headers": { "X-Own": "1" } });
    let reply = call(
        &settings(&[format!("private:{same}")]),
        "http.request",
        Consent::None,
        args,
    )
    .await
    .unwrap();
    assert_eq!(reply["body"], json!({ "a": 1 }));
    let second = heard.lock().unwrap()[1].clone();
    assert!(
        second.starts_with("PUT /b ")
            && second.contains("x-own: 1")
            && second.ends_with("{\"b\":2}"),
        "{second}"
    );
    // An endless redirect is cut off, and other redirect targets are refused.
    let (round, _) = serve(vec![to("/"); 9]).await;
    let error = call(
        &settings(&[format!("private:{round}")]),
        "http.request",
        Consent::None,
        json!({ "url": format!("http://{round}/") }),
    )
    .await;
    assert!(error.unwrap_err().contains("more than 5"));
    let (file, _) = serve(vec![to("file:///etc/passwd")]).await;
    let error = call(
        &settings(&[format!("private:{file}")]),
        "http.request",
        Consent::None,
        json!({ "url": format!("http://{file}/") }),
    )
    .await;
    assert!(error.unwrap_err().starts_with("tool_bad_arguments"));
}

#[tokio::test]
async fn sizes_times_and_arguments_are_bounded() {
    let large = "x".repeat(2 * 1024 * 1024 + 1);
    for body in [
        answer("200 OK", "", &large),
        format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{large}"),
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nx".to_owned(),
    ] {
        let (address, _) = serve(vec![body]).await;
        let error = call(
            &settings(&[format!("private:{address}")]),
            "http.request",
            Consent::None,
            json!({ "url": format!("http://{address}/") }),
        )
        .await;
        assert!(error.unwrap_err().starts_with("response_too_large"));
    }
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap();
    let grants = settings(&[format!("private:{address}")]);
    let error = call(
        &grants,
        "http.request",
        Consent::None,
        json!({ "url": format!("http://{address}/"), "timeout": 1 }),
    )
    .await;
    assert!(error.unwrap_err().starts_with("timeout"));
    for args in [
        json!({}),
        json!({ "url": "http://" }),
        json!({ "url": "http://a.example", "method": "BREW" }),
        json!({ "url": "http://a.example", "body": "x" }),
        json!({ "url": "http://a.example", "timeout": 0 }),
        json!({ "url": "http://a.example", "headers": { "Host": "b.example" } }),
        json!({ "url": "http://a.example", "headers": { "Content-Length": "1" } }),
        json!({ "url": "http://a.example", "headers": { "X": "a\r\nY: b" } }),
        json!({ "url": "http://a.example", "headers": { "X": 1 } }),
    ] {
        let error = call(
            &settings(&["host:*".to_owned()]),
            "http.request",
            Consent::None,
            args.clone(),
        )
        .await
        .unwrap_err();
        assert!(error.starts_with("tool_bad_arguments"), "{args}: {error}");
    }
}

#[tokio::test]
async fn a_secret_is_sent_where_it_was_granted_and_not_given_back() {
    let (address, seen) = serve(vec![
        answer(
            "200 OK",
            "X-Echo: Bearer secret-of-A\r\n",
            "you said secret-of-A"
        );
        2
    ])
    .await;
    let args = json!({ "url": format!("http://{address}/"), "headers": { "Authorization": { "key": "A", "prefix": "Bearer " } } });
    let host = format!("private:{address}");
    let key = |name: &str| format!("key:{name}@http://{address}");
    let error = call(
        &settings(std::slice::from_ref(&host)),
        "http.request",
        Consent::None,
        args.clone(),
    )
    .await
    .unwrap_err();
    assert!(
        error.starts_with("not_approved") && error.contains(&key("A")),
        "{error}"
    );
    let reply = call(
        &settings(&[host.clone(), key("A")]),
        "http.request",
        Consent::None,
        args,
    )
    .await
    .unwrap();
    assert!(seen.lock().unwrap()[0].contains("Bearer secret-of-A"));
    assert!(!reply.to_string().contains("secret-of-A"), "{reply}");
    let args =
        json!({ "url": format!("http://{address}/"), "headers": { "X": { "key": "MISSING" } } });
    let error = call(
        &settings(&[host, key("MISSING")]),
        "http.request",
        Consent::None,
        args,
    )
    .await
    .unwrap_err();
    assert!(
        error.starts_with("key_missing") && error.contains("MISSING"),
        "{error}"
    );
}

#[tokio::test]
async fn a_key_goes_only_where_it_was_approved_to_go() {
    let (first, _) = serve(vec![answer("200 OK", "", "first")]).await;
    let (other, heard) = serve(vec![answer("200 OK", "", "other"); 2]).await;
    let to = format!("Location: http://{other}/\r\n");
    let (leading, _) = serve(vec![answer("307 Temporary Redirect", &to, "")]).await;
    let both = |key: &str| {
        settings(&[
            format!("private:{first}"),
            format!("private:{other}"),
            format!("private:{leading}"),
            key.to_owned(),
        ])
    };
    let args = |at: &str| json!({ "url": format!("http://{at}/"), "headers": { "X-Token": { "key": "A" } } });
    // The approval covers none of these: another host, even one that may be reached; another scheme; another key; an
    // approval without a destination.
    for (key, at) in [
        (format!("key:A@http://{first}"), &other),
        (format!("key:A@https://{first}"), &first),
        (format!("key:B@http://{first}"), &first),
        ("key:A".to_owned(), &first),
        ("key:A@*".to_owned(), &first),
    ] {
        let error = call(&both(&key), "http.request", Consent::None, args(at)).await;
        let error = error.unwrap_err();
        assert!(error.starts_with("not_approved"), "{key}: {error}");
        assert!(
            error.contains(&format!("key:A@http://{at}")),
            "{key}: {error}"
        );
        // Advance approval of everything does not cover a specific address.
        let error = call(&both(&key), "http.request", Consent::General, args(at)).await;
        assert!(error.is_err(), "{key}");
    }
    assert!(heard.lock().unwrap().is_empty());
    let key = format!("key:A@http://{first}");
    let reply = call(&both(&key), "http.request", Consent::None, args(&first)).await;
    assert_eq!(reply.unwrap()["body"], "first");
    // A redirect drops the key.
    let key = format!("key:A@http://{leading}");
    let reply = call(&both(&key), "http.request", Consent::None, args(&leading)).await;
    assert_eq!(reply.unwrap()["body"], "other");
    let heard = heard.lock().unwrap().concat().to_lowercase();
    assert!(
        !heard.contains("x-token") && !heard.contains("secret-of"),
        "{heard}"
    );
}

#[tokio::test]
async fn a_proxy_is_used_only_where_the_settings_name_one() {
    let (proxy, seen) = serve(vec![answer("200 OK", "", "by proxy")]).await;
    let mut through = settings(&["host:a.invalid".to_owned()]);
    through.proxy = Some(format!("http://{proxy}"));
    let reply = call(
        &through,
        "http.request",
        Consent::None,
        json!({ "url": "http://a.invalid/x" }),
    )
    .await
    .unwrap();
    assert_eq!(reply["body"], "by proxy");
    assert!(seen.lock().unwrap()[0].starts_with("GET http://a.invalid/x "));
    // Private addresses are refused even with a proxy.
    let error = call(
        &through,
        "http.request",
        Consent::None,
        json!({ "url": "http://10.0.0.1/" }),
    )
    .await
    .unwrap_err();
    assert!(error.starts_with("address_refused"), "{error}");
}

#[tokio::test]
async fn each_search_service_is_asked_in_its_own_shape() {
    let results = json!({ "results": [{ "title": "A &amp; B", "url": "https://a.example/", "content": "The <b>first</b> of 2 < 3.", "score": 0.9 }] });
    let brave = json!({ "type": "search", "web": { "type": "search", "results": [
        { "title": "A &amp; B", "url": "https://a.example/", "description": "The <strong>first</strong> of 2 < 3." }
    ] } });
    for (engine, reply, asks, key) in [
        (
            SearchEngine::Searxng,
            &results,
            "GET /search?q=tide+tables&format=json ",
            "",
        ),
        (
            SearchEngine::Brave,
            &brave,
            "GET /?q=tide+tables&count=1 ",
            "x-subscription-token: secret-of-BRAVE_API_KEY",
        ),
        (
            SearchEngine::Tavily,
            &results,
            "POST / ",
            "authorization: Bearer secret-of-TAVILY_API_KEY",
        ),
    ] {
        let (address, seen) = serve(vec![
            answer(
                "200 OK",
                "Content-Type: application/json\r\n",
                &reply.to_string(),
            ),
            answer("429 Too Many Requests", "", ""),
        ])
        .await;
        let mut asking = settings(&[]);
        asking.web_search = Some(WebSearch {
            engine,
            url: Some(format!("http://{address}/")),
        });
        let args = json!({ "query": "tide tables", "limit": 1 });
        let error = call(&asking, "search.web", Consent::None, args.clone())
            .await
            .unwrap_err();
        assert!(
            error.starts_with("not_approved") || error.starts_with("address_refused"),
            "{error}"
        );
        let needs = ToolSet::new(&asking)
            .find("search.web")
            .unwrap()
            .needs(&serde_json::Map::new());
        asking.grants = needs.iter().map(trust::Need::item).collect();
        let found = call(&asking, "search.web", Consent::None, args.clone())
            .await
            .unwrap();
        assert_eq!(
            found,
            json!([{ "title": "A & B", "url": "https://a.example/", "text": "The first of 2 < 3." }])
        );
        let request = seen.lock().unwrap()[0].clone();
        assert!(
            request.starts_with(asks) && request.contains(key),
            "{engine:?}: {request}"
        );
        if engine == SearchEngine::Tavily {
            assert!(
                request.ends_with(r#"{"query":"tide tables","max_results":1}"#),
                "{request}"
            );
        }
        // Consent to this call also covers the service from Settings.
        asking.grants = Grants::default();
        let error = call(&asking, "search.web", Consent::Call, args)
            .await
            .unwrap_err();
        assert!(error.starts_with("rate_limited"), "{error}");
    }
    assert!(ToolSet::new(&settings(&[])).find("search.web").is_none());
}

fn in_folder(folder: &Path, grants: &[String]) -> ToolSettings {
    ToolSettings {
        flow_folder: Some(folder.to_path_buf()),
        ..settings(grants)
    }
}

#[tokio::test]
async fn files_stay_inside_the_folders_that_were_granted() {
    let outer = tempfile::tempdir().unwrap();
    let outer = std::fs::canonicalize(outer.path()).unwrap();
    let flow = outer.join("flow");
    std::fs::create_dir_all(flow.join("notes/deep")).unwrap();
    std::fs::write(outer.join("secret.txt"), "secret").unwrap();
    std::fs::write(flow.join("notes/a.md"), "# A").unwrap();
    std::fs::write(flow.join("notes/deep/b.md"), "# B").unwrap();
    std::fs::write(flow.join("notes/c.bin"), [0xff, 0xfe]).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outer.join("secret.txt"), flow.join("notes/link.md")).unwrap();
        std::os::unix::fs::symlink(&outer, flow.join("notes/up")).unwrap();
    }
    let write = in_folder(&flow, &[format!("write:{}", flow.display())]);
    let read = in_folder(&flow, &[format!("read:{}", flow.display())]);
    let rows: &[(&ToolSettings, &str, Value, Result<Value, &str>)] = &[
        (
            &read,
            "files.read",
            json!({ "path": "notes/a.md" }),
            Ok(json!("# A")),
        ),
        (
            &write,
            "files.read",
            json!({ "path": "./notes/../notes/a.md" }),
            Ok(json!("# A")),
        ),
        (
            &read,
            "files.read",
            json!({ "path": "deep/b.md", "folder": "notes" }),
            Ok(json!("# B")),
        ),
        (
            &read,
            "files.read",
            json!({ "path": flow.join("notes/a.md") }),
            Ok(json!("# A")),
        ),
        (
            &read,
            "files.read",
            json!({ "path": "../secret.txt" }),
            Err("outside_folder"),
        ),
        (
            &read,
            "files.read",
            json!({ "path": "notes/../../secret.txt" }),
            Err("outside_folder"),
        ),
        (
            &read,
            "files.read",
            json!({ "path": outer.join("secret.txt") }),
            Err("outside_folder"),
        ),
        (
            &read,
            "files.read",
            json!({ "path": "notes/link.md" }),
            Err("outside_folder"),
        ),
        (
            &read,
            "files.read",
            json!({ "path": "notes/up/secret.txt" }),
            Err("outside_folder"),
        ),
        (
            &read,
            "files.read",
            json!({ "path": "secret.txt", "folder": ".." }),
            Err("not_approved"),
        ),
        (
            &read,
            "files.read",
            json!({ "path": "secret.txt", "folder": "notes/up" }),
            Err("not_approved"),
        ),
        (
            &read,
            "files.read",
            json!({ "path": "notes" }),
            Err("file_failed"),
        ),
        (
            &read,
            "files.read",
            json!({ "path": "none" }),
            Err("not_found"),
        ),
        (
            &read,
            "files.read",
            json!({ "path": "notes/c.bin" }),
            Err("not_text"),
        ),
        (&read, "files.read", json!({}), Err("tool_bad_arguments")),
        (
            &read,
            "files.write",
            json!({ "path": "x", "text": "x" }),
            Err("not_approved"),
        ),
        (
            &write,
            "files.write",
            json!({ "path": "out/x.txt", "text": "one" }),
            Ok(json!({ "path": "out/x.txt", "size": 3 })),
        ),
        (
            &write,
            "files.write",
            json!({ "path": "out/x.txt", "text": "two", "mode": "create" }),
            Err("exists"),
        ),
        (
            &write,
            "files.write",
            json!({ "path": "out/x.txt", "text": " two", "mode": "append" }),
            Ok(json!({ "path": "out/x.txt", "size": 7 })),
        ),
        (
            &write,
            "files.write",
            json!({ "path": "notes/up/y.txt", "text": "x" }),
            Err("outside_folder"),
        ),
        (
            &write,
            "files.write",
            json!({ "path": "../y.txt", "text": "x" }),
            Err("outside_folder"),
        ),
        (
            &write,
            "files.write",
            json!({ "path": "notes", "text": "x" }),
            Err("file_failed"),
        ),
        (
            &write,
            "files.write",
            json!({ "path": "big", "text": "x".repeat(8 * 1024 * 1024 + 1) }),
            Err("file_too_large"),
        ),
        (
            &write,
            "files.write",
            json!({ "path": "data.json", "text": { "a": 1 } }),
            Ok(json!({ "path": "data.json", "size": 13 })),
        ),
        // A link at the target path is replaced, and its target is not changed.
        (
            &write,
            "files.write",
            json!({ "path": "notes/link.md", "text": "mine" }),
            Ok(json!({ "path": "notes/link.md", "size": 4 })),
        ),
    ];
    for (settings, tool, args, expected) in rows {
        let came = call(settings, tool, Consent::None, args.clone()).await;
        match (&came, expected) {
            (Ok(value), Ok(expected)) => assert_eq!(value, expected, "{tool} {args}"),
            (Err(error), Err(code)) => assert!(
                error.starts_with(&format!("{code}: ")),
                "{tool} {args}: {error}"
            ),
            _ => panic!("{tool} {args}: {came:?}"),
        }
    }
    assert_eq!(
        std::fs::read_to_string(flow.join("out/x.txt")).unwrap(),
        "one two"
    );
    assert_eq!(
        std::fs::read_to_string(outer.join("secret.txt")).unwrap(),
        "secret"
    );
    assert!(!outer.join("y.txt").exists());
    let list = call(
        &read,
        "files.glob",
        Consent::None,
        json!({ "pattern": "**/*.md" }),
    )
    .await
    .unwrap();
    let paths: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["notes/a.md", "notes/deep/b.md", "notes/link.md"]);
    let names: Vec<_> = std::fs::read_dir(flow.join("out"))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(names, ["x.txt"], "nothing half written is left");
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_named_with_its_server_and_a_remedy() {
    let (address, calls) = tls::untrusted().await;
    let granted = settings(&[format!("private:{address}")]);
    let url = json!({ "url": format!("https://{address}/") });
    let error = call(&granted, "http.request", Consent::None, url)
        .await
        .unwrap_err();
    for part in [
        "certificate: ",
        &address,
        "UnknownIssuer",
        "trusted certificates",
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(calls.load(std::sync::atomic::Ordering::SeqCst), 1);
}
