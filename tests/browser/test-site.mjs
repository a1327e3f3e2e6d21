/* The site that tools/site.py writes: test-site.mjs TOPOGEMM CHROMIUM. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { end, folder, open } from "./page.mjs";
import { runCases, Skipped } from "./tap.mjs";

const site = path.join(folder, "some where", "site"); /* an address with a prefix, and a space in it */

function build() {
  if (spawnSync("cmark-gfm", ["--version"]).error) throw new Skipped("no cmark-gfm here; ./setup.sh --tests installs it");
  const tool = fileURLToPath(new URL("../../tools/site.py", import.meta.url));
  execFileSync("python3", [tool, "--command", process.argv[2], "-o", site]);
}

const front = "index.html";
const of = (document) => path.join("docs", `${document}.html`);
const files = () => fs.readdirSync(site, { recursive: true }).filter((file) => file.endsWith(".html")).map((file) => path.join(site, file));
const built = () => {
  if (!fs.existsSync(site)) throw new Skipped("the site was not built");
};

/* Every link within the site leads to a file, and to an anchor of it. */
function links() {
  built();
  const documents = files().filter((file) => !path.relative(site, file).startsWith("pages"));
  assert.ok(documents.length > 50, String(documents.length));
  for (const file of documents) {
    const text = fs.readFileSync(file, "utf8");
    for (const [, link] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (/^(https?|data|mailto):/.test(link)) continue;
      const [to, anchor] = decodeURIComponent(link.replaceAll("&amp;", "&")).replace("?embed", "").split("#");
      const target = to ? path.resolve(path.dirname(file), to) : file;
      assert.ok(target.startsWith(site) && fs.existsSync(target), `${path.relative(site, file)}: ${link}`);
      if (anchor && !target.includes(`${path.sep}pages${path.sep}`) && target.endsWith(".html"))
        assert.ok(fs.readFileSync(target, "utf8").includes(`id="${anchor}"`), `${path.relative(site, file)}: ${link}`);
    }
  }
}

async function accessible() {
  built();
  for (const name of [front, of("algorithms/dns"), of("reference/models"), of("gallery"), of("results/executors"), "pages/index.html"])
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(path.join(site, name), { colorScheme, ready: "body" });
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => window.axe.run({ iframes: false, preload: false }));
      assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`), [], `${name} ${colorScheme}`);
      await page.done();
    }
}

/* The front page and the algorithms' step through their schedules. */
async function live() {
  built();
  for (const name of [front, of("algorithms/dns"), of("algorithms/summa")]) {
    const page = await open(path.join(site, name), { ready: "body" });
    const frame = page.frameLocator("iframe.live");
    await frame.locator("html[data-settled='1']").waitFor({ state: "attached" });
    await frame.locator("#next").click();
    await frame.locator("html[data-settled='2']").waitFor({ state: "attached" });
    await page.done();
  }
}

try {
  await runCases([
    ["build", build],
    ["links", links],
    ["axe", accessible],
    ["live pages", live],
  ]);
} finally {
  await end();
}
