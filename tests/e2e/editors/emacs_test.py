#!/usr/bin/env python3
"""Debian's Emacs and lsp-mode with the configuration of docs/editors.md, beside a server that stands for Lean's own."""
import glob
import re
import shutil
import subprocess
import sys

from testing.zermelo import PROGRAM, ROOT, ZermeloTest, environment, main, processes_of, skip

# What lean4-mode brings: the major mode, the language's name, and Lean's server, which offers code actions, too.
SETUP = r"""
(package-initialize)
(define-derived-mode lean4-mode prog-mode "Lean 4")
(add-to-list 'auto-mode-alist '("\\.lean\\'" . lean4-mode))
(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(lean4-mode . "lean"))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection '("{python}" "{own}"))
                    :major-modes '(lean4-mode) :server-id 'lean4-lsp)))
(setq lsp-session-file (expand-file-name "session") lsp-restart 'ignore)
"""
OWN = r"""
import json, sys
def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()
answers = {"initialize": {"capabilities": {"textDocumentSync": {"openClose": True, "change": 2},
                                           "codeActionProvider": {"resolveProvider": True}}},
           "textDocument/codeAction": [{"title": "Try this: rfl", "kind": "quickfix"}]}
while True:
    length = 0
    while (line := sys.stdin.buffer.readline().strip()):
        length = int(line.split(b":")[1]) if line.lower().startswith(b"content-length:") else length
    message = json.loads(sys.stdin.buffer.read(length)) if length else {"method": "exit"}
    if message["method"] == "exit":
        break
    if "id" in message:
        send({"id": message["id"], "result": answers.get(message["method"])})
"""
SCRIPT = r"""
(require 'lsp-mode)
(require 'lsp-lens)
(defun wait-for (what condition)
  (let ((end (+ (float-time) 120)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (princ (format "not within two minutes: %s\n%s" what (buffer-string)))
        (kill-emacs 1))
      (accept-process-output nil 0.05))))
(defun sorrys () (how-many "sorry" (point-min) (point-max)))
(defun keep (name) (write-region nil nil name))
(lsp-workspace-folders-add default-directory)
(find-file "A.lean")
(lsp)
(wait-for "both servers" (lambda ()
  (equal (mapcar #'lsp--workspace-status (lsp-workspaces)) '(initialized initialized))))

(lsp-lens-mode 1)
(wait-for "the lenses" (lambda ()
  (seq-some (lambda (overlay) (string-match-p "Prove all 2 in this file"
                                              (or (overlay-get overlay 'after-string) "")))
            (overlays-in (point-min) (point-max)))))

(goto-char (point-min))
(search-forward "sorry" nil nil 2)
(undo-boundary)
(let ((completing-read-function
       (lambda (_ titles &rest _)
         (prin1 (all-completions "" titles))
         (car (all-completions "Zermelo: Prove `two`" titles)))))
  (call-interactively #'lsp-execute-code-action))
(wait-for "a proof of the second theorem" (lambda () (= (sorrys) 1)))
(keep "second.lean")
(undo-boundary)
(undo)
(keep "undone.lean")
(undo-boundary)
(setq last-command 'ignore)
(undo)
(keep "redone.lean")

(goto-char (point-min))
(lsp-workspace-command-execute "zermelo.prove" (vector (list :uri (lsp--buffer-uri) :position (lsp--cur-position))))
(wait-for "a proof of the first theorem" (lambda () (= (sorrys) 0)))
(keep "both.lean")
(set-buffer-modified-p nil)
(mapc #'lsp-workspace-shutdown (lsp-workspaces))
"""
TEXT = "theorem one : 1 + 1 = 2 := sorry\n" \
       "theorem two (p q : Prop) (hp : p) (hq : q) : q ∧ p := by\n  sorry\n"


def configuration():
    """The code block for Emacs of the page."""
    section = (ROOT / "docs/editors.md").read_text().split("\n## Emacs\n")[1].split("\n## ")[0]
    return re.search(r"```elisp\n(.*?)```", section, re.DOTALL).group(1)


class Emacs(ZermeloTest):
    def test_the_configuration_of_the_page_proves_sorrys_in_the_buffer(self):
        (self.folder / "bin").mkdir()
        (self.folder / "bin/zermelo").symlink_to(PROGRAM)
        own = self.write("own.py", OWN)
        files = [self.write("setup.el", SETUP.replace("{python}", sys.executable).replace("{own}", str(own))),
                 self.write("page.el", configuration()), self.write("script.el", SCRIPT)]
        self.write("A.lean", TEXT)
        env = environment({"HOME": self.folder})
        env["PATH"] = f"{self.folder / 'bin'}:{env['PATH']}"
        emacs = subprocess.Popen(["emacs", "--batch", *(a for f in files for a in ("-l", f))], cwd=self.folder, env=env,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 start_new_session=True)
        self.addCleanup(emacs.kill)
        said, _ = emacs.communicate(timeout=500)
        self.assertEqual(emacs.returncode, 0, said)
        self.assertIn("Try this: rfl", said, "the actions of both servers are offered")
        self.assertEqual(processes_of(emacs.pid), [])
        second = (self.folder / "second.lean").read_text()
        self.assertTrue(second.startswith("theorem one : 1 + 1 = 2 := sorry\ntheorem two"), second)
        self.assertEqual((self.folder / "undone.lean").read_text(), TEXT, "one undo takes the proof back")
        self.assertEqual((self.folder / "redone.lean").read_text(), second)
        checked = self.zermelo("check", "both.lean", "--json")
        self.assertEqual((checked.code, checked.json["clean"]), (0, True), checked)


if __name__ == "__main__":
    if shutil.which("emacs") is None or not glob.glob("/usr/share/emacs/site-lisp/elpa-src/lsp-mode-*"):
        skip("there is no emacs with lsp-mode")
    main()
