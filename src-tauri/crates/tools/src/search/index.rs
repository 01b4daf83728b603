//! An index of one folder, updated file by file.
//!
//! The list of indexed files is written in the same transaction as the index, so the two always agree.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use loopwright_engine::CancellationToken;
use loopwright_text::Word;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params, types::Type};
use serde_json::{Value, json};

use super::{
    database::{self, Database, Failure},
    error::SearchError,
    extract,
    passage::Passages,
    ranking::{BODY, FIELDS, Occurrence, Ranking},
    scan::{self, Changes, Manifest, Seen},
    stems::stems,
};

/// The maximum number of characters in a result's `snippet`.
const SNIPPET: usize = 320;
/// The maximum number of characters in a result's `text`.
const TEXT: usize = 2_400;

/// The index of a folder.
pub(crate) struct DocumentIndex {
    folder: PathBuf,
    /// A subfolder that is not indexed; `None` if there is no such subfolder.
    except: Option<PathBuf>,
    database: Database,
}

/// A document that a search found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hit {
    title: String,
    /// The path of the document relative to the folder, with `/`.
    path: String,
    score: f64,
    snippet: String,
    text: String,
}

impl From<Hit> for Value {
    fn from(hit: Hit) -> Self {
        json!({
            "title": hit.title,
            "path": hit.path,
            "score": (hit.score * 1000.0).round() / 1000.0,
            "snippet": hit.snippet,
            "text": hit.text,
        })
    }
}

/// Updates the index of `folder`, which is stored under `root`, and returns the `limit` best documents for `query`. A
/// damaged index is rebuilt, because it is only a cache.
///
/// # Errors
/// Returns an error if the folder cannot be read, if the index cannot be used, or if the search is cancelled.
pub(crate) fn find(
    folder: &Path,
    root: &Path,
    except: Option<&Path>,
    query: &str,
    limit: usize,
    cancel: &CancellationToken,
) -> Result<Vec<Hit>, SearchError> {
    let folder = folder
        .canonicalize()
        .ok()
        .filter(|found| found.is_dir())
        .ok_or_else(|| SearchError::NoFolder(folder.display().to_string()))?;
    let place = database::place(root, &folder);
    if !place.exists() {
        database::remove_earlier(root);
    }
    let find = || {
        let index = DocumentIndex::open(&folder, &place, except.map(Path::to_owned))?;
        index.refresh(cancel)?;
        index.search(query, limit)
    };
    find()
        .or_else(|failure| {
            if !failure.is_damage() {
                return Err(failure);
            }
            let error = failure.of(&folder, &place);
            tracing::warn!(%error, "the search index is rebuilt");
            database::renew(&place)?;
            find()
        })
        .map_err(|failure| failure.of(&folder, &place))
}

