/* What lecturers and students do with the page: test-lecture.mjs TOPOGEMM CHROMIUM. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { command, end, folder, open, pageFile, settled, stepOf } from "./page.mjs";
import { runCases } from "./tap.mjs";

const verdictOf = (page) => page.textContent(".verdict");
const says = (page, words) => page.waitForFunction((part) => document.querySelector(".verdict").textContent.includes(part), words);

/* --- texts that take long ------------------------------------------------------------------------------------------ */

const SPIN = (count) => `schedule spin "Spin"\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\nrepeat s in ${count}\n  step "round"\n    move A to (i, j-1)\n`;

/* Endless work is refused, work that takes long leaves the page free: a key is answered while it goes on. */
async function longProofs() {
  const page = await open(["cannon", "--grid", "4x4"]);
  const text = await page.inputValue(".text");
  for (const count of [2000000, 16000000]) {
    await page.fill(".text", SPIN(count));
    await says(page, "the page executes up to 50000 statements");
    await page.fill(".text", text);
    await says(page, "Proved");
  }
  await page.fill(".grid", "64x64");
  await says(page, "Proving");
  await page.keyboard.press("Tab");
  await says(page, "Proved on this grid: every block of C gets each of its 64 terms");
  await page.waitForFunction(() => document.querySelector(".times [data-time]"));
  await page.fill(".text", text.replace("(i-j, j)", "(i-j-1, j)"));
  await says(page, "Wrong");
  await page.done();
}

async function cancelled() {
  const page = await open(["cannon", "--grid", "4x4"]);
  await page.fill(".text", SPIN(1900));
  await page.fill(".grid", "64x64");
  await says(page, "Proving");
  await page.click(".verdict button");
  await says(page, "cancelled");
  await page.click("#next");
  assert.equal(await stepOf(page), 1);
  await page.done();
}

/* More than the page takes is refused before a browser lays it out. */
async function longTexts() {
  const page = await open(["cannon", "--grid", "4x4"]);
  const text = await page.inputValue(".text");
  for (const long of ["\n".repeat(140000), "x".repeat(70000)]) {
    await page.fill(".text", long);
    await says(page, "accepts up to 64 KB");
    await page.fill(".text", text);
    await says(page, "Proved");
  }
  await page.focus(".text");
  await page.keyboard.insertText("y".repeat(10 << 20));
  await says(page, "accepts up to 64 KB");
  assert.equal(await page.inputValue(".text"), text);
  await page.keyboard.insertText("# comment\n".repeat(5900)); // which Chromium would take minutes for
  assert.equal((await page.inputValue(".text")).length, text.length + 59000);
  await page.fill(".text", text);
  await page.focus(".text");
  await page.keyboard.press("Control+Home");
  await page.keyboard.insertText("# comment\n".repeat(100) + "x");
  await says(page, "found `x");
  await page.done();
}

/* --- what is changed ------------------------------------------------------------------------------------------------ */

async function headings() {
  const page = await open(["cannon", "--grid", "4x4"]);
  assert.equal(await page.textContent("#title"), "Cannon on a 4×4 torus");
  await page.fill(".grid", "3x3");
  await page.waitForFunction(() => document.getElementById("title").textContent === "Cannon on a 3×3 torus");
  assert.equal(await page.title(), "Cannon on a 3×3 torus");
  await page.fill(".text", fs.readFileSync(new URL("../../algo/summa.sched", import.meta.url), "utf8"));
  await page.waitForFunction(() => document.getElementById("title").textContent.startsWith("SUMMA on a 3×3"));
  assert.match(await page.textContent("#citation"), /van de Geijn/);
  await page.done();
}

/* What is wrong with a setting is said of the setting, not of a line of the text. */
async function settings() {
  const page = await open(["cannon", "--grid", "4x4"]);
  for (const [field, wrong, name] of [[".network", "tours:4x4", "Network: "], [".grid", "4x", "Grid: "], [".set", "c", "Set: "]]) {
    const before = await page.inputValue(field);
    await page.fill(field, wrong);
    await page.waitForFunction((start) => document.querySelector(".verdict").textContent.startsWith(start), name);
    assert.equal(await page.getAttribute(field, "aria-invalid"), "true");
    assert.equal(await page.getAttribute(".text", "aria-invalid"), "false");
    assert.equal((await page.$$(".behind .wrong")).length, 0);
    await page.fill(field, before);
    await says(page, "Proved");
    assert.equal(await page.getAttribute(field, "aria-invalid"), "false");
  }
  await page.done();
}

