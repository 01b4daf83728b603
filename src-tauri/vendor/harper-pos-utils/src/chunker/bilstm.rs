//! Noun phrases by a small neural network: two embeddings, a bidirectional LSTM of 14 values without bias, and one linear layer.
//!
//! The network is the one of Harper, which trains it with Burn. [What it is](https://elijahpotter.dev/articles/i-spoke-at-wordcamp-u.s.-in-2025).
//! The equations are those of Hochreiter and Schmidhuber, *Long Short-Term Memory* (1997), with the forget gate of Gers et al. (2000).

use hashbrown::HashMap;

use super::{
    Chunker,
    weights::{LstmWeights, ModelError, Weights, read},
};
use crate::UPOS;

/// The row of a word that the vocabulary does not have.
const UNKNOWN_WORD: usize = 1;
/// The row of a token without a tag. That of a tag is its number and [`FIRST_TAG`].
const NO_TAG: usize = 1;
const FIRST_TAG: usize = 2;
/// The rows and the width of the embedding of tags, which training fixes.
const TAG_ROWS: usize = 20;
const TAG_WIDTH: usize = 8;
/// From here, a score is a yes.
const THRESHOLD: f32 = 0.5;

/// The gates of an LSTM, in the order in which [`LstmWeights`] has them: input, forget, output, and the candidate of the cell.
pub(super) const GATES: usize = 4;

/// A [`Chunker`] that uses a bidirectional LSTM.
#[derive(Debug)]
pub struct BiLstmChunker {
    vocabulary: HashMap<String, usize>,
    weights: Weights,
}

/// The name under which harper-brill knows the network.
pub type BurnChunkerCpu = BiLstmChunker;

impl BiLstmChunker {
    /// Reads the trained files of Harper: the weights, as Burn records them in MessagePack, and the vocabulary, a JSON object of the
    /// numbers of the words. `word_width` is the width of the embedding of words.
    ///
    /// # Errors
    /// When a file cannot be read, or is of a network with another shape.
    pub fn from_bytes(
        weights: &[u8],
        vocabulary: &[u8],
        word_width: usize,
    ) -> Result<Self, ModelError> {
        let vocabulary: HashMap<String, usize> = serde_json::from_slice(vocabulary)?;
        let weights = read(weights, word_width, TAG_ROWS, TAG_WIDTH)?;
        let rows = weights.words.len().checked_div(word_width).unwrap_or(0);
        let beyond = vocabulary.iter().find(|(_, index)| **index >= rows);
        if let Some((word, index)) = beyond {
            return Err(ModelError::Word {
                word: word.clone(),
                index: *index,
                rows,
            });
        }
        if UNKNOWN_WORD >= rows {
            return Err(ModelError::Word {
                word: "<UNK>".to_owned(),
                index: UNKNOWN_WORD,
                rows,
            });
        }
        Ok(Self {
            vocabulary,
            weights,
        })
    }

    /// [`Self::from_bytes`] for harper-brill, which passes the files that are part of it. Training alone drops values out.
    ///
    /// # Panics
    /// When the files are not of this network. harper-brill has no way to pass an error on; the tests of `loopwright-prose` read its files.
    pub fn load_from_bytes_cpu(
        model_bytes: impl AsRef<[u8]>,
        vocab_bytes: impl AsRef<[u8]>,
        embed_dim: usize,
        _dropout: f32,
    ) -> Self {
        Self::from_bytes(model_bytes.as_ref(), vocab_bytes.as_ref(), embed_dim)
            .unwrap_or_else(|error| panic!("the noun phrase model of harper-brill: {error}"))
    }

    /// How much each token belongs to a noun phrase. A token without an entry in `tags` counts as one without a tag.
    fn scores(&self, sentence: &[String], tags: &[Option<UPOS>]) -> Vec<f32> {
        let weights = &self.weights;
        let width = weights.width;
        let word_width = width - TAG_WIDTH;
        let mut steps = Vec::with_capacity(sentence.len() * width);
        for (at, token) in sentence.iter().enumerate() {
            let word = self.vocabulary.get(token).copied().unwrap_or(UNKNOWN_WORD);
            let tag = tags
                .get(at)
                .copied()
                .flatten()
                .map_or(NO_TAG, |tag| tag as usize + FIRST_TAG);
            steps.extend_from_slice(&weights.words[word * word_width..][..word_width]);
            steps.extend_from_slice(&weights.tags[tag * TAG_WIDTH..][..TAG_WIDTH]);
        }
        let mut scores = vec![weights.bias; sentence.len()];
        let (forward, reverse) = weights.out.split_at(width);
        let steps = || steps.chunks_exact(width).enumerate();
        run(&weights.forward, steps(), forward, &mut scores);
        run(&weights.reverse, steps().rev(), reverse, &mut scores);
        scores
    }
}

