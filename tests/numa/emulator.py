"""Boots a guest under software emulation, runs one command in it on the host's own files, and gives its output and
exit status. Never for timing: a virtual CPU here is tens of times slower than a real one, and unevenly so."""

import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from guest_kernel import GuestKernel, Unavailable

QEMU = "qemu-system-x86_64"
# no_timer_check: on a busy host the emulated timer may tick too late for the kernel's test of it.
KERNEL_ARGUMENTS = "console=ttyS0 quiet loglevel=4 panic=-1 no_timer_check nowatchdog mitigations=off nokaslr"
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    status: int
    stdout: str
    stderr: str
    console: str


class GuestDied(Exception):
    """The guest ended, or was ended for taking too long, before the command did."""


def started(command, timeout, leftovers=(), tries=3):
    """What became of an emulator. One that a signal ends has crashed itself, as its translation by several threads
    now and then does, whatever the guest did: it has shown nothing, and is started again. `leftovers`, files of an
    earlier start, are removed before each: nothing of them may be taken for what this one did."""
    for left in reversed(range(tries)):
        for file in leftovers:
            file.unlink(missing_ok=True)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=timeout, capture_output=True, text=True)
        if done.returncode >= 0 or left == 0:
            return done
        print(f"{command[0]}: ended by signal {-done.returncode}; starting it again", file=sys.stderr)


class Emulator:
    """`build`: a build folder, whose `bin` is first in the guest's PATH and whose `numa` keeps the kernel."""

    def __init__(self, build=ROOT / "build/release"):
        self.build = Path(build).resolve()
        self._kernel = GuestKernel(self.build / "numa")

    def prepare(self):
        """Raises Unavailable where guests cannot be had."""
        if not shutil.which(QEMU):
            raise Unavailable(f"numa: {QEMU} is missing; run ci/install-packages test")
        self._kernel.prepare()

    def run(self, guest, script, out=None, timeout=300):
        """Runs `script`, of shell commands, in the folder that this process is in. `out`, a folder, is the guest's
        /out: what is written there stays; everything else that the guest writes is gone with it."""
        self.prepare()
        with tempfile.TemporaryDirectory(prefix="bindgate numa ") as scratch:
            return self._run(guest, script, Path(out or scratch).resolve(), timeout)

    def _run(self, guest, script, out, timeout):
        out.mkdir(parents=True, exist_ok=True)
        (out / "command").write_text(
            f"export HOME=/root LANG=C.UTF-8 BIN={shlex.quote(str(self.build / 'bin'))}\n"
            'export PATH="$BIN:/usr/sbin:/usr/bin:/sbin:/bin"\n'
            f"cd {shlex.quote(str(Path.cwd()))}\n{guest.setup}\n{script}\n"
        )
        try:
            leftovers = [out / name for name in ("status", "stdout", "stderr", "console")]
            done = started(self._qemu(guest, out), timeout, leftovers)
        except subprocess.TimeoutExpired:
            raise GuestDied(f"{guest.name}: not done within {timeout} s\n{_tail(out)}") from None
        if done.returncode != 0:
            raise GuestDied(f"{guest.name}: {QEMU}: status {done.returncode}: {done.stderr}")
        text = {name: _text(out / name) for name in ("status", "stdout", "stderr", "console")}
        if not text["status"]:
            raise GuestDied(f"{guest.name}: the command left no exit status\n{_tail(out)}")
        return Outcome(int(text["status"]), text["stdout"], text["stderr"], text["console"])

    def _qemu(self, guest, out):
        def share(path, tag, more=""):
            escaped = str(path).replace(",", ",,")
            return ["-virtfs", f"local,path={escaped},mount_tag={tag},security_model=none{more}"]

        return [
            QEMU, "-accel", "tcg,thread=multi", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-serial", f"file:{out / 'console'}",
            "-kernel", self._kernel.image, "-initrd", self._kernel.initramfs,
            "-append", f"{KERNEL_ARGUMENTS} {guest.kernel_arguments}",
            *share("/", "host", ",readonly=on,multidevs=remap"),
            *share(out, "out"),
            *guest.qemu_arguments(),
        ]  # fmt: skip


def _text(path):
    return path.read_text(errors="replace") if path.exists() else ""


def _tail(out):
    return "\n".join(_text(out / "console").splitlines()[-15:])