/* The address has what was changed; Reset takes it back. */
async function edits() {
  const page = await open(["cannon", "--grid", "4x4"]);
  const text = await page.inputValue(".text");
  const other = text.replace("(i, j-i)", "(i, j-i+1)").replace("(i-j, j)", "(i-j+1, j)").replace('"align"', '"align → äöü"');
  assert.ok(await page.isDisabled(".reset"));
  await page.fill(".text", other);
  await page.fill(".grid", "3x3");
  await page.waitForFunction(() => /grid=3x3/.test(location.hash) && /text=/.test(location.hash));
  await page.reload();
  await page.waitForSelector("html[data-ready=true]");
  assert.equal(await page.inputValue(".text"), other);
  assert.equal(await page.inputValue(".grid"), "3x3");
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(".download")]);
  assert.equal(file.suggestedFilename(), "cannon.sched");
  const saved = path.join(folder, "saved.sched");
  await file.saveAs(saved);
  assert.match(command("verify", saved, "--grid", "3x3"), /checked for this grid/);
  await page.click(".reset");
  await page.waitForFunction(() => !/text=|grid=/.test(location.hash));
  assert.equal(await page.inputValue(".text"), text);
  assert.equal(await page.inputValue(".grid"), "4x4");
  await page.done();
}

/* A text that cannot be read leaves nothing of the failure before; the grid may be written as headings have it. */
async function repairs() {
  const page = await open(["dns", "--grid", "3x3x3"]);
  const text = await page.inputValue(".text");
  await page.fill(".grid", "2 × 2 × 2");
  await says(page, "Proved on this grid: every block of C gets each of its 2 terms");
  await page.fill(".text", text.replace(/.*broadcast B.*\n/, ""));
  await says(page, "Wrong");
  await page.click(".verdict button");
  await page.waitForSelector(".failure:not([hidden])");
  const at = await page.$$eval(".picture svg .node", (all) => all.filter((one) => one.querySelector("title")?.textContent === "the proof fails here")
    .map((one) => one.getBoundingClientRect().x + one.getBoundingClientRect().width / 2));
  const cell = (panel) => page.$eval(`#p-0-0-1${panel}`, (one) => one.getBoundingClientRect().x + one.getBoundingClientRect().width / 2);
  assert.ok(at.length === 1 && Math.abs(at[0] - (await cell("-panel-2"))) < 2 && !(await page.$(".picture .failed")), `${at}`);
  await page.fill(".text", text.replace("A * B", "A *"));
  await says(page, "expected a buffer's name");
  assert.ok(await page.isHidden(".failure"));
  assert.equal(await page.$$eval("#marks i", (marks) => marks.length), 0);
  await page.done();
}

