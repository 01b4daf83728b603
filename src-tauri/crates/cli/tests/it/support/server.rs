//! An OpenAI-compatible server on loopback that counts its calls. Equal requests get equal answers.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::{Map, Value, json};

/// A function that returns the answer to a request.
type Answerer = dyn Fn(&Value) -> Value + Send + Sync;

pub(crate) struct Server {
    pub(crate) url: String,
    calls: Arc<AtomicUsize>,
    prompts: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server that answers each call after `pause`.
    pub(crate) fn start(pause: Duration) -> Self {
        Self::answering(move |request| {
            thread::sleep(pause);
            completion(request)
        })
    }

    /// Starts a server that answers each request with the result of `answer`.
    pub(crate) fn answering(answer: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Self {
        let answer: Arc<Answerer> = Arc::new(answer);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let calls = Arc::<AtomicUsize>::default();
        let prompts = Arc::<Mutex<Vec<String>>>::default();
        let (counted, heard) = (Arc::clone(&calls), Arc::clone(&prompts));
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let (counted, heard) = (Arc::clone(&counted), Arc::clone(&heard));
                let answer = Arc::clone(&answer);
                // An error is ignored, because a client that is killed closes its socket in the middle of a request.
                thread::spawn(move || drop(serve(socket, &counted, &heard, &*answer)));
            }
        });
        Self {
            url,
            calls,
            prompts,
        }
    }

    /// Returns the last message of each call, in the order of arrival.
    #[allow(dead_code, reason = "not every test reads them")]
    pub(crate) fn prompts(&self) -> Vec<String> {
        self.prompts.lock().unwrap().clone()
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

fn serve(
    socket: TcpStream,
    calls: &AtomicUsize,
    prompts: &Mutex<Vec<String>>,
    answer: &Answerer,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(socket.try_clone()?);
    let mut socket = socket;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first)? == 0 {
            return Ok(());
        }
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let answered = if first.starts_with("POST") {
            let request: Value = serde_json::from_slice(&body)?;
            let last = request["messages"].as_array().and_then(|all| all.last());
            let prompt = last.and_then(|message| message["content"].as_str());
            prompts
                .lock()
                .unwrap()
                .push(prompt.unwrap_or_default().to_owned());
            calls.fetch_add(1, Ordering::SeqCst);
            answer(&request)
        } else {
            json!({ "object": "list", "data": [{ "id": "test", "object": "model" }] })
        }
        .to_string();
        write!(
            socket,
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{answered}",
            answered.len()
        )?;
        socket.flush()?;
    }
}

/// Returns the usual answer to a request.
pub(crate) fn completion(request: &Value) -> Value {
    let mut hasher = DefaultHasher::new();
    request["messages"].to_string().hash(&mut hasher);
    let seed = hasher.finish();
    let schema = &request["response_format"]["json_schema"]["schema"];
    let text = if schema.is_object() {
        conforming(schema, seed).to_string()
    } else if request["response_format"]["type"] == "json_object" {
        json!({ "text": words(seed) }).to_string()
    } else {
        words(seed)
    };
    json!({
        "id": "c", "object": "chat.completion", "model": request["model"],
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 }
    })
}

fn words(seed: u64) -> String {
    const WORDS: [&str; 8] = [
        "bread", "yeast", "rises", "dough", "gas", "warm", "slow", "salt",
    ];
    let word = |at: u32| WORDS[(seed >> (3 * at) & 7) as usize];
    (0..20).map(word).collect::<Vec<_>>().join(" ")
}

/// Returns a value that conforms to a schema of objects, lists, choices and plain values.
fn conforming(schema: &Value, seed: u64) -> Value {
    if let Some(Value::Array(choices)) = schema.get("enum") {
        // The last choice is a verdict with which the loop continues.
        return choices.last().cloned().unwrap_or_default();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let empty = Map::new();
            let fields = schema["properties"].as_object().unwrap_or(&empty);
            fields
                .iter()
                .map(|(name, field)| (name.clone(), conforming(field, seed.rotate_left(7))))
                .collect::<Map<_, _>>()
                .into()
        }
        Some("array") => json!([conforming(&schema["items"], seed)]),
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(false),
        _ => json!(words(seed)),
    }
}
