-- Zermelo for Neovim 0.7 and later, beside Lean's own language server (docs/editors.md).
--
--   require("zermelo").setup({ cmd = { "zermelo", "lsp" } })
--
-- Code actions and code lenses work as with any server. The commands :ZermeloProve [MODEL], :ZermeloDisprove,
-- :ZermeloProveAll [MODEL] and :ZermeloStop need no menu.
local M = {}

local client_id -- of the only server, which serves all projects

local function client()
  return client_id and vim.lsp.get_client_by_id(client_id)
end

local function execute(command)
  local server = client()
  if not server then return vim.notify("Zermelo is not running", vim.log.levels.ERROR) end
  local function answered(error)
    if error then vim.notify("Zermelo: " .. error.message, vim.log.levels.ERROR) end
  end
  local params = { command = command.command, arguments = command.arguments }
  if vim.fn.has("nvim-0.11") == 1 then
    server:request("workspace/executeCommand", params, answered)
  else
    server.request("workspace/executeCommand", params, answered)
  end
end

local function at_cursor(name, model)
  local position = vim.lsp.util.make_position_params(0, "utf-16")
  local argument = { uri = position.textDocument.uri, position = position.position }
  if model ~= "" then argument.model = model end
  execute({ command = name, arguments = { argument } })
end

local function attach(config, buffer)
  if not client() then
    client_id = (vim.lsp.start_client or vim.lsp.start)(vim.tbl_extend("force", {
      name = "zermelo",
      root_dir = vim.loop.cwd(),
      on_exit = function() client_id = nil end,
    }, config))
  end
  if client_id then vim.lsp.buf_attach_client(buffer, client_id) end
end

--- `config`: as for vim.lsp.start; `cmd` is the command line of the server.
function M.setup(config)
  config = vim.tbl_extend("keep", config or {}, { cmd = { "zermelo", "lsp" } })
  local group = vim.api.nvim_create_augroup("zermelo", {})
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
    group = group,
    pattern = "*.lean",
    callback = function(event) attach(config, event.buf) end,
  })
  for verb, name in pairs({ Prove = "prove", Disprove = "disprove", ProveAll = "proveAll", Stop = "cancel" }) do
    -- For menus: other servers of the buffer do not know these commands.
    vim.lsp.commands["zermelo." .. name] = execute
    vim.api.nvim_create_user_command("Zermelo" .. verb, function(call)
      at_cursor("zermelo." .. name, call.args)
    end, { nargs = "?" })
  end
end

return M