/* What is copied opens the same page; a link that was cut off says so. */
async function links() {
  const page = await open(["cannon", "--grid", "4x4"]);
  await page.fill(".grid", "3x3");
  await page.fill(".text", (await page.inputValue(".text")).replace("(i, j-i)", "(i, j-i+1)"));
  await says(page, "Wrong");
  await page.click("#next");
  await page.waitForFunction(() => /text=/.test(location.hash));
  await page.click("#link");
  await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Link copied. Step 1"));
  await page.fill(".whom", "");
  await page.focus(".whom");
  await page.keyboard.press("Control+V");
  const link = await page.inputValue(".whom");
  await page.fill(".whom", "");
  assert.equal(link, page.url());
  assert.match(link, /^file:.*#step=1&grid=3x3&text=/);
  const text = await page.inputValue(".text");
  for (const [address, words, shown] of [[link, /^Step 1/, text], [link.slice(0, -20), /^The link is damaged/, text.replace("j-i+1", "j-i")]]) {
    await page.goto("about:blank");
    await page.goto(address);
    await page.waitForSelector("html[data-ready=true][data-settled]");
    assert.match(await page.textContent("#status"), words);
    assert.equal(await page.inputValue(".text"), shown);
  }
  await page.click("#next");
  assert.match(await page.textContent("#status"), /^Step 2/);
  await page.done();
}

/* --- in the lecture hall ---------------------------------------------------------------------------------------------- */

/* What one explains is on one screen: controls, step, legend, verdict and picture. */
async function oneScreen() {
  for (const viewport of [{ width: 1280, height: 800 }, { width: 1366, height: 768 }]) {
    for (const words of [["cannon", "--grid", "4x4", "--step", "1"], ["dns", "--grid", "2x2x2", "--step", "1"], ["cannon", "--grid", "64x64"]]) {
      const page = await open(words, { viewport });
      for (const part of ["#transport", "#status", "#legend", ".verdict", ".picture svg, .picture canvas", ".map-key"]) {
        const box = await page.$eval(part, (element) => element.getBoundingClientRect().bottom).catch(() => 0);
        assert.ok(box <= viewport.height, `${words.join(" ")}, ${viewport.width}: ${part} ends at ${box}`);
      }
      await page.done();
    }
  }
}

async function lectures() {
  const page = await open(["cannon", "--grid", "2x2"]);
  const width = () => page.$eval(".picture svg", (svg) => svg.getBoundingClientRect().width);
  const before = await width();
  await page.click("#lecture");
  await page.waitForFunction((wide) => document.querySelector(".picture svg").getBoundingClientRect().width > 1.3 * wide, before);
  assert.ok(await page.isHidden(".text") && await page.isVisible("#legend") && await page.isVisible(".verdict"));
  await page.keyboard.press("PageDown");
  assert.equal(await stepOf(page), 1);
  await page.keyboard.press("PageUp");
  assert.equal(await stepOf(page), 0);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.documentElement.classList.contains("lecture"));
  await page.waitForFunction((wide) => Math.abs(document.querySelector(".picture svg").getBoundingClientRect().width - wide) < 2, before);
  await page.keyboard.press("?");
  assert.ok(await page.isVisible("#help"));
  await page.click("#help button");
  const fit = await width();
  await page.click(".fit");
  assert.ok(await width() > 1.1 * fit);
  await page.done();
}

/* While it plays, every block of a message travels along its arrow; without motion none does. */
async function glides() {
  for (const reducedMotion of ["no-preference", "reduce"]) {
    const page = await open(["cannon", "--grid", "3x3", "--step", "1"], { reducedMotion });
    const gliders = () => page.$$eval(".glider text", (all) => all.map((text) => text.textContent).sort());
    await page.selectOption("#speed", "0.5");
    await page.click("#play");
    const names = await gliders();
    if (reducedMotion === "reduce") assert.deepEqual(names, []);
    else assert.deepEqual([...new Set(names)], ["A₁₀", "A₁₁", "A₁₂", "A₂₀", "A₂₁", "A₂₂", "B₀₁", "B₀₂", "B₁₁", "B₁₂", "B₂₁", "B₂₂"]);
    await page.click("#play");
    assert.deepEqual(await gliders(), []);
    await page.done();
  }
}

/* Sliders are in the address, the strip leads to steps, and a picture is saved as it is shown. */
async function predictions() {
  const page = await open(["cannon", "--grid", "4x4"]);
  assert.equal((await page.$$("#strip i")).length, 5);
  await page.click("#strip i:nth-child(3)");
  assert.equal(await stepOf(page), 3);
  await page.$eval(".sliders input", (input) => {
    input.value = "3";
    input.dispatchEvent(new Event("input"));
  });
  await page.waitForFunction(() => /n=1000&/.test(`${location.hash}&`));
  await page.reload();
  await page.waitForSelector("html[data-ready=true]");
  assert.equal(await page.textContent(".sliders output"), "n = 1,000");
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(".save")]);
  assert.equal(file.suggestedFilename(), "cannon-on-a-4-4-torus-step-3.svg");
  for (const [format, suffix, begins] of [["PNG", "png", "\x89PNG"], ["TikZ", "tex", "%"]]) {
    await page.selectOption(".save-as", format);
    const [other] = await Promise.all([page.waitForEvent("download"), page.click(".save")]);
    assert.equal(other.suggestedFilename(), `cannon-on-a-4-4-torus-step-3.${suffix}`);
    const bytes = fs.readFileSync(await other.path(), "latin1");
    assert.ok(bytes.startsWith(begins) && bytes.length > 10000, `${format}: ${bytes.slice(0, 40)}`);
  }
  await page.done();
}

