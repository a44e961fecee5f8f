"""A bench program as the harness sees it: a child with two pipes for the conversation and one for its life."""

import json
import os
import subprocess


class Program:
    def __init__(self, path, *, threads=1, environment=None):
        command_read, self.command_write = os.pipe()
        self.reply_read, reply_write = os.pipe()
        life_read, self.life_write = os.pipe()
        inherited = (command_read, reply_write, life_read)
        variables = {
            **os.environ,
            "BINDGATE_COMMAND_FD": str(command_read),
            "BINDGATE_REPLY_FD": str(reply_write),
            "BINDGATE_LIFE_FD": str(life_read),
            "BINDGATE_THREADS": str(threads),
            "OMP_WAIT_POLICY": "passive",
            **(environment or {}),
        }
        self.process = subprocess.Popen(
            [path], env=variables, pass_fds=inherited,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for descriptor in inherited:
            os.close(descriptor)
        self.replies = os.fdopen(self.reply_read, "r", encoding="utf-8")

    def send(self, command, **values):
        self.send_line(json.dumps({"command": command, **values}))

    def send_line(self, line):
        os.write(self.command_write, (line + "\n").encode())

    def receive(self):
        """The next reply; nothing at end-of-file."""
        line = self.replies.readline()
        return json.loads(line) if line else None

    def ask(self, command, **values):
        self.send(command, **values)
        return self.receive()

    def turn(self, number, samples=1, batch=1, references=()):
        return self.ask("turn", turn=number, samples=samples, batch=batch, references=list(references))

    def wait(self):
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out.decode(), err.decode()

    def close(self):
        for descriptor in (self.command_write, self.life_write):
            try:
                os.close(descriptor)
            except OSError:
                pass
        self.wait()
        self.replies.close()
