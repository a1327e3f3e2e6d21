/* For tests of the page: it is made by the command, opened from disk, and must ask nobody for anything and say nothing on the
 * console. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [topogemm, chromiumPath] = process.argv.slice(2);
export const folder = fs.mkdtempSync(path.join(os.tmpdir(), "topogemm-page-"));
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
let made = 0;

export function command(...words) {
  return execFileSync(topogemm, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
}

/* The file of a page. */
export function pageFile(words) {
  const file = path.join(folder, `page-${made++}.html`);
  command("draw", ...words, "-o", file, "-q");
  return file;
}

/* Opens a page, and waits until there is what `ready` selects; what it says on the console, and requests, fail the case when it is closed. */
export async function open(words, { hash = "", ready = "html[data-ready=true][data-settled]", ...options } = {}) {
  const file = Array.isArray(words) ? pageFile(words) : words;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) said.push(`request of ${request.url()}`);
  });
  page.setDefaultTimeout(60000);
  await page.goto(pathToFileURL(file).href + hash);
  if (options.javaScriptEnabled !== false) await page.waitForSelector(ready);
  page.done = async () => {
    await context.close();
    assert.deepEqual(said, []);
  };
  return page;
}

/* Until what stands beside the picture is that of the step. */
export const settled = (page) => page.waitForFunction(() => document.documentElement.dataset.settled === document.getElementById("jump").value);
export const stepOf = (page) => page.$eval("#jump", (input) => Number(input.value));
export const lastOf = (page) => page.$eval("#jump", (input) => Number(input.max));
export const pictureOf = (page, lab = 0) => page.$$eval(".picture", (boxes, i) => boxes[i].innerHTML, lab);
export const barsOf = async (page) => (await settled(page), page.$$eval(".bar", (bars) => bars.map((bar) => bar.getAttribute("aria-label"))));

/* Closes the browser. */
export async function end() {
  await browser.close();
  fs.rmSync(folder, { recursive: true, force: true });
}
