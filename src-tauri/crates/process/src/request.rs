//! The request to a supervisor and the supervisor's reports, as bytes on the socket between Loopwright and the supervisor.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Read},
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::PathBuf,
};

use crate::program::Program;

/// A report of a supervisor: a letter, and a number in four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// The supervisor waits for its request, and has started nothing yet.
    Ready,
    /// The program runs with this process id.
    Started(i32),
    /// The program could not be started. The number is the error number of the system.
    NotStarted(i32),
    /// The program exited with this status, in the form in which `wait` returns it.
    Exited(i32),
}

impl Report {
    pub(crate) const BYTES: usize = 5;

    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let (letter, number) = match self {
            Self::Ready => (b'r', 0),
            Self::Started(number) => (b's', number),
            Self::NotStarted(number) => (b'n', number),
            Self::Exited(number) => (b'x', number),
        };
        let [a, b, c, d] = number.to_le_bytes();
        [letter, a, b, c, d]
    }

    pub(crate) fn from_bytes([letter, a, b, c, d]: [u8; Self::BYTES]) -> io::Result<Self> {
        let number = i32::from_le_bytes([a, b, c, d]);
        match letter {
            b'r' => Ok(Self::Ready),
            b's' => Ok(Self::Started(number)),
            b'n' => Ok(Self::NotStarted(number)),
            b'x' => Ok(Self::Exited(number)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// Encodes the request as its length, followed by strings that each end with a zero byte. No part of a command line can
/// contain a zero byte.
///
/// # Errors
/// Returns an error if a string contains a zero byte. The operating system would reject such a string as well.
pub(crate) fn write(program: &Program) -> io::Result<Vec<u8>> {
    let count = program.args.len().to_string();
    let cwd = program.cwd.as_deref().unwrap_or("".as_ref());
    let head = [OsStr::new(&count), cwd.as_os_str(), &program.command];
    let env = program
        .env
        .iter()
        .flat_map(|(name, value)| [name.as_os_str(), value.as_os_str()]);
    let texts = head
        .into_iter()
        .chain(program.args.iter().map(OsString::as_os_str))
        .chain(env);
    let mut bytes = Vec::new();
    for text in texts {
        if text.as_bytes().contains(&0) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "nul byte found in provided data",
            ));
        }
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
    }
    let length = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::ArgumentListTooLong)?;
    Ok([&length.to_le_bytes()[..], &bytes].concat())
}

pub(crate) fn read(from: &mut impl Read) -> io::Result<Program> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut bytes = Vec::new();
    let length = u64::from(u32::from_le_bytes(length));
    from.take(length).read_to_end(&mut bytes)?;
    let broken = || io::Error::from(io::ErrorKind::UnexpectedEof);
    if bytes.len() as u64 != length || bytes.pop() != Some(0) {
        return Err(broken());
    }
    let mut texts = bytes
        .split(|byte| *byte == 0)
        .map(|text| OsString::from_vec(text.to_vec()));
    let mut next = || texts.next().ok_or_else(broken);
    let count: usize = next()?
        .to_str()
        .and_then(|count| count.parse().ok())
        .ok_or(io::ErrorKind::InvalidData)?;
    let cwd = PathBuf::from(next()?);
    let command = next()?;
    let args = (0..count).map(|_| next()).collect::<io::Result<_>>()?;
    let mut env = Vec::new();
    while let Ok(name) = next() {
        env.push((name, next()?));
    }
    Ok(Program {
        command,
        args,
        cwd: (!cwd.as_os_str().is_empty()).then_some(cwd),
        env,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let program = Program {
            command: "run".into(),
            args: vec![
                "".into(),
                "two words".into(),
                OsString::from_vec(vec![0xff, b'x']),
            ],
            cwd: Some("/tmp".into()),
            env: vec![("A".into(), "".into()), ("B".into(), "line\nline".into())],
        };
        let bytes = write(&program).unwrap();
        let back = read(&mut &bytes[..]).unwrap();
        assert_eq!(format!("{back:?}"), format!("{program:?}"));
        let plain = Program {
            command: "run".into(),
            ..Program::default()
        };
        let back = read(&mut &write(&plain).unwrap()[..]).unwrap();
        assert_eq!(format!("{back:?}"), format!("{plain:?}"));
        // Any truncated request is invalid.
        for end in 0..bytes.len() {
            assert!(read(&mut &bytes[..end]).is_err(), "{end}");
        }
        let zero = Program {
            command: "a\0b".into(),
            ..Program::default()
        };
        assert_eq!(
            write(&zero).unwrap_err().kind(),
            io::ErrorKind::InvalidInput
        );
    }

    #[test]
    fn a_report_is_read_as_it_was_written() {
        for report in [
            Report::Ready,
            Report::Started(7),
            Report::NotStarted(2),
            Report::Exited(-1),
        ] {
            assert_eq!(Report::from_bytes(report.to_bytes()).unwrap(), report);
        }
        assert!(Report::from_bytes(*b"?0000").is_err());
    }
}
