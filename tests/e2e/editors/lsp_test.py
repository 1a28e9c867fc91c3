#!/usr/bin/env python3
"""A client of pygls (PyPI) against `zermelo lsp`, with real Lean."""
import asyncio
import os
import signal
import subprocess
import sys
import time

from testing.pypi import run_with
from testing.sim_model import HARD as FOR_A_MODEL, SimModel
from testing.zermelo import PROGRAM, ZermeloTest, environment, main, processes_of, wait_until

if __name__ == "__main__":
    run_with("lsp", "pygls==2.1.1", "lsprotocol==2025.0.0")

from lsprotocol import types  # noqa: E402
from pygls.exceptions import JsonRpcException  # noqa: E402
from pygls.lsp.client import LanguageClient  # noqa: E402
from pygls.workspace import TextDocument  # noqa: E402

EASY = "theorem easy (α β : Nat) : α + β = β + α := by\n  sorry\n"
FALSE = "theorem wrong (n : Nat) : n + 1 = n := by\n  sorry\n"
HARD = "theorem hard (f : Nat → Nat) (h : ∀ n, f (f n) = n + 1987) : False := by\n  sorry\n"
LIMIT = 120.0


class Editor:
    """One open file, its buffer, and what the server says about it."""

    def __init__(self, path):
        self.uri, self.messages, self.progress = path.as_uri(), [], []
        self.client = LanguageClient("zermelo-test", "1")
        feature = self.client.feature

        @feature(types.WORKSPACE_APPLY_EDIT)
        def apply(params):
            (change,) = params.edit.document_changes
            current = change.text_document.version == self.buffer.version
            if current:
                for edit in reversed(change.edits):
                    self.buffer.apply_change(types.TextDocumentContentChangePartial(text=edit.new_text, range=edit.range))
                self.changed(self.buffer.source)
            return types.ApplyWorkspaceEditResult(applied=current)

        @feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
        def create(params):
            self.token = params.token

        @feature(types.PROGRESS)
        def progress(params):
            self.progress.append(params.value)

        @feature(types.WINDOW_SHOW_MESSAGE)
        def message(params):
            self.messages.append(params.message)

    async def open(self, text, folder, *options):
        # A session of its own, so that its processes can be found.
        await self.client.start_io(str(PROGRAM), "lsp", "--workers", "1", *options, env=environment({}), cwd=folder,
                                   start_new_session=True)
        self.session = self.client._server.pid
        self.server = await self.client.initialize_async(types.InitializeParams(
            capabilities=types.ClientCapabilities(
                workspace=types.WorkspaceClientCapabilities(
                    apply_edit=True, workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True)),
                window=types.WindowClientCapabilities(work_done_progress=True),
                text_document=types.TextDocumentClientCapabilities(
                    # Without literals: lsprotocol misreads a code action that has a command.
                    code_action=types.CodeActionClientCapabilities(),
                    hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown])))))
        self.client.initialized(types.InitializedParams())
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(
            types.TextDocumentItem(uri=self.uri, language_id="lean4", version=1, text=text)))
        self.buffer = TextDocument(self.uri, text, version=1)

    def changed(self, text):
        self.buffer = TextDocument(self.uri, text, version=self.buffer.version + 1)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.buffer.version),
            [types.TextDocumentContentChangeWholeDocument(text=text)]))

    @property
    def document(self):
        return types.TextDocumentIdentifier(self.uri)

    async def act(self, line, title):
        """Chooses a code action of a line."""
        here = types.Range(types.Position(line, 0), types.Position(line, 0))
        actions = await self.client.text_document_code_action_async(
            types.CodeActionParams(self.document, here, types.CodeActionContext([])))
        command = next(a for a in actions if a.title == title)
        await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams(command.command, command.arguments))

    async def until(self, condition, what):
        deadline = time.monotonic() + LIMIT
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {LIMIT:.0f} s: {what}; {self.progress} {self.messages}")
            await asyncio.sleep(0.05)

    async def ended(self):
        """The message with which a search ends."""
        await self.until(lambda: self.progress and self.progress[-1]["kind"] == "end", "the end of the search")
        end = self.progress[-1]["message"]
        self.progress.clear()
        return end

    async def hover(self, line, column):
        hover = await self.client.text_document_hover_async(
            types.HoverParams(self.document, types.Position(line, column)))
        return hover.contents.value if hover else None

    async def close(self):
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await asyncio.wait_for(self.client._server.wait(), 20)