impl Chunker for BiLstmChunker {
    fn chunk_sentence(&self, sentence: &[String], tags: &[Option<UPOS>]) -> Vec<bool> {
        let scores = self.scores(sentence, tags);
        scores.into_iter().map(|score| score > THRESHOLD).collect()
    }
}

/// Runs one direction over the steps, and adds the product of each hidden state with `out` to the score of its token.
fn run<'x>(
    weights: &LstmWeights,
    steps: impl Iterator<Item = (usize, &'x [f32])>,
    out: &[f32],
    scores: &mut [f32],
) {
    let width = out.len();
    let (mut cell, mut hidden) = (vec![0.0; width], vec![0.0; width]);
    let mut from_input = vec![0.0; GATES * width];
    let mut from_hidden = vec![0.0; GATES * width];
    for (token, x) in steps {
        multiply(x, &weights.input, &mut from_input);
        multiply(&hidden, &weights.hidden, &mut from_hidden);
        for at in 0..width {
            let gate = |gate: usize| {
                let at = gate * width + at;
                from_input[at] + from_hidden[at]
            };
            let (input, forget, output) = (sigmoid(gate(0)), sigmoid(gate(1)), sigmoid(gate(2)));
            let candidate = gate(3).tanh();
            cell[at] = forget * cell[at] + input * candidate;
            hidden[at] = output * cell[at].tanh();
        }
        let products = hidden.iter().zip(out).map(|(value, weight)| value * weight);
        scores[token] += products.sum::<f32>();
    }
}

