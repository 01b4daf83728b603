"""Runs one program to its end and prints what it took, as JSON: launch.py OUTPUT SECONDS PROGRAM
[ARGUMENT...]

Standard output of the program goes to the file OUTPUT, standard error to OUTPUT.errors. After SECONDS it
is killed. Wall and CPU time are in milliseconds, the largest memory is in MB. CPU time and memory are what
the system counted for the process and for the children that it waited for.
"""

import json
import os
import signal
import sys
import time

output, seconds, *command = sys.argv[1:]
flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
into_files = [
    (os.POSIX_SPAWN_OPEN, 1, output, flags, 0o600),
    (os.POSIX_SPAWN_OPEN, 2, output + ".errors", flags, 0o600),
]
begun = time.perf_counter()
child = os.posix_spawn(command[0], command, os.environ, file_actions=into_files)
signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
signal.alarm(int(seconds))
_, status, used = os.wait4(child, 0)
wall = time.perf_counter() - begun
# Linux reports the peak memory in KB, macOS in bytes.
per_mb = 1024 * 1024 if sys.platform == "darwin" else 1024
print(
    json.dumps(
        {
            "code": os.waitstatus_to_exitcode(status),
            "ms": wall * 1000,
            "cpuMs": (used.ru_utime + used.ru_stime) * 1000,
            "memory": used.ru_maxrss / per_mb,
        }
    )
)
