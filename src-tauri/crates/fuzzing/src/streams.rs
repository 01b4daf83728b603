//! Checks answers of model servers: as a stream that is split at any position, and in one piece.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use loopwright_engine::host::TokenSink;
use loopwright_providers::{
    Protocol,
    offline::{Answer, Form, Offline},
};

use crate::{dice::Dice, runtime::wait};

pub(crate) fn chat(data: &[u8]) {
    static SERVER: LazyLock<Offline> = LazyLock::new(|| offline(Protocol::ChatCompletions));
    answers(&SERVER, data);
}

pub(crate) fn anthropic(data: &[u8]) {
    static SERVER: LazyLock<Offline> = LazyLock::new(|| offline(Protocol::Messages));
    answers(&SERVER, data);
}

pub(crate) fn gemini(data: &[u8]) {
    static SERVER: LazyLock<Offline> = LazyLock::new(|| offline(Protocol::GenerateContent));
    answers(&SERVER, data);
}

fn offline(protocol: Protocol) -> Offline {
    Offline::new(protocol).expect("a connection can be prepared")
}

fn answers(server: &Offline, data: &[u8]) {
    for form in [Form::Stream, Form::Whole] {
        let whole = once(server, form, vec![data.to_vec()]);
        for pieces in [single_bytes(data), cut(data, 1), cut(data, 2)] {
            let other = once(server, form, pieces);
            assert_eq!(
                whole, other,
                "the answer differs if it arrives in other pieces"
            );
        }
    }
}

/// Returns the answer and the tokens that were emitted. If the call failed, the answer is replaced by the error's code and
/// message with the text read so far.
fn once(server: &Offline, form: Form, pieces: Vec<Vec<u8>>) -> (Result<Answer, String>, String) {
    let heard = Arc::new(Mutex::new(String::new()));
    let into = Arc::clone(&heard);
    let tokens = TokenSink::new(move |added| {
        let mut heard = into.lock().unwrap_or_else(PoisonError::into_inner);
        heard.push_str(added);
    });
    let read = wait(server.read(form, pieces, &tokens));
    let heard = heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match &read {
        Ok(answer) => assert_eq!(
            answer.text, heard,
            "the emitted tokens differ from the text of the answer"
        ),
        Err(error) => assert!(!error.message.trim().is_empty(), "{error:?}"),
    }
    (read.map_err(|error| format!("{error:?}")), heard)
}

fn single_bytes(data: &[u8]) -> Vec<Vec<u8>> {
    data.iter().map(|byte| vec![*byte]).collect()
}

fn cut(data: &[u8], salt: u64) -> Vec<Vec<u8>> {
    let mut dice = Dice::of(data);
    dice.0 = dice.0.wrapping_add(salt);
    let mut rest = data;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at((1 + dice.below(48)).min(rest.len()));
        pieces.push(piece.to_vec());
        rest = behind;
    }
    pieces
}
