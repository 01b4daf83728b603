//! A PostgreSQL server for tests, in a temporary folder. If the test runs as root, the server runs as the user `postgres`,
//! because PostgreSQL refuses to run as root.

use std::{
    fs,
    net::TcpListener,
    path::PathBuf,
    process::{Command, Output, Stdio},
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tempfile::TempDir;

/// A running server. Dropping it stops the server and deletes its folder.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
    next: Mutex<u32>,
}

/// Returns the folder where distributions such as Debian install the server's programs; `None` if they are not installed
/// there.
fn programs() -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .filter_map(|version| Some(version.ok()?.path().join("bin")))
        .filter(|bin| bin.join("initdb").exists())
        .collect();
    found.sort();
    found.pop()
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|id| id.stdout.starts_with(b"0\n"))
}

fn done(command: &mut Command) -> Output {
    let output = command.output().expect("the program of the server starts");
    assert!(
        output.status.success(),
        "{command:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

impl Postgres {
    /// Starts a server. Returns `None` if PostgreSQL is not installed.
    pub fn start() -> Option<Self> {
        let programs = programs()?;
        let folder = tempfile::Builder::new()
            .prefix("loopwright-pg-")
            .tempdir()
            .expect("a temporary folder can be made");
        if is_root() {
            done(Command::new("chown").arg("postgres").arg(folder.path()));
        }
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a port is free")
            .port();
        let server = Self {
            programs,
            folder,
            port,
            next: Mutex::new(0),
        };
        done(
            server
                .program("initdb")
                .args([
                    "-A",
                    "trust",
                    "-U",
                    "postgres",
                    "-E",
                    "UTF8",
                    "--locale=C",
                    "-D",
                ])
                .arg(server.data()),
        );
        server.up();
        Some(server)
    }

    /// Returns the server that the tests of this process share; `None` if no server can be started. The server stops when its
    /// last user drops it.
    pub fn shared() -> Option<Arc<Self>> {
        static SERVER: Mutex<Weak<Postgres>> = Mutex::new(Weak::new());
        let mut shared = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = shared.upgrade() {
            return Some(server);
        }
        let server = Arc::new(Self::start()?);
        *shared = Arc::downgrade(&server);
        Some(server)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns a command for one of the server's programs. The command runs as the server's user.
    fn program(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir("/").stdin(Stdio::null());
        command
    }

    /// Starts the stopped server again.
    pub fn up(&self) {
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories={} -c max_connections=200",
            self.port,
            self.folder.path().display()
        );
        let log = self.folder.path().join("log");
        let status = self
            .program("pg_ctl")
            .args(["-w", "-D"])
            .arg(self.data())
            .arg("-l")
            .arg(&log)
            .args(["-o", &options, "start"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("the server starts");
        assert!(
            status.success(),
            "{}",
            fs::read_to_string(log).unwrap_or_default()
        );
    }

    /// Stops the server at once, as in a crash.
    pub fn kill(&self) {
        let _ = self
            .program("pg_ctl")
            .args(["-m", "immediate", "-D"])
            .arg(self.data())
            .arg("stop")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }

    /// Returns the contents of a database as text.
    pub fn dump(&self, url: &str) -> String {
        let output = done(self.program("pg_dump").arg(url));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs a SQL statement. Returns its single value, or an empty string if it has no result.
    pub fn ask(&self, url: &str, question: &str) -> String {
        let output = done(self.program("psql").args([
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-c",
            question,
            url,
        ]));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Creates an empty database and returns its address.
    pub fn database(&self) -> String {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next += 1;
        let name = format!("store{next}");
        done(
            self.program("createdb")
                .args(["-h", "127.0.0.1", "-U", "postgres", "-p"])
                .arg(self.port.to_string())
                .arg(&name),
        );
        format!("postgres://postgres@127.0.0.1:{}/{name}", self.port)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.kill();
    }
}
