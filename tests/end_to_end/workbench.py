"""A folder with bindgate and chosen programs in it, and ways to call it as a user does."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


class Workbench:
    """Copies `bindgate` and the programs {file name: source path} into a folder with a space in its name.
    `wrapper` is put before every command."""

    def __init__(self, binaries, programs, wrapper=()):
        self.wrapper = list(map(str, wrapper))
        self._folder = tempfile.TemporaryDirectory(prefix="bindgate test ")
        self.folder = Path(self._folder.name)
        shutil.copy2(Path(binaries) / "bindgate", self.folder / "bindgate")
        for name, source in programs.items():
            shutil.copy2(source, self.folder / name)

    def close(self):
        self._folder.cleanup()

    def start(self, *words, **options):
        return subprocess.Popen(
            [*self.wrapper, str(self.folder / "bindgate"), *map(str, words)],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "NO_COLOR": "1"},
            **options,
        )

    def call(self, *words):
        """(exit status, stdout, stderr) of one command."""
        process = self.start(*words)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def json(self, *words):
        """(exit status, the document) of one command with --json."""
        status, out, err = self.call(*words, "--json")
        try:
            return status, json.loads(out)
        except ValueError as error:
            raise AssertionError(f"{words}: stdout is no JSON document: {error}\n{out}\n{err}") from error
