//! Similarity of two values, for convergence.
