// Starts `zermelo lsp` beside Lean's own server. Code lenses, code actions, progress and edits are the client library's.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function start() {
  const settings = vscode.workspace.getConfiguration("zermelo");
  const server = { command: settings.get("path"), args: ["lsp", ...settings.get("arguments")] };
  client = new LanguageClient("zermelo", "Zermelo", server, {
    documentSelector: [{ language: "lean4" }, { language: "lean" }],
  });
  return client.start().catch(() => void explainFailure(settings.get("path")));
}

/** The client library has shown the error itself. */
async function explainFailure(path) {
  const message = `Zermelo did not start. Is the setting zermelo.path right? It is "${path}".`;
  if (await vscode.window.showErrorMessage(message, "Open Settings")) {
    vscode.commands.executeCommand("workbench.action.openSettings", "zermelo.path");
  }
}

/** Runs a command of the server at the cursor. */
async function atCursor(command) {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client?.isRunning()) return;
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  const position = client.code2ProtocolConverter.asPosition(editor.selection.active);
  try {
    await client.sendRequest("workspace/executeCommand", { command, arguments: [{ uri, position }] });
  } catch (error) {
    vscode.window.showErrorMessage(`Zermelo: ${error.message}`);
  }
}

async function restart() {
  await client?.stop().catch(() => {});
  await start();
}

exports.activate = async (context) => {
  const commands = {
    "zermelo.proveHere": () => atCursor("zermelo.prove"),
    "zermelo.disproveHere": () => atCursor("zermelo.disprove"),
    "zermelo.proveFile": () => atCursor("zermelo.proveAll"),
    "zermelo.stopHere": () => atCursor("zermelo.cancel"),
    "zermelo.restart": restart,
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration("zermelo")) restart();
  }));
  await start();
};

exports.deactivate = () => client?.stop();