/* What is followed stays marked in a saved picture; a PDF comes from the dialog for printing, which has the picture alone. */
async function saved() {
  const page = await open(["cannon", "--grid", "4x4"], { hash: "#step=1&block=A00" });
  const save = async () => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(".save")]);
    return fs.readFileSync(await file.path(), "utf8");
  };
  const marks = (svg) => (svg.match(/stroke-width: 4px/g) ?? []).length;
  assert.equal(marks(await save()), await page.$$eval("g.followed > rect", (all) => all.length));
  await page.evaluate(() => (location.hash = "#step=1"));
  await page.waitForSelector(".picture:not(.following)");
  assert.equal(marks(await save()), 0);
  await page.evaluate(() => {
    const append = document.body.append;
    document.body.append = (frame) => {
      append.call(document.body, frame);
      frame.contentWindow.print = () => {};
      frame.addEventListener("load", () => (window.sheet = frame.srcdoc));
    };
  });
  await page.selectOption(".save-as", "PDF");
  await page.click(".save");
  const sheet = await (await page.waitForFunction(() => window.sheet)).jsonValue();
  await page.setContent(sheet);
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
  assert.match(pdf, /^%PDF/);
  assert.equal((pdf.match(/\/Type\s*\/Page\b/g) ?? []).length, 1);
  await page.close();
}

/* What the address alone sets. */
async function rooms() {
  const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const page = await open(["cannon", "--grid", "4x4"], { hash: "#step=1&loop=2-3&theme=light", colorScheme: "dark" });
  assert.equal(await paper(page), "rgb(255, 255, 255)");
  await page.selectOption("#speed", "4");
  await page.click("#play");
  const seen = await page.evaluate(async () => {
    const steps = [];
    for (let i = 0; i < 200 && steps.length < 5; i++) {
      const step = Number(document.getElementById("jump").value);
      if (step !== steps.at(-1)) steps.push(step);
      await new Promise((done) => setTimeout(done, 50));
    }
    return steps;
  });
  assert.deepEqual(seen, [2, 3, 2, 3, 2]);
  await page.click("#play");
  await settled(page);
  assert.match(await page.evaluate(() => location.hash), /loop=2-3&theme=light/);
  await page.evaluate(() => (location.hash = "#step=1&theme=dark"));
  await page.waitForFunction(() => getComputedStyle(document.body).backgroundColor === "rgb(22, 24, 27)");
  await page.done();
}

/* An address that is put into an open page counts as a new one. */
async function addresses() {
  const page = await open(["cannon", "--grid", "4x4"]);
  const url = page.url().split("#")[0];
  await page.goto(`${url}#step=4`);
  await page.waitForFunction(() => document.getElementById("jump").value === "4");
  await page.goto(`${url}#step=2&grid=3x3`);
  await page.waitForFunction(() => document.querySelector(".grid")?.value === "3x3" && document.getElementById("jump").value === "2");
  await page.done();
}

/* A handout says what is to be done, and accepts no other schedule. */
async function exercises() {
  command("exercise", "cannon", "--grid", "3x3", "-o", "set", "-q");
  const [name] = fs.readdirSync(path.join(folder, "set", "handout")).filter((file) => file.endsWith(".html"));
  const right = fs.readFileSync(path.join(folder, "set", "answers", name.replace(".html", ".sched")), "utf8");
  const page = await open(path.join(folder, "set", "handout", name));
  assert.match(await page.textContent("#citation"), /One line of this schedule is wrong/);
  assert.match(await verdictOf(page), /^Wrong/);
  await page.fill("textarea", right.replace(/exercise-\w+/, "mine"));
  await says(page, "Proved, but not the exercise");
  await page.fill("textarea", right);
  await says(page, "hand in that file");
  await page.done();
}

async function failures() {
  command("mutate", "cannon", "--grid", "4x4", "--seed", "3", "-o", "wrong.sched");
  const page = await open(["./wrong.sched", "--grid", "4x4"]);
  const step = Number(/step (\d+)/.exec(await verdictOf(page))[1]);
  assert.equal((await page.$$("#marks i")).length, 1);
  await page.click(`.verdict button:text("Go to step ${step}")`);
  assert.equal(await stepOf(page), step);
  assert.ok(await page.isVisible(".failure"));
  await page.done();
}

