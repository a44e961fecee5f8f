"""A real program, with LibTorch, in a guest: what it takes to start it there in time, and what is expected of it."""

import re
import shlex
import subprocess
import tempfile
from pathlib import Path

from laboratory import Laboratory


def leave_video_out(program, folder):
    """Debian's LibTorch drags in OpenCV and ffmpeg for Caffe2's sake: 200 libraries, which nothing here calls, and half
    of the symbols that its start resolves. In `folder`, an empty library stands for each that it names."""
    empty = folder / "empty.so"
    subprocess.run(["gcc", "-shared", "-nostdlib", "-x", "c", "-", "-o", empty], input=b"", check=True)
    loaded = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r"^\s*((?:libopencv_|libav|libsw)\S+) =>", loaded, re.MULTILINE):
        (folder / name).symlink_to(empty.name)


class LibTorch(Laboratory):
    """A real program under what people choose between. Most of the time goes into starting it five times."""

    timeout = 1700
    # Its weights are large beside OpenBLAS's buffers, which that library wants local, whatever its process is bound to.
    case = "matmul/f32/1x4096x4096"

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="bindgate numa ")  # which the guest sees, too
        cls.addClassCleanup(folder.cleanup)
        leave_video_out(Path(cls.build) / "bin/bench_matmul", Path(folder.name))
        # OPENBLAS_CORETYPE: what an owner names is not searched for, by starting the program twice more.
        cls.script = f"""
export OPENBLAS_CORETYPE=Haswell LD_LIBRARY_PATH={shlex.quote(folder.name)}
cp "$BIN/bench_matmul" . && rm bench_numa || exit 9
measure torch --deadline 8m --case {cls.case} --variant none --variant numactl --variant remote
"""
        super().setUpClass()

    def test_every_thread_and_page_is_where_it_was_bound(self):
        record = self.record("torch")
        self.assertEqual(record.status, 0, record.progress)
        proofs = record.proofs(self.case)
        self.assertEqual(sorted(variant for variant, _ in proofs), ["none", "none", "numactl", "remote"])
        for variant, proof in proofs:
            self.assertEqual(proof["status"], "held", f"{variant}: {proof['detail']}")
            if variant != "none":
                self.assertEqual(list(proof["node_bytes"]), [self.variants[variant]["memory"]["nodes"]])
