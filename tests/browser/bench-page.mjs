/* How long a step takes until it is painted: bench-page.mjs TOPOGEMM CHROMIUM. Medians of 15 steps forward, in milliseconds; a
 * benchmark, not a test. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [topogemm, chromiumPath] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "topogemm-bench-"));
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
/* Grid, colours, milliseconds aimed at, and between two steps: of the largest grids the next step is made meanwhile. */
const rows = [["4x4", "", 50, 50], ["8x8", "", 50, 50], ["16x16", "", 50, 50], ["32x32", "", 50, 50], ["32x32", "cells", null, 50], ["64x64", "", 50, 50], ["256x256", "", 100, 500], ["1024x1024", "", 100, 2000]];

/* From the key to the frame after it. */
const stepOnce = () =>
  new Promise((done) => {
    const begun = performance.now();
    document.getElementById("next").click();
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => done(performance.now() - begun);
      channel.port2.postMessage(0);
    });
  });

for (const [grid, map, most, pause] of rows) {
  const file = path.join(folder, "page.html");
  execFileSync(topogemm, ["draw", "cannon", "--grid", grid, "--step", "1", "-o", file, "-q"]);
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(120000);
  const begun = Date.now();
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("html[data-ready=true]");
  await page.waitForSelector("html[data-settled]");
  const opened = Date.now() - begun;
  if (map) await page.selectOption(".map", map);
  await page.waitForTimeout(pause);
  const times = [];
  for (let s = 0; s < 15 && !(await page.isDisabled("#next")); s++) {
    times.push(await page.evaluate(stepOnce));
    await page.waitForTimeout(pause);
  }
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)];
  console.log(`${grid}${map ? ` as ${map}` : ""}: opened in ${opened} ms; a step ${median.toFixed(1)} ms in the median, ${times.at(-1).toFixed(1)} at most${most ? `; aimed at ${most}` : ""}`);
  await page.close();
}
await browser.close();
fs.rmSync(folder, { recursive: true, force: true });
