//! The usage and cost of a call, as far as servers count it.

use loopwright_engine::{NodeError, Usage};

use super::{
    format::{Completion, Message},
    remote::Remote,
};
use crate::prices::{Price, Tokens};

/// Returns the usage of a failed call: `before`, plus one call with unknown tokens if the server may have answered.
pub(super) fn with_unknown(before: &Usage, error: &NodeError, price: Option<&Price>) -> Usage {
    let mut usage = *before;
    if error.is_uncertain() {
        let free = price.is_some_and(Price::is_free);
        usage.add(&Usage {
            unpriced_calls: u64::from(!free),
            ..Usage::unknown_call()
        });
    }
    usage
}

/// The maximum number of characters of an unreadable count that a warning shows.
const SHOWN: usize = 40;

/// The size of the text that a call sent.
pub(super) struct Sent {
    characters: u64,
    /// The number of bytes of the text, without white space.
    bytes: u64,
    words: u64,
}

impl Sent {
    pub(super) fn of(system: Option<&str>, messages: &[Message]) -> Self {
        let mut sent = Self {
            characters: 0,
            bytes: 0,
            words: 0,
        };
        let texts = messages.iter().flat_map(|message| {
            let results = message.results.iter().map(|(_, result)| result.as_str());
            let uses = message.uses.iter().map(|used| used.arguments.as_str());
            results.chain(uses).chain([message.text.as_str()])
        });
        for text in texts.chain(system) {
            sent.characters += text.chars().count() as u64;
            for word in text.split_whitespace() {
                sent.words += 1;
                sent.bytes += word.len() as u64;
            }
        }
        sent
    }

    /// Returns a lower bound of the tokens sent: half the number of words, or a quarter of the number of sixteen-byte
    /// pieces, whichever is larger. Tokenizers begin a token at every word, and few tokens exceed sixteen bytes. The factors
    /// of one half and one quarter allow for exceptions.
    fn least_tokens(&self) -> u64 {
        (self.words / 2).max(self.bytes / 64)
    }
}

/// Returns the length of a prompt with its cached tokens. A server that reports more cached than input tokens counts them
/// separately.
fn prompt_tokens(tokens: Tokens) -> u64 {
    match tokens.cached > tokens.input {
        true => tokens.input.saturating_add(tokens.cached),
        false => tokens.input,
    }
}

/// Adds a call's tokens and cost. If the server reports no counts or impossible ones, estimates the tokens at four
/// characters each and adds a warning. The cost of the call is then unknown, unless the model is free.
pub(super) fn add_usage(
    usage: &mut Usage,
    completion: &Completion,
    sent: &Sent,
    price: Option<&Price>,
    warnings: &mut Vec<(String, String)>,
) {
    let estimate = |characters: u64| characters.div_ceil(4);
    // All text has tokens, so a server that reports zero does not count them.
    let is_zero = (completion.input_tokens == Some(0)
        && completion.cached_tokens == 0
        && sent.characters > 0)
        || (completion.said_tokens.or(completion.output_tokens) == Some(0)
            && !completion.text.trim().is_empty());
    let unreadable = completion.unreadable.as_deref().or(is_zero.then_some("0"));
    let input = completion.input_tokens.filter(|_| unreadable.is_none());
    let output = completion.output_tokens.filter(|_| unreadable.is_none());
    let counted = input.is_some() && output.is_some();
    let tokens = Tokens {
        input: input.unwrap_or_else(|| estimate(sent.characters)),
        cached: completion.cached_tokens,
        output: output.unwrap_or_else(|| {
            let texts = [&completion.text, &completion.thoughts];
            estimate(texts.iter().map(|text| text.chars().count() as u64).sum())
        }),
    };
    // A free model costs nothing, whatever the count.
    let known = price.filter(|price| counted || price.is_free());
    if !counted {
        let what = match known {
            Some(_) => "The tokens are estimated.",
            None => "The tokens are estimated, and the cost of the call is unknown.",
        };
        let (code, words) = match unreadable {
            Some(said) => {
                let said: String = said.chars().take(SHOWN).collect();
                let words = format!(
                    "The server reported an impossible number of tokens for the call: {said}. {what}"
                );
                ("usage_unreadable", words)
            }
            None => (
                "usage_missing",
                format!("The server did not report the tokens of the call. {what}"),
            ),
        };
        if !warnings.iter().any(|(before, _)| before == code) {
            warnings.push((code.to_owned(), words));
        }
    }
    usage.add(&Usage {
        calls: 1,
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        cost_microusd: known.map_or(0, |price| price.cost(tokens)),
        unpriced_calls: u64::from(known.is_none()),
        cached_tokens: completion.cached_tokens.min(tokens.input),
        reasoning_tokens: completion.reasoning_tokens.min(tokens.output),
        cut_off_calls: 0,
        longest_prompt: u32::try_from(prompt_tokens(tokens)).unwrap_or(u32::MAX),
    });
}

/// The smallest context of any server. A shorter prompt is never truncated.
const SMALLEST_CONTEXT: u64 = 512;

/// Returns the code and message of a warning if the server counted far fewer tokens than the prompt must have, otherwise
/// `None`. Some servers silently truncate a prompt that exceeds their context.
pub(super) fn prompt_cut(
    remote: &Remote,
    completion: &Completion,
    sent: &Sent,
) -> Option<(String, String)> {
    if completion.unreadable.is_some() {
        return None;
    }
    let input = completion.input_tokens.filter(|tokens| *tokens > 0)?;
    // Some servers do not count cached tokens.
    let counted = input.saturating_add(completion.cached_tokens);
    let least = sent.least_tokens();
    if counted >= least || least < SMALLEST_CONTEXT {
        return None;
    }
    let id = &remote.config.id;
    let remedy = match id.as_str() {
        "ollama" => {
            "Raise its context (num_ctx): set OLLAMA_CONTEXT_LENGTH for the Ollama server, or PARAMETER num_ctx in the model's \
             Modelfile."
        }
        _ => "Raise the context size that the server uses for the model.",
    };
    Some((
        "prompt_cut".to_owned(),
        format!(
            "The server of “{id}” counted {counted} tokens in a prompt of at least {least} tokens, so it probably truncated the prompt. \
             {remedy} Or shorten the input."
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_counted_with_its_cached_tokens_or_estimated() {
        let sent = Sent {
            characters: 400,
            bytes: 400,
            words: 80,
        };
        for (input, cached, prompt) in [
            // The input includes the cached tokens.
            (Some(120), 100, 120),
            // The server counts them separately.
            (Some(20), 100, 120),
            (Some(0), 100, 100),
            (None, 0, 100),
        ] {
            let completion = Completion {
                text: "Done.".to_owned(),
                input_tokens: input,
                cached_tokens: cached,
                output_tokens: Some(2),
                ..Completion::default()
            };
            let mut usage = Usage::default();
            add_usage(&mut usage, &completion, &sent, None, &mut Vec::new());
            assert_eq!(usage.longest_prompt, prompt, "{input:?} {cached}");
        }
    }
}