impl DocumentIndex {
    /// Opens the index of `folder` in `place`, and creates an empty one if needed.
    ///
    /// # Errors
    /// Returns an error if the index cannot be opened or created.
    pub(crate) fn open(
        folder: &Path,
        place: &Path,
        except: Option<PathBuf>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            folder: folder.to_owned(),
            except,
            database: Database::open(place)?,
        })
    }

    /// Updates the index: changed files are indexed again, and deleted files are removed.
    ///
    /// One process writes at a time. Another process waits for up to ten seconds and then searches the existing index.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read, if the index cannot be written, or if the search is cancelled.
    pub(crate) fn refresh(&self, cancel: &CancellationToken) -> Result<(), Failure> {
        let before = manifest(&self.database.connection)?;
        let mut changes = self.changes(&before, cancel)?;
        if !changes.is_empty() {
            match self.database.writer(cancel)? {
                Some(writer) => {
                    // Another process may have done the work while this one waited for the lock.
                    let before = manifest(&writer)?;
                    changes = self.changes(&before, cancel)?;
                    write(&writer, &changes, &before)?;
                    writer.commit()?;
                }
                None if before.is_empty() => return Err(Failure::Busy),
                None => {
                    tracing::warn!(folder = %self.folder.display(), "searched the last finished index, because another process is indexing")
                }
            }
        }
        let is_empty: bool = self.database.connection.query_row(
            "SELECT NOT EXISTS (SELECT 1 FROM document)",
            [],
            |row| row.get(0),
        )?;
        if is_empty {
            return Err(SearchError::NoDocuments {
                folder: self.folder.display().to_string(),
                skipped: changes.skipped(),
                kinds: scan::readable_kinds(),
            }
            .into());
        }
        Ok(())
    }

    fn changes(
        &self,
        before: &Manifest,
        cancel: &CancellationToken,
    ) -> Result<Changes, SearchError> {
        scan::changes(&self.folder, self.except.as_deref(), before, cancel)
    }

    /// Returns the best `limit` documents for `query`, best first, by BM25 over title and body. Equal scores are ordered by
    /// path.
    ///
    /// # Errors
    /// Returns an error if the index cannot be read.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, Failure> {
        // The transaction is a snapshot of the index, unaffected by other processes.
        let moment = self.database.connection.unchecked_transaction()?;
        let words = loopwright_text::words(query);
        let (ids, lengths) = documents(&moment)?;
        let mut ranking = Ranking::new(lengths);
        let weights = rank(&moment, &words, &ids, &mut ranking)?;
        let mut read = moment
            .prepare("SELECT path, title, text FROM body JOIN document USING (id) WHERE id = ?1")?;
        let mut hits = Vec::new();
        for (document, score) in ranking.best(limit) {
            hits.push(read.query_row([ids[document]], |row| {
                let passages = Passages::of(row.get_ref(2)?.as_str()?, &weights);
                Ok(Hit {
                    path: row.get(0)?,
                    title: row.get(1)?,
                    score,
                    snippet: passages.best(SNIPPET),
                    text: passages.best(TEXT),
                })
            })?);
        }
        Ok(hits)
    }
}

/// Returns the ids of all documents and the lengths of their fields, ordered by path.
fn documents(connection: &Connection) -> rusqlite::Result<(Vec<i64>, Vec<[u32; 2]>)> {
    let mut all =
        connection.prepare("SELECT id, title_stems, body_stems FROM document ORDER BY path")?;
    let rows = all.query_map([], |row| Ok((row.get(0)?, [row.get(1)?, row.get(2)?])))?;
    rows.collect::<rusqlite::Result<Vec<(i64, [u32; 2])>>>()
        .map(|rows| rows.into_iter().unzip())
}

/// Ranks the documents that contain any of the query's stems in title or body. A document gets a bonus if names that are
/// adjacent in the query are also adjacent in the document. Returns the inverse document frequency of each stem, which is
/// used to select sentences.
fn rank(
    connection: &Connection,
    words: &[Word],
    ids: &[i64],
    ranking: &mut Ranking,
) -> Result<HashMap<String, f64>, Failure> {
    let places: HashMap<i64, usize> = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let names: Vec<&[Word]> = words
        .windows(2)
        .filter(|pair| pair.iter().all(is_name))
        .collect();
    let in_names: HashSet<&str> = names
        .iter()
        .copied()
        .flatten()
        .map(|word| word.stem.as_str())
        .collect();
    let mut kept: HashMap<&str, Vec<Occurrence>> = HashMap::new();
    let mut weights = HashMap::new();
    for word in words.iter().filter(|word| !word.is_stop()) {
        if weights.contains_key(&word.stem) {
            continue;
        }
        let found = occurrences(connection, &word.stem, &places)?;
        ranking.add_stem(&found);
        weights.insert(word.stem.clone(), ranking.importance(&found, BODY));
        if in_names.contains(word.stem.as_str()) {
            kept.insert(&word.stem, found);
        }
    }
    for pair in names {
        if let [Some(first), Some(second)] =
            [0, 1].map(|at: usize| kept.get(pair[at].stem.as_str()))
        {
            ranking.add_phrase(first, second);
        }
    }
    Ok(weights)
}

fn is_name(word: &Word) -> bool {
    word.capital && !word.is_stop()
}

fn occurrences(
    connection: &Connection,
    stem: &str,
    places: &HashMap<i64, usize>,
) -> Result<Vec<Occurrence>, Failure> {
    let mut all =
        connection.prepare_cached("SELECT doc, col, \"offset\" FROM occurrence WHERE term = ?1")?;
    let mut rows = all.query([stem])?;
    let mut found = Vec::new();
    let mut last = None;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let document = match last {
            Some((known, document)) if known == id => document,
            _ => places
                .get(&id)
                .copied()
                .ok_or(Failure::Damaged("a word is in no document"))?,
        };
        last = Some((id, document));
        let column = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
        found.push(Occurrence {
            document,
            field: usize::from(column != FIELDS[0]),
            position: row.get(2)?,
        });
    }
    Ok(found)
}

