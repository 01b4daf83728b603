//! A tantivy index of one folder, kept in step with it file by file.
//!
//! What was indexed is recorded in the payload of the commit that indexed it, so that the two can never disagree.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use loopwright_engine::CancellationToken;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tantivy::{
    Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term,
    collector::TopDocs,
    directory::{MmapDirectory, error::LockError},
    query::{BooleanQuery, BoostQuery, Occur, PhraseQuery, Query, TermQuery},
    schema::{
        Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
        Value as _,
    },
    tokenizer::TextAnalyzer,
};

use super::{
    SearchError, extract,
    passage::best_passage,
    scan::{self, Changes, Manifest},
    tokenizer,
};

/// Counted up when the fields or the words of the index change.
const FORMAT: &str = "1";
/// A word in the title says more of what an article is about than one in its body.
const TITLE_BOOST: f32 = 2.0;
/// Names should be found as such: `Lake Ennory` beats a page with lakes and Ennory apart.
const PHRASE_BOOST: f32 = 1.5;
/// Characters of a result's `snippet` and of its `text`.
const SNIPPET: usize = 320;
const TEXT: usize = 2_400;
const WRITER_MEMORY: usize = 20_000_000;
/// How long a second process waits for the first to finish indexing.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The index of a folder.
pub(crate) struct DocumentIndex {
    folder: PathBuf,
    /// A folder below that is left out.
    except: Option<PathBuf>,
    place: PathBuf,
    index: Index,
    reader: IndexReader,
    fields: Fields,
}

#[derive(Clone, Copy)]
struct Fields {
    path: Field,
    title: Field,
    body: Field,
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hit {
    title: String,
    /// Relative to the folder, with `/`.
    path: String,
    score: f32,
    snippet: String,
    text: String,
}

/// A query, and the weight of each of its words by stem.
type Weighted = (BooleanQuery, HashMap<String, f64>);

impl From<Hit> for Value {
    fn from(hit: Hit) -> Self {
        json!({
            "title": hit.title,
            "path": hit.path,
            "score": (f64::from(hit.score) * 1000.0).round() / 1000.0,
            "snippet": hit.snippet,
            "text": hit.text,
        })
    }
}

impl DocumentIndex {
    /// Opens the index of `folder` below `root`; makes an empty one when there is none. An index that cannot be opened is made again:
    /// it is a cache.
    pub(crate) fn open(
        folder: &Path,
        root: &Path,
        except: Option<PathBuf>,
    ) -> Result<Self, SearchError> {
        let found = folder
            .canonicalize()
            .ok()
            .filter(|found| found.is_dir())
            .ok_or_else(|| SearchError::NoFolder(folder.display().to_string()))?;
        let name: String = Sha256::digest(found.as_os_str().as_encoded_bytes())
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let place = root.join(format!("{FORMAT}-{name}"));
        let opened = Self::open_at(&found, &place).or_else(|error| {
            tracing::warn!(place = %place.display(), %error, "the search index is rebuilt");
            fs::remove_dir_all(&place).map_err(TantivyError::from)?;
            Self::open_at(&found, &place)
        });
        let mut opened = opened.map_err(|error| failed(&place, error))?;
        opened.except = except;
        Ok(opened)
    }

    fn open_at(folder: &Path, place: &Path) -> Result<Self, TantivyError> {
        let mut schema = Schema::builder();
        let text = TextOptions::default().set_stored().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer(tokenizer::NAME)
                .set_index_option(IndexRecordOption::WithFreqsAndPositions),
        );
        let fields = Fields {
            path: schema.add_text_field("path", STRING | STORED),
            title: schema.add_text_field("title", text.clone()),
            body: schema.add_text_field("body", text),
        };
        fs::create_dir_all(place)?;
        let index = Index::open_or_create(MmapDirectory::open(place)?, schema.build())?;
        index
            .tokenizers()
            .register(tokenizer::NAME, TextAnalyzer::from(tokenizer::EnglishStems));
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        Ok(Self {
            folder: folder.to_owned(),
            except: None,
            place: place.to_owned(),
            index,
            reader,
            fields,
        })
    }

