//! A model server for measurements: every answer takes a fixed time, over persistent connections. It is a program of its own,
//! with a thread for each connection, so that it disturbs the measured program as little as possible. The argument is the time
//! of an answer in milliseconds. The program prints its port. Then, for each line that it reads, it prints the microseconds
//! from the first request since the previous line to the last answer.

use std::{
    env,
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process,
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// The time of the first request since the last report, and of the last answer.
static BUSY: Mutex<Option<(Instant, Instant)>> = Mutex::new(None);

const EVENTS: [&str; 4] = [
    r#"{"model":"slow","choices":[{"index":0,"delta":{"content":"done"}}]}"#,
    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}}"#,
    "[DONE]",
];

fn answer() -> String {
    let events: String = EVENTS.map(|data| format!("data: {data}\n\n")).concat();
    let length = events.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n{events}"
    )
}

/// Reads one request to its end. Returns `false` if the connection was closed instead.
fn request(from: &mut impl BufRead) -> io::Result<bool> {
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        if from.read_line(&mut line)? == 0 {
            return Ok(false);
        }
        let Some((name, value)) = line.split_once(':') else {
            if line == "\r\n" {
                break;
            }
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    io::copy(&mut from.take(length), &mut io::sink())?;
    Ok(true)
}

fn serve(mut stream: TcpStream, after: Duration, answer: &str) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut from = BufReader::new(stream.try_clone()?);
    while request(&mut from)? {
        let came = Instant::now();
        thread::sleep(after);
        stream.write_all(answer.as_bytes())?;
        let went = Instant::now();
        let mut busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, last) = busy.unwrap_or((came, went));
        *busy = Some((first.min(came), last.max(went)));
    }
    Ok(())
}

/// Prints the busy time for each line of standard input, until standard input ends.
fn tell() -> io::Result<()> {
    for _ in io::stdin().lines() {
        let busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner).take();
        println!(
            "{}",
            busy.map_or(0, |(first, last)| (last - first).as_micros())
        );
    }
    process::exit(0)
}

fn main() -> io::Result<()> {
    let millis = env::args().nth(1).and_then(|text| text.parse().ok());
    let after = Duration::from_millis(millis.unwrap_or(50));
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    println!("{}", listener.local_addr()?.port());
    thread::spawn(tell);
    for stream in listener.incoming() {
        let stream = stream?;
        thread::spawn(move || serve(stream, after, &answer()));
    }
    Ok(())
}