class Session(ZermeloTest):
    def run_session(self, name, text, session, *options):
        path = self.write(name, "theorem on_disk : True := trivial\n")

        async def run():
            editor = Editor(path)
            await editor.open(text, self.folder, *options)
            try:
                await session(editor)
            finally:
                await editor.close()
            self.assertEqual(editor.client._server.returncode, 0)
            self.assertEqual(processes_of(editor.session), [])
        asyncio.run(run())

    def test_proofs_disproofs_and_cancellation_in_one_session(self):
        async def session(editor):
            lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(editor.document))
            self.assertEqual([lens.command.title for lens in lenses[:3]],
                             ["Prove", "Disprove", "Prove all 3 in this file"])
            self.assertEqual(lenses[0].range.start, types.Position(1, 2))

            # The buffer's text counts, and it changes during the search.
            await editor.act(1, "Zermelo: Prove `easy`")
            editor.changed("-- 𝔸 new line\n" + editor.buffer.source)
            self.assertEqual(await editor.ended(), "1 of 1 proved")
            self.assertTrue(editor.buffer.source.startswith("-- 𝔸 new line\ntheorem easy"))
            self.assertNotIn("sorry", editor.buffer.source.split("theorem wrong")[0])
            self.assertIn(HARD, editor.buffer.source)

            await editor.act(4, "Zermelo: Disprove `wrong`")
            self.assertEqual(await editor.ended(), "disproved")
            self.assertIn("`wrong` is false as stated", editor.messages[-1])
            self.assertIn("¬", await editor.hover(5, 3))

            await editor.act(7, "Zermelo: Prove `hard`")
            await editor.until(lambda: any("proving hard" in p.get("message", "") for p in editor.progress),
                               "the search")
            self.assertIn("Proving hard", await editor.hover(8, 3))
            editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(editor.token))
            self.assertEqual(await editor.ended(), "stopped")

            with self.assertRaisesRegex(JsonRpcException, "no sorry to prove here"):
                await editor.client.workspace_execute_command_async(types.ExecuteCommandParams(
                    "zermelo.prove", [{"uri": editor.uri, "position": {"line": 0, "character": 0}}]))
            self.text = editor.buffer.source
        self.run_session("Session.lean", EASY + "\n" + FALSE + "\n" + HARD, session)
        self.assertEqual((self.folder / "Session.lean").read_text(), "theorem on_disk : True := trivial\n")
        learned = (self.folder / ".zermelo" / "learned").read_bytes()
        self.assertIn(b'"theorem":"easy"', learned)
        self.assertNotIn(b"negation", learned)
        self.write("Proved.lean", self.text.split("theorem wrong")[0])
        checked = self.zermelo("check", "Proved.lean", "--json")
        self.assertEqual((checked.code, checked.json["clean"]), (0, True), checked)

    def test_a_model_of_the_files_folder_proves(self):
        sim = SimModel(self.folder)
        self.addCleanup(sim.close)
        self.write("model/zermelo.toml", f'[models.sim]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\nformat = "chat"\n')

        async def session(editor):
            await editor.act(1, "Zermelo: Prove `hard` with sim")
            self.assertEqual(await editor.ended(), "1 of 1 proved")
            self.assertIn("rw [h, ih, Nat.pow_succ]", editor.buffer.source)
        # Without the built-in tactics, which might be faster.
        self.run_session("model/A.lean", FOR_A_MODEL + " := by\n  sorry\n", session, "--strategy", "whole_proof")

    def test_stopping_all_keeps_the_proofs_found(self):
        async def session(editor):
            await editor.act(1, "Zermelo: Prove all 2 in this file")
            await editor.until(lambda: any("1 proof found, proving hard" in p.get("message", "") for p in editor.progress),
                               "the proof of the first theorem")
            self.assertEqual(editor.buffer.source, EASY + "\n" + HARD)
            editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(editor.token))
            self.assertEqual(await editor.ended(), "stopped, 1 of 2 proved")
            self.assertEqual(editor.messages, [])
            self.text = editor.buffer.source
        self.run_session("Stopped.lean", EASY + "\n" + HARD, session)
        easy, hard = self.text.split("\ntheorem hard")
        self.assertEqual("theorem hard" + hard, HARD)
        self.write("Kept.lean", easy)
        checked = self.zermelo("check", "Kept.lean", "--json")
        self.assertEqual((checked.code, checked.json["clean"]), (0, True), checked)

    def test_the_server_and_its_lean_end_with_the_editor(self):
        folder = self.folder / "killed"
        folder.mkdir()
        script = f"""
import asyncio, pathlib, sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
sys.argv[0] = ""
from lsp_test import Editor, HARD
async def run():
    editor = Editor(pathlib.Path({str(folder / "A.lean")!r}))
    await editor.open(HARD, {str(folder)!r})
    await editor.act(1, "Zermelo: Prove `hard`")
    pathlib.Path({str(folder / "pid")!r}).write_text(str(editor.session))
    await asyncio.sleep(1000)
asyncio.run(run())
"""
        editor = subprocess.Popen([sys.executable, "-B", "-c", script], stderr=subprocess.DEVNULL)
        self.addCleanup(editor.kill)
        wait_until((folder / "pid").exists, 60, "the server")
        session = wait_until(lambda: int((folder / "pid").read_text() or 0), 30, "its process id")
        wait_until(lambda: any("--worker" in c for _, c in processes_of(session)), 60, "a Lean at work")
        os.kill(editor.pid, signal.SIGKILL)
        editor.wait()
        wait_until(lambda: not processes_of(session), 30, "the end of the server and its Lean")


if __name__ == "__main__":
    main()