    /// Brings the index in step with the folder: changed files are indexed again, deleted ones removed.
    ///
    /// One process writes at a time. Another one waits up to ten seconds and then searches what there is.
    pub(crate) fn refresh(&self, cancel: &CancellationToken) -> Result<(), SearchError> {
        let mut changes = self.changes(cancel)?;
        if !changes.is_empty() {
            match self.writer(cancel)? {
                Some(writer) => {
                    // The lock may have been waited for while another process did the work.
                    changes = self.changes(cancel)?;
                    if !changes.is_empty() {
                        self.write(writer, &changes)
                            .map_err(|error| failed(&self.place, error))?;
                    }
                }
                None if self.manifest().is_empty() => {
                    return Err(SearchError::Busy(self.folder.display().to_string()));
                }
                None => {
                    tracing::warn!(folder = %self.folder.display(), "searched as last indexed: another process is indexing")
                }
            }
        }
        self.reader
            .reload()
            .map_err(|error| failed(&self.place, error))?;
        if self.reader.searcher().num_docs() == 0 {
            return Err(SearchError::NoDocuments {
                folder: self.folder.display().to_string(),
                skipped: changes.skipped(),
                kinds: scan::readable_kinds(),
            });
        }
        Ok(())
    }

    fn changes(&self, cancel: &CancellationToken) -> Result<Changes, SearchError> {
        scan::changes(
            &self.folder,
            self.except.as_deref(),
            &self.manifest(),
            cancel,
        )
    }

    fn manifest(&self) -> Manifest {
        let payload = self.index.load_metas().ok().and_then(|metas| metas.payload);
        payload
            .and_then(|payload| serde_json::from_str(&payload).ok())
            .unwrap_or_default()
    }

