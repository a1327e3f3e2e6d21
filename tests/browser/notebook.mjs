/* An executed notebook, as a web page: the schedule in its cell is the live page, which steps. It is asked for by
 * tests/python/test-notebooks.py: notebook.mjs TOPOGEMM CHROMIUM FILE. */
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [, executablePath, file] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.route(/^https?:/, (route) => route.abort()); // nbconvert's own scripts, which are not needed
  await page.goto(pathToFileURL(file).href);
  assert.ok(await page.$$eval("img", (all) => all.length > 0 && all.every((one) => one.complete && one.naturalWidth > 0 && one.width > 300)));
  const frame = await (await page.waitForSelector("iframe[srcdoc]")).contentFrame();
  await frame.waitForSelector("html[data-ready=true]", { state: "attached" });
  assert.equal(await frame.$eval("#jump", (input) => input.value), "0");
  await frame.click("#next");
  await frame.waitForFunction(() => document.getElementById("jump").value === "1");
  console.log("live");
} finally {
  await browser.close();
}
