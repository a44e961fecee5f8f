"""Debian's kernel and a first file system for guests, made once and kept: the package is downloaded and unpacked,
never installed. Needs apt-get, dpkg-deb, busybox (static) and cpio, and no privileges."""

import fcntl
import lzma
import os
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

PACKAGE = "linux-image-amd64"  # the cloud kernel has no 9p
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
INIT = Path(__file__).with_name("init")


class Unavailable(Exception):
    """What this machine lacks, and how to get it."""


class GuestKernel:
    """`image` and `initramfs` in `folder`; `prepare` makes what is missing."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.image = self.folder / "vmlinux"
        self.initramfs = self.folder / "initramfs"

    def prepare(self):
        for tool in ("apt-get", "dpkg-deb", "busybox", "cpio"):
            if not shutil.which(tool):
                raise Unavailable(f"numa: {tool} is missing; run ci/install-packages test")
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self.image.exists() or not (self.folder / "modules/order").exists():
                self._unpack()
            if not self.initramfs.exists() or self.initramfs.stat().st_mtime < INIT.stat().st_mtime:
                self._pack_initramfs()

    def _unpack(self):
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            scratch = Path(scratch)
            subprocess.run(["dpkg-deb", "-x", _download(scratch), scratch / "package"], check=True)
            modules = self.folder / "modules"
            shutil.rmtree(modules, ignore_errors=True)
            modules.mkdir()
            files = {_module_name(path): path for path in (scratch / "package/lib/modules").rglob("*.ko")}
            order = _load_order(files)
            for name in order:
                shutil.copy(files[name], modules / f"{name}.ko")
            (modules / "order").write_text("".join(f"{name}.ko\n" for name in order))
            (compressed,) = (scratch / "package/boot").glob("vmlinuz-*")
            (scratch / "vmlinux").write_bytes(_uncompressed(compressed.read_bytes()))
            (scratch / "vmlinux").rename(self.image)

    def _pack_initramfs(self):
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            scratch = Path(scratch)
            root = scratch / "root"
            for name in ("bin", "dev", "proc", "sys", "host", "layer", "root"):
                (root / name).mkdir(parents=True)
            shutil.copy(shutil.which("busybox"), root / "bin/busybox")
            (root / "bin/sh").symlink_to("busybox")
            shutil.copytree(self.folder / "modules", root / "modules")
            shutil.copy2(INIT, root / "init")
            names = "".join(f"{path.relative_to(root)}\n" for path in sorted(root.rglob("*")))
            with open(scratch / "initramfs", "wb") as archive:
                subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, input=names.encode(), stdout=archive,
                               check=True)
            (scratch / "initramfs").rename(self.initramfs)


def _download(folder):
    """The package file, from the lists that the system has or, where these are too old, from fresh ones of our own."""
    own = folder / "apt"
    (own / "lists/partial").mkdir(parents=True)
    fresh = ["-o", f"Dir::State::Lists={own}/lists", "-o", f"Dir::Cache={own}"]
    if os.geteuid() == 0:
        fresh += ["-o", "APT::Sandbox::User=root"]
    for options in ([], fresh):
        if options and subprocess.run(["apt-get", *options, "-qq", "update"], capture_output=True).returncode != 0:
            break
        depends = subprocess.run(["apt-cache", *options, "depends", PACKAGE], capture_output=True, text=True).stdout
        if not (real := re.search(r"Depends: (linux-image-\S+)", depends)):
            continue
        subprocess.run(["apt-get", *options, "-qq", "download", real[1]], cwd=folder, capture_output=True)
        if found := list(folder.glob("linux-image-*.deb")):
            return found[0]
    raise Unavailable(f"numa: apt-get cannot download {PACKAGE}; give this machine a Debian mirror")


def _uncompressed(image):
    """The kernel inside a bzImage (Linux boot protocol, Documentation/x86/boot.rst): qemu enters it directly, and
    nothing is unpacked at emulated speed."""
    setup_sectors = image[0x1F1]
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ).decompress(image[start : start + length])


def _module_name(path):
    return path.stem.replace("-", "_")


def _load_order(files):
    """The names of MODULES and of what they depend on, each after what it needs."""
    order = []

    def add(name):
        if name in order or name not in files:  # not among the files: built into the kernel
            return
        for needed in re.search(rb"\0depends=([^\0]*)\0", files[name].read_bytes())[1].decode().split(","):
            add(needed.replace("-", "_"))
        order.append(name)

    for name in MODULES:
        add(name)
    return order