/// `row` times a matrix with as many rows as `row` has values. A row of the matrix is as long as `product`.
fn multiply(row: &[f32], matrix: &[f32], product: &mut [f32]) {
    product.fill(0.0);
    for (value, weights) in row.iter().zip(matrix.chunks_exact(product.len())) {
        for (sum, weight) in product.iter_mut().zip(weights) {
            *sum += value * weight;
        }
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::super::weights::{
        BiLstm, Embedding, File, Gate, Linear, Lstm, Model, Param, Tensor, Values,
    };
    use super::*;

    const WORD_WIDTH: usize = 2;
    const WIDTH: usize = WORD_WIDTH + TAG_WIDTH;
    const VOCABULARY: &str = r#"{"<UNK>": 1, "dog": 2}"#;

    /// Values that differ, between -0.5 and 0.5.
    fn param(shape: &[usize]) -> Param {
        let count: usize = shape.iter().product();
        let values = (0..count).map(|at| ((at * 7919 + 13) % 101) as f32 / 101.0 - 0.5);
        Param {
            param: Tensor {
                bytes: Values(values.collect()),
                shape: shape.to_vec(),
                dtype: "F32".to_owned(),
            },
        }
    }

    fn linear(shape: &[usize], bias: Option<&[usize]>) -> Linear {
        Linear {
            weight: param(shape),
            bias: bias.map(param),
        }
    }

    fn file() -> File {
        let gate = || Gate {
            input_transform: linear(&[WIDTH, WIDTH], None),
            hidden_transform: linear(&[WIDTH, WIDTH], None),
        };
        let lstm = || Lstm {
            input_gate: gate(),
            forget_gate: gate(),
            output_gate: gate(),
            cell_gate: gate(),
        };
        File {
            item: Model {
                embedding_words: Embedding {
                    weight: param(&[3, WORD_WIDTH]),
                },
                embedding_upos: Embedding {
                    weight: param(&[TAG_ROWS, TAG_WIDTH]),
                },
                lstm: BiLstm {
                    forward: lstm(),
                    reverse: lstm(),
                },
                linear_out: linear(&[2 * WIDTH, 1], Some(&[1])),
            },
        }
    }

    fn bytes(file: &File) -> Vec<u8> {
        rmp_serde::to_vec_named(file).unwrap()
    }

    fn load(bytes: &[u8]) -> Result<BiLstmChunker, ModelError> {
        BiLstmChunker::from_bytes(bytes, VOCABULARY.as_bytes(), WORD_WIDTH)
    }

    fn sentence() -> (Vec<String>, Vec<Option<UPOS>>) {
        let words = ["the", "dog", "barks"].map(str::to_owned).to_vec();
        (words, vec![Some(UPOS::DET), Some(UPOS::NOUN), None])
    }

    #[test]
    fn weights_of_this_shape_are_read() {
        let chunker = load(&bytes(&file())).unwrap();
        let (words, tags) = sentence();
        assert_eq!(chunker.chunk_sentence(&words, &tags).len(), 3);
        assert!(chunker.chunk_sentence(&[], &[]).is_empty());
    }

    #[test]
    fn a_token_without_an_entry_of_tags_has_no_tag() {
        let chunker = load(&bytes(&file())).unwrap();
        let (words, tags) = sentence();
        assert_eq!(
            chunker.scores(&words, &tags),
            chunker.scores(&words, &tags[..2])
        );
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_an_error() {
        let whole = bytes(&file());
        for end in 0..whole.len() {
            assert!(load(&whole[..end]).is_err(), "cut at {end}");
        }
    }

    /// A changed byte within a value is another value, which nobody can tell. Any other one must not panic.
    #[test]
    fn a_file_with_any_byte_changed_does_not_panic() {
        let whole = bytes(&file());
        let (words, tags) = sentence();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= [0x01, 0x80, 0xff][at % 3];
            if let Ok(chunker) = load(&changed) {
                assert_eq!(chunker.chunk_sentence(&words, &tags).len(), 3);
            }
        }
    }

    #[test]
    fn weights_of_another_shape_are_an_error() {
        type Change = fn(&mut Model);
        let changes: [(Change, &str); 8] = [
            (
                |model| model.embedding_words.weight = param(&[3, WORD_WIDTH + 1]),
                "the embedding of words should be [3, 2]",
            ),
            (
                |model| model.embedding_upos.weight = param(&[17, TAG_WIDTH]),
                "the embedding of tags should be [20, 8]",
            ),
            (
                |model| model.lstm.reverse.cell_gate.hidden_transform = linear(&[9, 10], None),
                "a gate's hidden layer should be [10, 10]",
            ),
            (
                |model| model.lstm.forward.input_gate.input_transform.bias = Some(param(&[10])),
                "a gate's input layer has a bias",
            ),
            (
                |model| model.linear_out.bias = None,
                "the output layer has no bias",
            ),
            (
                |model| model.linear_out.weight.param.dtype = "F16".to_owned(),
                "of the type F16",
            ),
            (
                |model| model.linear_out.weight.param.bytes.0.truncate(1),
                "the output layer has 1 values",
            ),
            (
                |model| model.embedding_words.weight = param(&[2, WORD_WIDTH]),
                "\"dog\" is word 2 of the vocabulary, of 2",
            ),
        ];
        for (change, words) in changes {
            let mut file = file();
            change(&mut file.item);
            let error = load(&bytes(&file)).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn weights_without_words_are_an_error() {
        let mut file = file();
        file.item.embedding_words.weight = param(&[0, WORD_WIDTH]);
        let empty = BiLstmChunker::from_bytes(&bytes(&file), b"{}", WORD_WIDTH);
        assert!(empty.is_err());
    }

    #[test]
    fn a_malformed_vocabulary_is_an_error() {
        for vocabulary in ["", "[]", r#"{"dog": -1}"#, r#"{"dog": "2"}"#, r#"{"dog""#] {
            let weights = bytes(&file());
            let read = BiLstmChunker::from_bytes(&weights, vocabulary.as_bytes(), WORD_WIDTH);
            assert!(
                matches!(read, Err(ModelError::Vocabulary(_))),
                "{vocabulary}"
            );
        }
    }

    /// An LSTM of one value, computed by hand: with all weights 1 and the input 1, each gate has the value 1 + h.
    #[test]
    fn a_step_follows_the_equations() {
        let weights = LstmWeights {
            input: vec![1.0; GATES],
            hidden: vec![1.0; GATES],
        };
        let mut scores = vec![0.0; 2];
        let steps = [1.0, 1.0];
        run(
            &weights,
            steps.chunks_exact(1).enumerate(),
            &[1.0],
            &mut scores,
        );
        let cell = sigmoid(1.0) * 1.0_f32.tanh();
        let first = sigmoid(1.0) * cell.tanh();
        let cell = sigmoid(1.0 + first) * cell + sigmoid(1.0 + first) * (1.0 + first).tanh();
        let second = sigmoid(1.0 + first) * cell.tanh();
        assert_eq!(scores, [first, second]);
    }
}
