#!/usr/bin/env python3
"""Debian's Neovim with editors/nvim/zermelo.lua: a code action on a `sorry` ends in a proof that Lean accepts."""
import shutil
import subprocess

from testing.zermelo import PROGRAM, ROOT, ZermeloTest, environment, main, processes_of, skip

SETUP = """
package.path = "{root}/editors/nvim/?.lua;" .. package.path
require("zermelo").setup({{ cmd = {{ "{program}", "lsp", "--workers", "1" }} }})
"""
SCRIPT = """
local function wait(what, condition)
  if not vim.wait(120000, condition, 50) then
    print("not within two minutes: " .. what)
    vim.cmd("cquit")
  end
end
local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n")
end
wait("the server", function()
  local server = vim.lsp.get_active_clients()[1]
  return server and server.initialized
end)
vim.ui.select = function(items, _, choose) choose(items[1], 1) end
vim.api.nvim_win_set_cursor(0, { 3, 3 })
vim.lsp.buf.code_action()
wait("a proof of the second theorem", function() return select(2, text():gsub("sorry", "")) == 1 end)
vim.cmd("write! second.lean")
vim.cmd("undo")
vim.cmd("write! undone.lean")
vim.cmd("redo")
vim.api.nvim_win_set_cursor(0, { 1, 0 })
vim.cmd("ZermeloProve")
wait("a proof of the first theorem", function() return not text():find("sorry") end)
vim.cmd("write! both.lean")
vim.cmd("qall!")
"""
TEXT = "theorem one : 1 + 1 = 2 := sorry\n" \
       "theorem two (p q : Prop) (hp : p) (hq : q) : q ∧ p := by\n  sorry\n"


class Neovim(ZermeloTest):
    def test_a_code_action_and_a_command_prove_sorrys_in_the_buffer(self):
        setup = self.write("setup.lua", SETUP.format(root=ROOT, program=PROGRAM))
        script = self.write("script.lua", SCRIPT)
        self.write("A.lean", TEXT)
        nvim = subprocess.Popen(["nvim", "--headless", "-n", "-i", "NONE", "-u", setup, "A.lean", "-c", f"luafile {script}"],
                                cwd=self.folder, env=environment({"XDG_STATE_HOME": self.folder, "XDG_CACHE_HOME": self.folder}),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                start_new_session=True)
        self.addCleanup(nvim.kill)
        said, _ = nvim.communicate(timeout=300)
        self.assertEqual(nvim.returncode, 0, said)
        self.assertEqual(processes_of(nvim.pid), [])
        self.assertEqual((self.folder / "undone.lean").read_text(), TEXT, "one undo takes the proof back")
        second = (self.folder / "second.lean").read_text()
        self.assertTrue(second.startswith("theorem one : 1 + 1 = 2 := sorry\ntheorem two"), second)
        checked = self.zermelo("check", "both.lean", "--json")
        self.assertEqual((checked.code, checked.json["clean"]), (0, True), checked)


if __name__ == "__main__":
    if shutil.which("nvim") is None:
        skip("there is no nvim")
    main()
