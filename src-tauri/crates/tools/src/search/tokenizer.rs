//! Feeds tantivy the same words and stems that the built-in models read.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Stems without stop words; positions count every word, so that phrases keep their distances.
#[derive(Debug, Clone, Default)]
pub(crate) struct EnglishStems;

/// The name under which indexes know [`EnglishStems`].
pub(crate) const NAME: &str = "english_stems";
/// Longer runs of letters are data, not words.
const MAX_WORD: usize = 60;

impl Tokenizer for EnglishStems {
    type TokenStream<'a> = Stems;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stems {
        let mut tokens: Vec<Token> = loopwright_text::words(text)
            .into_iter()
            .enumerate()
            .filter(|(_, word)| !word.is_stop() && word.lower.len() <= MAX_WORD)
            .map(|(position, word)| Token {
                offset_from: word.start,
                offset_to: word.end,
                position,
                text: word.stem,
                position_length: 1,
            })
            .collect();
        tokens.reverse();
        Stems {
            rest: tokens,
            current: Token::default(),
        }
    }
}

/// The stems of one text, last first.
pub(crate) struct Stems {
    rest: Vec<Token>,
    current: Token,
}

impl TokenStream for Stems {
    fn advance(&mut self) -> bool {
        match self.rest.pop() {
            Some(token) => {
                self.current = token;
                true
            }
            None => false,
        }
    }

    fn token(&self) -> &Token {
        &self.current
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.current
    }
}