/* The shorter one says that it has ended, and both have one time axis. */
async function races() {
  const page = await open(["cannon", "--grid", "4x4", "--beside", "summa"]);
  for (const name of ["Cannon, PhD", "van de Geijn"]) assert.ok((await page.textContent("#citation")).includes(name.split(",")[0]), name);
  assert.equal((await page.$$("#versus tbody tr")).length, 2);
  await page.keyboard.press("End");
  await settled(page);
  const notes = await page.$$eval(".note", (all) => all.map((note) => note.textContent));
  assert.equal(notes[1], "Finished at step 4.");
  assert.equal(await page.$$eval(".lab", (labs) => [...labs[1].querySelectorAll("g.edge")].filter((edge) => getComputedStyle(edge).display !== "none").length), 0);
  const scales = await page.$$eval(".picture svg", (svgs) => svgs.map((svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width));
  assert.ok(Math.abs(scales[0] - scales[1]) < 0.01, scales.join());
  await page.check("#modelled");
  assert.equal(await stepOf(page), 0);
  const seen = [];
  for (;;) {
    seen.push(await page.$$eval(".lab", (labs) => labs.map((lab) => lab.querySelector(".picture svg").getAttribute("aria-label"))));
    if (await page.isDisabled("#next")) break;
    await page.click("#next");
  }
  for (const i of [0, 1]) assert.equal(new Set(seen.map((labels) => labels[i])).size, i ? 5 : 6);
  const times = (await page.textContent("#status")).split(" of ");
  assert.equal(times[0], times[1]);
  await page.done();
}

/* --- within other pages ---------------------------------------------------------------------------------------------- */

/* The page has panels and steps also where it has no address, as in a notebook. */
async function srcdoc() {
  const file = path.join(folder, "notebook.html");
  const inner = fs.readFileSync(pageFile(["cannon", "--grid", "3x3"]), "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  fs.writeFileSync(file, `<!DOCTYPE html><html data-ready="true" data-settled="0"><link rel="icon" href="data:,"><iframe width="1200" height="800" srcdoc="${inner}"></iframe></html>`);
  const page = await open(file);
  const frame = page.frameLocator("iframe");
  await frame.locator("html[data-settled='0']").waitFor({ state: "attached" });
  assert.equal(await frame.locator(".bar").count(), 9);
  await frame.locator("#next").click();
  await frame.locator("html[data-settled='1']").waitFor({ state: "attached" });
  assert.match(await frame.locator(".words").textContent(), /messages/);
  await page.done();
}

/* ?embed shows the picture and the buttons; the pages speak by messages. */
async function embedded() {
  const inner = path.basename(pageFile(["cannon", "--grid", "3x3"]));
  const file = path.join(folder, "deck.html");
  fs.writeFileSync(file, `<!DOCTYPE html><html data-ready="true" data-settled="0"><link rel="icon" href="data:,"><iframe width="800" height="600" src="${inner}?embed#step=2"></iframe>
<script>const heard = []; addEventListener("message", ({ data }) => heard.push(data));
const say = (data) => document.querySelector("iframe").contentWindow.postMessage(data, "*");</script></html>`);
  const page = await open(file);
  const last = (what) => page.waitForFunction((name) => heard.some((data) => data.topogemm === name), what);
  await last("ready");
  const frame = page.frameLocator("iframe");
  assert.ok(await frame.locator("#next").isVisible() && await frame.locator(".text").isHidden() && await frame.locator("#title").isHidden());
  await page.evaluate(() => say({ topogemm: "step" }));
  await page.waitForFunction(() => heard.at(-1).topogemm === "state" && heard.at(-1).step === 3);
  await page.evaluate(() => say({ topogemm: "set", grid: "2x2", step: 1 }));
  await page.waitForFunction(() => heard.at(-1).step === 1 && heard.at(-1).last === 3);
  assert.match(await page.evaluate(() => heard.at(-1).hash), /grid=2x2/);
  await page.done();
}

try {
  await runCases([
    ["long proofs", longProofs],
    ["cancelled", cancelled],
    ["long texts", longTexts],
    ["headings", headings],
    ["settings", settings],
    ["edits", edits],
    ["repairs", repairs],
    ["links", links],
    ["one screen", oneScreen],
    ["lectures", lectures],
    ["glides", glides],
    ["predictions", predictions],
    ["saved pictures", saved],
    ["rooms", rooms],
    ["addresses", addresses],
    ["exercises", exercises],
    ["failures", failures],
    ["races", races],
    ["srcdoc", srcdoc],
    ["embedded", embedded],
  ]);
} finally {
  await end();
}
