//! The file of trained weights: MessagePack with named fields, as Burn's `NamedMpkBytesRecorder` writes it in full precision.
//!
//! Only the fields that the computation needs are read. Each tensor has its values as little-endian `f32`, its rows one after the
//! other, and its shape.

use serde::{
    Deserialize, Deserializer,
    de::{self, Visitor},
};

use super::bilstm::GATES;

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("the vocabulary is not a map from words to numbers: {0}")]
    Vocabulary(#[from] serde_json::Error),
    #[error("the weights cannot be read: {0}")]
    Weights(#[from] rmp_serde::decode::Error),
    #[error(
        "{name} should be {expected:?} numbers of the type F32, and is {shape:?} of the type {dtype}"
    )]
    Shape {
        name: &'static str,
        expected: Vec<usize>,
        shape: Vec<usize>,
        dtype: String,
    },
    #[error("{name} has {count} values, which is not what its shape says")]
    Count { name: &'static str, count: usize },
    #[error("{0} has a bias, which this model does not compute")]
    Bias(&'static str),
    #[error("the output layer has no bias")]
    NoBias,
    #[error("{word:?} is word {index} of the vocabulary, of {rows} that the weights know")]
    Word {
        word: String,
        index: usize,
        rows: usize,
    },
}

/// The weights of the model, in the shapes that [`read`] checks. `words` and `tags` have one row for each word and tag.
/// `width` is the length of a row of both together, which is also the size of the hidden state.
#[derive(Debug)]
pub(super) struct Weights {
    pub(super) words: Vec<f32>,
    pub(super) tags: Vec<f32>,
    pub(super) width: usize,
    pub(super) forward: LstmWeights,
    pub(super) reverse: LstmWeights,
    /// For the hidden state of the forward direction, then for that of the reverse one.
    pub(super) out: Vec<f32>,
    pub(super) bias: f32,
}

/// Two matrices of `width` rows. A row has `width` values for each gate, in the order of [`GATES`].
#[derive(Debug)]
pub(super) struct LstmWeights {
    pub(super) input: Vec<f32>,
    pub(super) hidden: Vec<f32>,
}

/// # Errors
/// When the file is not one of this model: fields are missing, or a tensor has another shape or type.
pub(super) fn read(
    bytes: &[u8],
    word_width: usize,
    tag_rows: usize,
    tag_width: usize,
) -> Result<Weights, ModelError> {
    let model = rmp_serde::from_slice::<File>(bytes)?.item;
    let width = word_width + tag_width;
    let word_rows = model
        .embedding_words
        .weight
        .param
        .shape
        .first()
        .copied()
        .unwrap_or_default();
    Ok(Weights {
        words: model
            .embedding_words
            .weight
            .values("the embedding of words", &[word_rows, word_width])?,
        tags: model
            .embedding_upos
            .weight
            .values("the embedding of tags", &[tag_rows, tag_width])?,
        width,
        forward: model.lstm.forward.weights(width)?,
        reverse: model.lstm.reverse.weights(width)?,
        out: model
            .linear_out
            .weight
            .values("the output layer", &[2 * width, 1])?,
        bias: model
            .linear_out
            .bias
            .ok_or(ModelError::NoBias)?
            .values("the bias of the output layer", &[1])?[0],
    })
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, Clone))]
pub(super) struct File {
    pub(super) item: Model,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, Clone))]
pub(super) struct Model {
    pub(super) embedding_words: Embedding,
    pub(super) embedding_upos: Embedding,
    pub(super) lstm: BiLstm,
    pub(super) linear_out: Linear,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, Clone))]
pub(super) struct Embedding {
    pub(super) weight: Param,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, Clone))]
pub(super) struct BiLstm {
    pub(super) forward: Lstm,
    pub(super) reverse: Lstm,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, Clone))]
pub(super) struct Lstm {
    pub(super) input_gate: Gate,
    pub(super) forget_gate: Gate,
    pub(super) output_gate: Gate,
    pub(super) cell_gate: Gate,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, Clone))]
pub(super) struct Gate {
    pub(super) input_transform: Linear,
    pub(super) hidden_transform: Linear,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, Clone))]
pub(super) struct Linear {
    pub(super) weight: Param,
    pub(super) bias: Option<Param>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, Clone))]
pub(super) struct Param {
    pub(super) param: Tensor,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, Clone))]
pub(super) struct Tensor {
    pub(super) bytes: Values,
    pub(super) shape: Vec<usize>,
    pub(super) dtype: String,
}

#[cfg_attr(test, derive(Clone))]
pub(super) struct Values(pub(super) Vec<f32>);

impl Param {
    fn values(self, name: &'static str, expected: &[usize]) -> Result<Vec<f32>, ModelError> {
        let Tensor {
            bytes: Values(values),
            shape,
            dtype,
        } = self.param;
        if shape != expected || dtype != "F32" {
            return Err(ModelError::Shape {
                name,
                expected: expected.to_vec(),
                shape,
                dtype,
            });
        }
        let count = expected
            .iter()
            .try_fold(1_usize, |product, side| product.checked_mul(*side));
        if count != Some(values.len()) {
            return Err(ModelError::Count {
                name,
                count: values.len(),
            });
        }
        Ok(values)
    }
}

impl Lstm {
    fn weights(self, width: usize) -> Result<LstmWeights, ModelError> {
        let gates: [Gate; GATES] = [
            self.input_gate,
            self.forget_gate,
            self.output_gate,
            self.cell_gate,
        ];
        let (mut input, mut hidden) = (Vec::new(), Vec::new());
        for gate in gates {
            let shape = [width, width];
            input.push(
                gate.input_transform
                    .without_bias("a gate's input layer", &shape)?,
            );
            hidden.push(
                gate.hidden_transform
                    .without_bias("a gate's hidden layer", &shape)?,
            );
        }
        Ok(LstmWeights {
            input: side_by_side(&input, width),
            hidden: side_by_side(&hidden, width),
        })
    }
}

impl Linear {
    fn without_bias(self, name: &'static str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        match self.bias {
            Some(_) => Err(ModelError::Bias(name)),
            None => self.weight.values(name, shape),
        }
    }
}

/// One matrix whose rows are the rows of all, one after the other. One pass over a step's input then serves every gate.
fn side_by_side(matrices: &[Vec<f32>], width: usize) -> Vec<f32> {
    let rows = 0..width;
    rows.flat_map(|row| {
        matrices
            .iter()
            .flat_map(move |matrix| &matrix[row * width..][..width])
    })
    .copied()
    .collect()
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = Values;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("bytes of f32 values")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Values, E> {
                let (values, rest) = bytes.as_chunks();
                if !rest.is_empty() {
                    return Err(E::invalid_length(bytes.len(), &self));
                }
                Ok(Values(
                    values.iter().copied().map(f32::from_le_bytes).collect(),
                ))
            }
        }

        deserializer.deserialize_bytes(Bytes)
    }
}

#[cfg(test)]
impl serde::Serialize for Values {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self
            .0
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        serializer.serialize_bytes(&bytes)
    }
}