    /// The one writer of this index; `None` while another process keeps it.
    fn writer(&self, cancel: &CancellationToken) -> Result<Option<IndexWriter>, SearchError> {
        let start = Instant::now();
        loop {
            match self.index.writer_with_num_threads(1, WRITER_MEMORY) {
                Ok(writer) => return Ok(Some(writer)),
                Err(TantivyError::LockFailure(LockError::LockBusy, _)) => {}
                Err(error) => return Err(failed(&self.place, error)),
            }
            if cancel.is_cancelled() {
                return Err(SearchError::Cancelled);
            }
            if start.elapsed() > LOCK_TIMEOUT {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn write(&self, mut writer: IndexWriter, changes: &Changes) -> Result<(), TantivyError> {
        let Fields { path, title, body } = self.fields;
        for removed in &changes.removed {
            writer.delete_term(Term::from_field_text(path, removed));
        }
        for (name, text) in &changes.written {
            let read = extract::read(Path::new(name), text);
            writer.delete_term(Term::from_field_text(path, name));
            let mut document = TantivyDocument::default();
            document.add_text(path, name);
            document.add_text(title, &read.title);
            document.add_text(body, &read.body);
            writer.add_document(document)?;
        }
        let manifest = serde_json::to_string(&changes.manifest)
            .map_err(|error| TantivyError::InternalError(error.to_string()))?;
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&manifest);
        commit.commit()?;
        writer.wait_merging_threads()
    }

    /// The best `limit` documents for `query`, best first, by BM25 over title and body; equals in the order of their paths.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, SearchError> {
        let searcher = self.reader.searcher();
        self.ranked(&searcher, query, limit)
            .map_err(|error| failed(&self.place, error))
    }

    fn ranked(
        &self,
        searcher: &Searcher,
        query: &str,
        limit: usize,
    ) -> Result<Vec<Hit>, TantivyError> {
        let Some((query, weights)) = self.parse(searcher, query)? else {
            return Ok(Vec::new());
        };
        // A few more than asked for, so that equals are ordered by path before the cut.
        let top = searcher.search(&query, &TopDocs::with_limit(limit + 10).order_by_score())?;
        let mut found = Vec::with_capacity(top.len());
        for (score, address) in top {
            let document: TantivyDocument = searcher.doc(address)?;
            let text = |field| {
                let value = document.get_first(field);
                value
                    .and_then(|value| value.as_str())
                    .unwrap_or_default()
                    .to_owned()
            };
            found.push((
                score,
                text(self.fields.path),
                text(self.fields.title),
                text(self.fields.body),
            ));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        found.truncate(limit);
        Ok(found
            .into_iter()
            .map(|(score, path, title, body)| Hit {
                snippet: best_passage(&body, &weights, SNIPPET),
                text: best_passage(&body, &weights, TEXT),
                title,
                path,
                score,
            })
            .collect())
    }

    /// Any of the query's stems in title or body, with a bonus for neighbouring words that stand together; and the inverse document
    /// frequency of each stem, for the choice of sentences. `None` when the query holds no word but stop words.
    fn parse(&self, searcher: &Searcher, query: &str) -> Result<Option<Weighted>, TantivyError> {
        let words = loopwright_text::words(query);
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut weights = HashMap::new();
        let documents = searcher.num_docs() as f64;
        let Fields { title, body, .. } = self.fields;
        for word in words.iter().filter(|word| !word.is_stop()) {
            if weights.contains_key(&word.stem) {
                continue;
            }
            for (field, boost) in [(title, TITLE_BOOST), (body, 1.0)] {
                let term = Term::from_field_text(field, &word.stem);
                let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                clauses.push((
                    Occur::Should,
                    Box::new(BoostQuery::new(Box::new(query), boost)),
                ));
            }
            let frequency = searcher.doc_freq(&Term::from_field_text(body, &word.stem))? as f64;
            let importance =
                (1.0 + (documents - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln();
            weights.insert(word.stem.clone(), importance);
        }
        for pair in words.windows(2) {
            let [first, second] = pair else { continue };
            let names = first.capital && second.capital;
            if !names || first.is_stop() || second.is_stop() {
                continue;
            }
            for field in [title, body] {
                let terms = [first, second].map(|word| Term::from_field_text(field, &word.stem));
                let query = PhraseQuery::new(terms.to_vec());
                clauses.push((
                    Occur::Should,
                    Box::new(BoostQuery::new(Box::new(query), PHRASE_BOOST)),
                ));
            }
        }
        Ok((!clauses.is_empty()).then(|| (BooleanQuery::new(clauses), weights)))
    }
}

fn failed(place: &Path, error: TantivyError) -> SearchError {
    SearchError::Index {
        path: place.display().to_string(),
        message: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder {
        documents: tempfile::TempDir,
        data: tempfile::TempDir,
    }

    impl Folder {
        fn new(files: &[(&str, &str)]) -> Self {
            let folder = Self {
                documents: tempfile::tempdir().unwrap(),
                data: tempfile::tempdir().unwrap(),
            };
            for (name, text) in files {
                folder.write(name, text);
            }
            folder
        }

        fn write(&self, name: &str, text: impl AsRef<[u8]>) {
            let path = self.documents.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn index(&self) -> Result<DocumentIndex, SearchError> {
            let index = DocumentIndex::open(self.documents.path(), self.data.path(), None)?;
            index.refresh(&CancellationToken::new())?;
            Ok(index)
        }

        fn find(&self, query: &str) -> Vec<String> {
            let hits = self.index().unwrap().search(query, 5).unwrap();
            hits.into_iter().map(|hit| hit.path).collect()
        }
    }

    #[test]
    fn the_index_follows_the_folder() {
        let folder = Folder::new(&[
            ("a.md", "# Lighthouse\n\nA tower with a lamp."),
            ("sub/b.txt", "A ferry sails."),
            ("image.png", "lamp"),
            (".hidden.md", "lamp"),
        ]);
        assert_eq!(folder.find("lamps"), ["a.md"]);
        folder.write("sub/b.txt", "A ferry with a lamp.");
        assert_eq!(folder.find("ferries lamp"), ["sub/b.txt", "a.md"]);
        fs::remove_file(folder.documents.path().join("a.md")).unwrap();
        assert_eq!(folder.find("lamp"), ["sub/b.txt"]);
        assert_eq!(folder.find("the of what"), Vec::<String>::new());
        folder.write("sub/b.txt", b"lamp\0binary");
        let error = folder.index().err().unwrap().to_string();
        assert!(
            error.contains("1 binary") && error.contains("1 of other kinds"),
            "{error}"
        );
    }

    #[test]
    fn titles_and_names_rank_first() {
        let folder = Folder::new(&[
            ("ennory.md", "# Lake Ennory\n\nIt is deep."),
            (
                "lakes.md",
                "# Water\n\nThe lake lies far from Ennory. A lake is a lake. Lake, lake.",
            ),
            ("other.md", "# Hill\n\nA hill by the lake."),
        ]);
        assert_eq!(folder.find("How deep is Lake Ennory?")[0], "ennory.md");
    }

    #[test]
    fn a_second_writer_waits_or_reads() {
        let folder = Folder::new(&[("a.md", "one lamp")]);
        let first = folder.index().unwrap();
        let writer = first.writer(&CancellationToken::new()).unwrap().unwrap();
        // Nothing changed: searching needs no lock.
        assert_eq!(folder.find("lamp"), ["a.md"]);
        folder.write("b.md", "two lamps and a lamp");
        let release = thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            drop(writer);
        });
        assert_eq!(folder.find("lamp").len(), 2);
        release.join().unwrap();
    }

    #[test]
    fn a_broken_index_is_made_anew() {
        let folder = Folder::new(&[("a.md", "one lamp")]);
        let place = folder.index().unwrap().place;
        fs::write(place.join("meta.json"), "{").unwrap();
        assert_eq!(folder.find("lamp"), ["a.md"]);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let data = tempfile::tempdir().unwrap();
        let error = DocumentIndex::open(Path::new("/no/such/folder"), data.path(), None)
            .err()
            .unwrap();
        assert!(error.to_string().contains("/no/such/folder"), "{error}");
    }
}
