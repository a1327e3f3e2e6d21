/* How long a step takes until it is painted: bench-page.mjs TOPOGEMM CHROMIUM [RESULTS.json]. Medians of steps forward of cannon,
 * in milliseconds; a benchmark, not a test. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [topogemm, chromiumPath, results] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "topogemm-bench-"));
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const STEPS = 15;
const window_ = { width: 1280, height: 900 };
/* `pause` is between two steps: of the largest grids the next step is made meanwhile. */
const cases = [
  { grid: "4x4", aimed: 50, pause: 50 },
  { grid: "8x8", aimed: 50, pause: 50 },
  { grid: "16x16", aimed: 50, pause: 50 },
  { grid: "32x32", aimed: 50, pause: 50 },
  { grid: "32x32", as: "a map", map: "3", pause: 50 },
  { grid: "64x64", aimed: 50, pause: 50 },
  { grid: "256x256", aimed: 100, pause: 500 },
  { grid: "1024x1024", aimed: 100, pause: 2000 },
  { grid: "1024x1024", as: "one step after the other", pause: 0 },
];

/* From the click to the frame after it, and until all that stands beside the picture is the step's, too. */
const stepOnce = () =>
  new Promise((done) => {
    const begun = performance.now();
    let painted = 0;
    const look = () => {
      const settled = document.documentElement.dataset.settled === document.getElementById("jump").value;
      if (painted > 0 && settled) done([painted, performance.now() - begun]);
      else requestAnimationFrame(look);
    };
    document.getElementById("next").click();
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        painted = performance.now() - begun;
        look();
      };
      channel.port2.postMessage(0);
    });
  });

async function measure({ grid, as, map, aimed, pause }) {
  const file = path.join(folder, "page.html");
  execFileSync(topogemm, ["draw", "cannon", "--grid", grid, "--step", "1", "-o", file, "-q"]);
  const page = await browser.newPage({ viewport: window_ });
  page.setDefaultTimeout(120000);
  const begun = Date.now();
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("html[data-ready=true][data-settled]");
  const opened = Date.now() - begun;
  if (map) await page.selectOption(".map", map);
  await page.waitForTimeout(pause);
  const times = [];
  while (times.length < STEPS && !(await page.isDisabled("#next"))) {
    times.push(await page.evaluate(stepOnce));
    await page.waitForTimeout(pause);
  }
  await page.close();
  const sorted = (i) => times.map((time) => Math.round(time[i] * 10) / 10).sort((a, b) => a - b);
  const [painted, settled] = [sorted(0), sorted(1)];
  const middle = times.length >> 1;
  return { grid, as: as ?? null, steps: times.length, opened_ms: opened, median_ms: painted[middle], most_ms: painted.at(-1), settled_median_ms: settled[middle], aimed_ms: aimed ?? null };
}

/* --- a lecture page with three embedded ones ----------------------------------------------------------------------------- */

const EMBEDDED = [["cannon", "--grid", "4x4"], ["fox", "--grid", "4x4"], ["dns", "--grid", "2x2x2"]];
const SECONDS = 6;
const PER_SECOND = 4;

/* All embedded pages go from step to step, one 20 ms after the other. */
const stepAll = ([perSecond, seconds]) => {
  const frames = [...document.querySelectorAll("iframe")];
  let steps = 0;
  const every = setInterval(() => {
    const what = steps++ % 5 === 4 ? { topogemm: "set", step: 0 } : { topogemm: "step" };
    frames.forEach((frame, i) => setTimeout(() => frame.contentWindow.postMessage(what, "*"), 20 * i));
  }, 1000 / perSecond);
  setTimeout(() => clearInterval(every), 1000 * seconds);
};

/* Times between frames, in milliseconds, and how many steps were shown meanwhile. */
const framesOf = (seconds) =>
  new Promise((done) => {
    const times = [];
    let before = performance.now();
    let shown = document.getElementById("jump")?.value;
    let steps = 0;
    const begun = before;
    const look = (now) => {
      times.push(now - before);
      before = now;
      const step = document.getElementById("jump")?.value;
      if (step !== shown) steps++;
      shown = step;
      if (now - begun < seconds * 1000) requestAnimationFrame(look);
      else done({ times: times.slice(2), steps });
    };
    requestAnimationFrame(look);
  });

async function measureEmbeds() {
  const inside = EMBEDDED.map((words, i) => {
    execFileSync(topogemm, ["draw", ...words, "-o", path.join(folder, `embed-${i}.html`), "-q"]);
    return `<iframe src="embed-${i}.html?embed" width="620" height="420"></iframe>`;
  });
  const file = path.join(folder, "lecture.html");
  fs.writeFileSync(file, `<!DOCTYPE html>${inside.join("")}`);
  const page = await browser.newPage({ viewport: window_ });
  await page.goto(pathToFileURL(file).href);
  for (const frame of page.frames().slice(1)) await frame.waitForSelector("html[data-ready=true][data-settled]");
  await page.waitForTimeout(500);
  await page.evaluate(stepAll, [PER_SECOND, SECONDS]);
  const found = await Promise.all(page.frames().map((frame) => frame.evaluate(framesOf, SECONDS)));
  await page.close();
  const times = found.flatMap((one) => one.times);
  const late = times.filter((time) => time > 1.5 * (1000 / 60)).length;
  return { pages: EMBEDDED.map((words) => `${words[0]} ${words[2]}`), steps_per_s: PER_SECOND, seconds: SECONDS,
    steps: found.slice(1).map((one) => one.steps), frames_per_s: Math.round(10 * Math.min(...found.map((one) => (1000 * one.times.length) / one.times.reduce((sum, time) => sum + time, 0)))) / 10,
    late_share: Math.round((1000 * late) / times.length) / 1000, most_ms: Math.round(Math.max(...times)) };
}

const embeds = await measureEmbeds();
console.log(`${embeds.pages.join(", ")} embedded, ${embeds.steps.join(", ")} steps in ${embeds.seconds} s: ${embeds.frames_per_s} frames a second, ${(100 * embeds.late_share).toFixed(1)} % of them late, the slowest ${embeds.most_ms} ms`);
const rows = [];
for (const one of cases) {
  const row = await measure(one);
  rows.push(row);
  console.log(`${row.grid}${row.as ? `, ${row.as}` : ""}: opened in ${row.opened_ms} ms; a step ${row.median_ms} ms in the median of ${row.steps}, ${row.most_ms} at most, ${row.settled_median_ms} with all beside it${row.aimed_ms ? `; aimed at ${row.aimed_ms}` : ""}`);
}
const environment = { browser: `Chromium ${browser.version()}, headless, drawing without a GPU`, processor: os.cpus()[0].model, cores: os.cpus().length, window: `${window_.width}×${window_.height}` };
await browser.close();
fs.rmSync(folder, { recursive: true, force: true });
if (results) {
  const lines = rows.map((row) => "  " + JSON.stringify(row)).join(",\n");
  fs.writeFileSync(results, `{"environment": ${JSON.stringify(environment)},\n "embeds": ${JSON.stringify(embeds)},\n "results": [\n${lines}\n]}\n`);
}