fn manifest(connection: &Connection) -> rusqlite::Result<Manifest> {
    let mut all = connection.prepare("SELECT path, seen FROM file")?;
    let rows = all.query_map([], |row| {
        let seen = serde_json::from_str(row.get_ref(1)?.as_str()?);
        let seen: Seen = seen.map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(1, Type::Text, Box::new(error))
        })?;
        Ok((row.get(0)?, seen))
    })?;
    rows.collect()
}

fn write(writer: &Transaction<'_>, changes: &Changes, before: &Manifest) -> Result<(), Failure> {
    for path in &changes.removed {
        remove(writer, path)?;
    }
    for (path, text) in &changes.written {
        remove(writer, path)?;
        add(writer, path, text)?;
    }
    let mut forget = writer.prepare("DELETE FROM file WHERE path = ?1")?;
    for path in before
        .keys()
        .filter(|path| !changes.manifest.contains_key(*path))
    {
        forget.execute([path])?;
    }
    let mut keep = writer.prepare("INSERT OR REPLACE INTO file (path, seen) VALUES (?1, ?2)")?;
    for (path, seen) in &changes.manifest {
        if before.get(path) != Some(seen) {
            keep.execute(params![path, json!(seen).to_string()])?;
        }
    }
    Ok(())
}

fn add(writer: &Transaction<'_>, path: &str, text: &str) -> rusqlite::Result<()> {
    let read = extract::read(Path::new(path), text);
    let (title, title_stems) = stems(&read.title);
    let (body, body_stems) = stems(&read.body);
    writer
        .prepare_cached("INSERT INTO body (text) VALUES (?1)")?
        .execute([&read.body])?;
    let id = writer.last_insert_rowid();
    writer
        .prepare_cached("INSERT INTO stem (rowid, title, body) VALUES (?1, ?2, ?3)")?
        .execute(params![id, title, body])?;
    writer
        .prepare_cached(
            "INSERT INTO document (path, id, title, title_stems, body_stems) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![path, id, read.title, title_stems, body_stems])?;
    Ok(())
}

fn remove(writer: &Transaction<'_>, path: &str) -> rusqlite::Result<()> {
    let id: Option<i64> = writer
        .prepare_cached("DELETE FROM document WHERE path = ?1 RETURNING id")?
        .query_row([path], |row| row.get(0))
        .optional()?;
    if let Some(id) = id {
        for statement in [
            "DELETE FROM body WHERE id = ?1",
            "DELETE FROM stem WHERE rowid = ?1",
        ] {
            writer.prepare_cached(statement)?.execute([id])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{fs, thread, time::Duration};

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

        fn place(&self) -> PathBuf {
            let documents = self.documents.path().canonicalize().unwrap();
            database::place(self.data.path(), &documents)
        }

        fn open(&self, place: &Path) -> DocumentIndex {
            DocumentIndex::open(self.documents.path(), place, None).unwrap()
        }

        fn try_find(&self, query: &str) -> Result<Vec<String>, SearchError> {
            let cancel = CancellationToken::new();
            let (documents, data) = (self.documents.path(), self.data.path());
            let hits = find(documents, data, None, query, 5, &cancel)?;
            Ok(hits.into_iter().map(|hit| hit.path).collect())
        }

        fn find(&self, query: &str) -> Vec<String> {
            self.try_find(query).unwrap()
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
        let error = folder.try_find("lamp").err().unwrap().to_string();
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
    fn names_count_more_where_they_stand_together() {
        let folder = Folder::new(&[
            ("1.txt", "lake of ennory lamp"),
            ("2.txt", "lamp lake ennory"),
            ("3.txt", "ennory lamp lake"),
        ]);
        assert_eq!(folder.find("Lake Ennory")[0], "2.txt");
        assert_eq!(folder.find("Ennory Lamp"), ["1.txt", "3.txt", "2.txt"]);
        assert_eq!(folder.find("ennory lamp"), ["1.txt", "2.txt", "3.txt"]);
    }

    #[test]
    fn numbers_and_letters_beyond_ascii_are_found() {
        let folder = Folder::new(&[
            ("a.txt", "Der Würfel rollt 1,120 Meter."),
            ("b.txt", "Ζαχαρίας wog 11.5 Pfund."),
        ]);
        assert_eq!(folder.find("würfel"), ["a.txt"]);
        assert_eq!(folder.find("1,120"), ["a.txt"]);
        assert_eq!(folder.find("Ζαχαρίας"), ["b.txt"]);
        assert_eq!(folder.find("11.5"), ["b.txt"]);
        assert_eq!(folder.find("11"), Vec::<String>::new());
    }

    #[test]
    fn a_second_writer_waits_or_reads() {
        let folder = Folder::new(&[("a.md", "one lamp")]);
        assert_eq!(folder.find("lamp"), ["a.md"]);
        let first = folder.open(&folder.place());
        let cancel = CancellationToken::new();
        let writer = first.database.writer(&cancel).unwrap().unwrap();
        // If nothing has changed, a search needs no write lock.
        assert_eq!(folder.find("lamp"), ["a.md"]);
        let second = folder.open(&folder.place());
        cancel.cancel();
        assert!(matches!(
            second.database.writer(&cancel),
            Err(Failure::Search(SearchError::Cancelled))
        ));
        folder.write("b.md", "two lamps and a lamp");
        thread::scope(|scope| {
            let waits = scope.spawn(|| folder.find("lamp").len());
            thread::sleep(Duration::from_millis(300));
            drop(writer);
            assert_eq!(waits.join().unwrap(), 2);
        });
    }

    #[test]
    fn what_a_killed_writer_leaves_is_read_and_completed() {
        let folder = Folder::new(&[("a.md", "one lamp")]);
        assert_eq!(folder.find("lamp"), ["a.md"]);
        folder.write("b.md", "two lamps. ".repeat(50_000));
        let cancel = CancellationToken::new();
        let index = folder.open(&folder.place());
        let writer = index.database.writer(&cancel).unwrap().unwrap();
        // Without a memory cache, the write-ahead log is long before the commit.
        writer.pragma_update(None, "cache_size", 1).unwrap();
        let before = manifest(&writer).unwrap();
        let changes = index.changes(&before, &cancel).unwrap();
        write(&writer, &changes, &before).unwrap();
        let left = tempfile::tempdir().unwrap();
        for name in ["index.db", "index.db-wal"] {
            let size = fs::copy(folder.place().join(name), left.path().join(name)).unwrap();
            assert!(size > 100_000 || name == "index.db", "{name}: {size}");
        }
        drop(writer);
        let next = folder.open(left.path());
        assert_eq!(next.search("lamp", 5).unwrap().len(), 1);
        next.refresh(&cancel).unwrap();
        assert_eq!(next.search("lamp", 5).unwrap().len(), 2);
    }

    #[test]
    fn a_broken_index_is_built_again() {
        type Damage = (&'static str, fn(&Path));
        let damages: [Damage; 5] = [
            ("no database", |file| fs::write(file, "{").unwrap()),
            ("empty", |file| fs::write(file, "").unwrap()),
            ("cut", |file| {
                let size = fs::metadata(file).unwrap().len();
                let file = fs::File::options().write(true).open(file).unwrap();
                file.set_len(size / 2).unwrap();
            }),
            ("of another program", |file| {
                fs::remove_file(file).unwrap();
                let other = Connection::open(file).unwrap();
                other.execute_batch("CREATE TABLE other (x)").unwrap();
            }),
            ("a table is missing", |file| {
                let index = Connection::open(file).unwrap();
                index.execute_batch("DROP TABLE body").unwrap();
            }),
        ];
        let folder = Folder::new(&[("a.md", "one lamp")]);
        for (name, damage) in damages {
            assert_eq!(folder.find("lamp"), ["a.md"], "before {name}");
            damage(&folder.place().join("index.db"));
            assert_eq!(folder.find("lamp"), ["a.md"], "{name}");
        }
    }

    #[test]
    fn a_missing_folder_is_named() {
        let data = tempfile::tempdir().unwrap();
        let cancel = CancellationToken::new();
        let missing = Path::new("/no/such/folder");
        let error = find(missing, data.path(), None, "lamp", 5, &cancel)
            .err()
            .unwrap();
        assert!(error.to_string().contains("/no/such/folder"), "{error}");
    }
}
