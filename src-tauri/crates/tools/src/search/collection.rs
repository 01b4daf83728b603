//! The sample collection inside the program: articles about the fictional Talvane Islands.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use super::error::{SearchError, unreadable};

macro_rules! articles {
    ($($name:literal)*) => {
        /// The file name and text of every article.
        const ARTICLES: &[(&str, &str)] = &[$((
            concat!($name, ".md"),
            include_str!(concat!("../../collection/articles/", $name, ".md")),
        )),*];
    };
}

articles! {
    "ambrose-keel"
    "annis-vey"
    "bluebark"
    "carn-ulder-observatory"
    "carn-ulder"
    "carrowick-school"
    "cask-hall"
    "corrow"
    "dorcas-winmore"
    "dunmarrow"
    "edda-lorne"
    "emberline"
    "fenna-ostrey"
    "hesk"
    "honor-cressing"
    "ilse-quandt"
    "juniper"
    "lake-ennory"
    "little-vannet"
    "lucan-dray"
    "medlar"
    "mirrin"
    "morwenna-tace"
    "old-temperance"
    "port-sellick"
    "prudence-amory"
    "quillhaven-bell-tower"
    "quillhaven"
    "rosalind-teague"
    "ruskay"
    "sabine-orlo"
    "salt-thorn"
    "songs-for-a-slack-tide"
    "sorley"
    "thale-geothermal-works"
    "thale"
    "the-amber-sexton"
    "the-ash-petrel"
    "the-blue-canon"
    "the-copper-heron"
    "the-dunmarrow-fog-bell"
    "the-fallowgate-viaduct"
    "the-grey-midwife"
    "the-harrow-light"
    "the-hesk-diver"
    "the-hesk-messenger"
    "the-holdfast-trust"
    "the-hollin-refractor"
    "the-kelp-tithe"
    "the-lamp-oil-act"
    "the-lantern-regatta"
    "the-lindle-reading-room"
    "the-lothmere-works"
    "the-marine-school"
    "the-merrow-library"
    "the-mirrin-light-railway"
    "the-noctule"
    "the-old-ropewalk"
    "the-peat-strike-of-1911"
    "the-pellew-reflector"
    "the-regatta-comet"
    "the-sable-point-light"
    "the-sallow-bridge"
    "the-silver-oar"
    "the-swallowtail"
    "the-talvane-courier"
    "the-talvane-islands"
    "the-talvane-telephone-company"
    "the-thirty"
    "the-wether-bay-assembly-rooms"
    "the-wether-bay-tide-mill"
    "the-windle"
    "the-wreck-of-the-calloway"
    "tobias-arkwell"
    "vannet-station"
    "wether-bay"
}

/// The number of temporary files that this process has created.
static DRAFTS: AtomicU64 = AtomicU64::new(0);

/// Writes the files of the collection that are missing or differ to the data folder, and returns the folder of the
/// collection.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub(crate) fn unpack(data_dir: &Path) -> Result<PathBuf, SearchError> {
    let folder = data_dir.join("sample-collection");
    fs::create_dir_all(&folder).map_err(|error| unreadable(&folder, error))?;
    for (name, text) in ARTICLES {
        let path = folder.join(name);
        if fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
            continue;
        }
        // Another process or thread may be unpacking too, so each file appears complete or not at all.
        let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
        let draft = folder.join(format!(".{name}.{}.{number}", std::process::id()));
        fs::write(&draft, text)
            .and_then(|()| fs::rename(&draft, &path))
            .map_err(|error| unreadable(&path, error))?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_article_of_the_folder_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("collection/articles");
        let mut on_disk: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        on_disk.sort();
        let embedded: Vec<_> = ARTICLES
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        assert_eq!(embedded, on_disk);
    }

    #[test]
    fn runs_that_begin_together_all_find_it() {
        for _ in 0..10 {
            let data = tempfile::tempdir().unwrap();
            std::thread::scope(|scope| {
                let unpacked: Vec<_> = (0..8)
                    .map(|_| scope.spawn(|| unpack(data.path())))
                    .collect();
                for one in unpacked {
                    one.join().unwrap().unwrap();
                }
            });
        }
    }

    #[test]
    fn a_changed_file_is_restored() {
        let data = tempfile::tempdir().unwrap();
        let folder = unpack(data.path()).unwrap();
        let path = folder.join(ARTICLES[0].0);
        fs::write(&path, "other").unwrap();
        unpack(data.path()).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), ARTICLES[0].1);
    }
}
