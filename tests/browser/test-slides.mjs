/* The deck of docs/teach/README.md: its fragments are the steps. test-slides.mjs TOPOGEMM CHROMIUM. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { end, folder, open } from "./page.mjs";
import { runCases, Skipped } from "./tap.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const deck = path.join(folder, "deck.html");

function build() {
  if (!fs.existsSync(here("node_modules/reveal.js"))) throw new Skipped("no reveal.js here; ./setup.sh --tests installs it");
  const [, text] = fs.readFileSync(here("../../docs/teach/README.md"), "utf8").match(/```html deck\.html\n([^]*?)```/);
  fs.writeFileSync(deck, text);
  fs.symlinkSync(here("node_modules/reveal.js"), path.join(folder, "reveal.js"));
  execFileSync(process.argv[2], ["draw", "cannon", "--grid", "4x4", "-o", path.join(folder, "cannon.html")]);
}

async function fragmentsAreSteps() {
  build();
  const page = await open(deck, { ready: ".reveal.ready" });
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  const at = (step) => frame.waitForFunction((expected) => document.querySelector("#jump")?.value === expected, String(step), { timeout: 10000 });
  await at(3);
  for (const [key, step] of [["ArrowRight", 4], ["ArrowRight", 5], ["ArrowLeft", 4], ["ArrowLeft", 3]]) {
    await page.keyboard.press(key);
    await at(step);
  }
  await frame.click(".picture"); /* which takes the keys to the frame, unless the deck takes them back */
  await page.waitForTimeout(200);
  await page.keyboard.press("ArrowRight");
  await at(4);
  assert.equal(await frame.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth), false);
  await page.done();
}

try {
  await runCases([["fragments are steps", fragmentsAreSteps]]);
} finally {
  await end();
}
