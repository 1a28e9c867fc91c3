// Builds src/view/page.html, the one asset that the program embeds. The same sources give the same bytes.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "../src/view/page.html");

async function bundled(entry) {
  const { outputFiles } = await build({
    entryPoints: [join(here, "src", entry)], bundle: true, minify: true, write: false, charset: "utf8",
    target: "es2022", jsx: "automatic", jsxImportSource: "preact", legalComments: "none", logLevel: "warning",
  });
  return outputFiles[0].text.trim();
}

// What the page was built from; tests/e2e/page/page_test.py notices other sources without npm.
const hash = createHash("sha256");
for (const file of ["build.mjs", "package-lock.json", ...readdirSync(join(here, "src")).sort().map((name) => join("src", name))]) {
  hash.update(readFileSync(join(here, file)));
}
const [style, script] = await Promise.all([bundled("style.css"), bundled("main.tsx")]);
for (const [text, ends] of [[style, "</style"], [script, "</script"], [script, "<!--"], [style + script, ')embedded"'], [style + script, "{{"]]) {
  if (text.toLowerCase().includes(ends)) throw new Error(`the built text contains ${ends}`);
}
const page = readFileSync(join(here, "src/page.html"), "utf8");
writeFileSync(target, page.replace("<style></style>", () => `<style>${style}</style>`)
  .replace("<script></script>", () => `<script>${script}</script>`)
  .replace("{sources}", hash.digest("hex")));
