/* The page in a browser: test-page.mjs TOPOGEMM CHROMIUM. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import axe from "axe-core";
import { barsOf, command, end, folder, lastOf, open, pageFile, pictureOf, settled, stepOf } from "./page.mjs";
import { runCases } from "./tap.mjs";

/* Debian 12 has Node 18, whatever runs this here. */
function modulesRunOnNode18() {
  const lock = JSON.parse(fs.readFileSync(new URL("package-lock.json", import.meta.url)));
  for (const [name, { engines }] of Object.entries(lock.packages)) {
    if (engines) assert.ok(Number(engines.node.match(/^>=(\d+)/)[1]) <= 18, `${name} wants Node ${engines.node}`);
  }
}

const library = [
  ["cannon", "4x4"], ["cannon-gray", "4x4"], ["summa", "4x4"], ["summa-panels", "2x4"], ["fox", "3x3"], ["dns", "2x2x2"],
  ["dns-rounds", "2x2x2"], ["cannon25d", "4x4x2"], ["berntsen", "2x2x2"], ["agarwal3d", "2x2x2"], ["cube3d", "2x2x2"],
  ["dimma", "2x3"], ["allgather", "3x3"], ["ring", "4"], ["mmt", "4"], ["pegmm", "3"], ["mod-pegmm", "4"],
];

/* --- stepping ----------------------------------------------------------------------------------------------------- */

async function stepsToTheEnd() {
  for (const [name, grid] of library) {
    const page = await open([name, "--grid", grid]);
    await page.keyboard.press("Home");
    const first = await pictureOf(page);
    const last = await lastOf(page);
    const terms = [];
    for (let s = 0; s < last; s++) {
      terms.push((await barsOf(page)).join());
      await page.click("#next");
      assert.equal(await stepOf(page), s + 1, name);
    }
    assert.ok(await page.isDisabled("#next"));
    for (const bar of await barsOf(page)) assert.match(bar, /^C\S+: (\d+) of \1 terms in place$/, `${name}: ${bar}`);
    for (let s = last - 1; s >= 0; s--) {
      await page.click("#back");
      assert.equal((await barsOf(page)).join(), terms[s], `${name}: back at step ${s}`);
    }
    assert.equal(await pictureOf(page), first, `${name}: back at the start`);
    assert.match(await page.textContent(".verdict"), /^Proved on this grid/);
    await page.done();
  }
}

async function keys() {
  const page = await open(["cannon", "--grid", "3x3"]);
  const press = async (key, step) => {
    await page.keyboard.press(key);
    assert.equal(await stepOf(page), step, key);
  };
  await page.focus("#scrub");
  await press("End", 4);
  await press("ArrowLeft", 3);
  await press("Home", 0);
  await press("ArrowRight", 1);
  await page.fill("#jump", "2");
  await page.keyboard.press("Enter");
  assert.equal(await stepOf(page), 2);
  await page.focus(".text");
  await press("ArrowRight", 2); /* the editor keeps its keys */
  await page.focus("#scrub");
  await page.keyboard.press("Home");
  await page.selectOption("#speed", "4");
  await page.click("h1");
  await page.keyboard.press(" ");
  assert.equal(await page.getAttribute("#play", "aria-pressed"), "true");
  await page.waitForFunction(() => Number(document.getElementById("jump").value) === 4);
  await page.waitForFunction(() => document.getElementById("play").getAttribute("aria-pressed") === "false");
  await page.done();
}

async function address() {
  const page = await open(["cannon", "--grid", "3x3"], { hash: "#step=3&block=A₁₂" });
  assert.equal(await stepOf(page), 3);
  assert.match(await page.textContent(".follow"), /Following A₁₂/);
  await page.click("#back");
  await settled(page);
  assert.match(decodeURIComponent(page.url()), /#step=2&block=A₁₂$/);
  await page.reload();
  await page.waitForSelector("html[data-ready=true]");
  assert.equal(await stepOf(page), 2);
  await page.evaluate(() => {
    location.hash = "#step=1&processor=4";
    history.replaceState(null, "", "#step=2"); /* as the page does when a step settles */
  });
  await page.waitForFunction(() => document.getElementById("jump").value === "1");
  await settled(page);
  assert.match(await page.textContent(".follow"), /Following P\(1,1\)/);
  const wide = () => page.$eval(".picture", (box) => box.getBoundingClientRect().width);
  const before = await wide();
  await page.click(".widen");
  await settled(page);
  assert.ok(await wide() > 1.3 * before);
  assert.match(page.url(), /#step=1&wide=&processor=4$/);
  await page.reload();
  await page.waitForSelector("html[data-ready=true]");
  assert.ok(await wide() > 1.3 * before);
  for (const garbage of ["processor=-1", "processor=1.5", "processor=", "processor=9", "block=zzz", "block=A33", "step=-2&x=%"]) {
    await page.evaluate((hash) => { location.hash = hash; }, garbage);
    await page.waitForFunction(() => document.querySelector(".follow").hidden);
    await page.evaluate(() => { location.hash = "#block=a01"; });
    await page.waitForFunction(() => document.querySelector(".follow").textContent.includes("Following A₀₁"));
  }
  await page.evaluate(() => { location.hash = "#step=99&processor=nobody"; });
  await page.waitForFunction(() => document.getElementById("jump").value === "4");
  await page.done();
}

async function follows() {
  const page = await open(["cannon", "--grid", "4x4", "--step", "2"]);
  await page.click("#p-1-2-A");
  const name = (await page.textContent(".follow strong")).replace("Following ", "").trim();
  assert.equal(name, "A₁₃");
  const stops = await page.$$eval(".follow li", (items) => items.map((item) => item.textContent));
  assert.equal(stops.length, 6);
  assert.match(stops[0], /^start: on P\(1,3\)$/);
  assert.match(stops[1], /^align: P\(1,3\) → P\(1,2\) \(line 9\)$/);
  assert.match(stops[2], /P\(1,2\) → P\(1,1\) \(line 15\); C₁₂ \+= A₁₃·B₃₂ on P\(1,2\) \(line 14\)/);
  assert.deepEqual(await page.$$eval("g.node.followed", (groups) => groups.map((group) => group.id)), ["p-1-2-A"]);
  assert.equal(await page.$$eval("g.edge.followed", (groups) => groups.length), 1);
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await page.$$eval("g.node.followed", (groups) => groups.map((group) => group.id)), ["p-1-1-A"]);
  await page.keyboard.press("Escape");
  assert.ok(await page.isHidden(".follow"));
  assert.equal(await page.$$eval(".followed", (groups) => groups.length), 0);
  const header = await page.$("#p-2-0");
  await header.scrollIntoViewIfNeeded();
  const box = await header.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + 5); /* on its name */
  assert.match(await page.textContent(".follow strong"), /P\(2,0\)/);
  for (const [written, meant] of [["b31", "B₃₁"], ["C0,2", "C₀₂"], ["P(3,1)", "P(3,1)"], ["2, 2", "P(2,2)"]]) {
    await page.fill(".whom", written);
    await page.keyboard.press("Enter");
    assert.match(await page.textContent(".follow strong"), new RegExp(`Following ${meant.replace(/[()]/g, "\\$&")} $`));
  }
  for (const nobody of ["P(4,0)", "A99", "nonsense"]) {
    await page.fill(".whom", nobody);
    await page.keyboard.press("Enter");
    assert.ok(await page.isHidden(".follow"));
    assert.equal(await page.getAttribute(".whom", "aria-invalid"), "true");
  }
  await page.fill(".whom", "P(3,3)");
  await page.keyboard.press("Enter");
  await page.focus("#next");
  await page.keyboard.press("Escape");
  assert.equal(await page.inputValue(".whom"), "");
  await page.fill(".whom", "P(3,3)");
  await page.keyboard.press("Enter");
  assert.match(await page.textContent(".follow strong"), /P\(3,3\)/);
  await page.fill(".grid", "2x2"); /* which has no such processor */
  await page.waitForFunction(() => document.getElementById("of").textContent === "of 3");
  assert.ok(await page.isHidden(".follow"));
  assert.equal((await barsOf(page)).length, 4);
  await page.done();
}

async function besides() {
  const page = await open(["summa", "--beside", "cannon,dns", "--grid", "4x4,2x2x2"]);
  assert.equal(await page.$$eval(".lab", (labs) => labs.length), 3);
  const titles = await page.$$eval(".lab h2", (heads) => heads.map((head) => head.textContent));
  assert.deepEqual(titles, ["SUMMA on a 4×4 torus", "Cannon on a 4×4 torus", "DNS on a 2×2×2 torus"]);
  await page.keyboard.press("End");
  assert.equal(await stepOf(page), 5);
  for (const bar of await barsOf(page)) assert.match(bar, /(\d+) of \1 terms in place$/);
  const ids = await page.$$eval("[id]", (all) => all.map((one) => one.id));
  assert.equal(new Set(ids).size, ids.length, "ids of the page differ");
  await page.click("#l2-p-1-1-A");
  assert.equal(await page.$$eval(".lab:nth-child(2) .followed", (all) => all.length > 0), true);
  assert.equal(await page.$$eval(".lab:nth-child(1) .followed", (all) => all.length), 0);
  await page.done();
}

/* One plane of the picture, in every panel that it has, and the same part of it in all steps. */
async function onePlane() {
  for (const words of [["dns", "--grid", "3x3x3"], ["cannon25d", "--grid", "4x4x2"]]) {
    const page = await open(words);
    const views = [];
    await page.selectOption(".planes", "1");
    await page.focus("#scrub");
    await page.keyboard.press("Home");
    for (let step = 0; step <= (await lastOf(page)); step++) {
      if (step > 0) await page.keyboard.press("ArrowRight");
      await page.waitForSelector(`html[data-settled="${step}"]`);
      const [whole, part] = await page.$eval(".picture svg", (svg) => [svg.dataset.whole, svg.getAttribute("viewBox")].map((view) => view.split(" ").map(Number)));
      assert.ok(part[3] < 0.8 * whole[3] || part[2] < 0.8 * whole[2], `${words[0]}: ${part} of ${whole}`);
      if (words[0] === "dns") assert.ok(part[2] > 0.8 * whole[2], `${words[0]}: ${part} of ${whole}`);
      views.push(part.join(" "));
    }
    assert.equal(new Set(views).size, 1, views.join("; "));
    await page.done();
  }
}

/* --- the same as the command --------------------------------------------------------------------------------------- */

/* Ids and titles of processors, slots and messages in an SVG's text. */
function namesOf(svg) {
  const names = new Map();
  for (const [, id, rest] of svg.matchAll(/<g id="([pmf]-[^"]*)"[^>]*>\s*(<title>[^<]*<\/title>)?/g)) names.set(id, rest ?? "");
  return names;
}

async function idsAreTheSame() {
  const unescape = (text) => text.replaceAll("&#39;", "'").replaceAll("&apos;", "'");
  for (const [name, grid, ...more] of [["cannon", "4x4"], ["dns", "2x2x2"], ["summa", "3x3"], ["fox", "2x2"], ["cannon25d", "4x4x2"], ["dns-rounds", "2x2x2", "--network", "hypercube:3"], ["ring", "5"], ["mmt", "3"]]) {
    const page = await open([name, "--grid", grid, ...more]);
    for (let s = 0; s <= (await lastOf(page)); s++) {
      command("draw", name, "--grid", grid, ...more, "--step", String(s), "-o", "step.svg", "-q");
      const drawn = namesOf(unescape(fs.readFileSync(path.join(folder, "step.svg"), "utf8")));
      await page.evaluate((step) => { location.hash = `#step=${step}`; }, s);
      await page.waitForSelector(`html[data-settled="${s}"]`);
      const shown = namesOf(unescape(await pictureOf(page)));
      assert.deepEqual([...shown].sort(), [...drawn].sort(), `${name} step ${s}`);
      assert.ok(drawn.size > 0);
    }
    await page.done();
  }
}

/* The last is on the machine's own network, which has a node for each of 64 processors. */
async function timesAreTheSame() {
  for (const [name, grid] of [["cannon", "4x4"], ["dns", "2x2x2"], ["summa", "4x4"], ["cannon25d", "4x4x2"], ["cannon", "8x8"]]) {
    const page = await open([name, "--grid", grid, "-n", "2000", "--machine", "tpu-torus"]);
    const shown = await page.$eval("[data-time]", (one) => Number(one.dataset.time));
    const said = JSON.parse(command("sim", name, "--grid", grid, "-n", "2000", "--machine", "tpu-torus", "--json"));
    assert.ok(Math.abs(shown / said.time_s - 1) < 1e-9, `${name}: ${shown} and ${said.time_s}`);
    const words = await page.textContent(".times");
    for (const part of ["products", "latency", "bytes", "waiting"])
      assert.equal(words.includes(`… ${part}`), said.parts[`${part}_s`] > 0, `${name}: ${part}`);
    await page.done();
  }
}

/* A machine file with the sliders' numbers gives the command the page's time. */
async function slidersPredict() {
  const page = await open(["cannon", "--grid", "4x4", "-n", "1000"]);
  const before = await page.$eval("[data-time]", (one) => Number(one.dataset.time));
  const move = (name, value) =>
    page.$eval(`.sliders input[aria-label="${name}"]`, (input, to) => {
      input.value = to;
      input.dispatchEvent(new Event("input"));
    }, value);
  await move("Latency", "-4");
  await move("Bandwidth", "8");
  await move("Flop rate", "9");
  const after = await page.$eval("[data-time]", (one) => Number(one.dataset.time));
  assert.ok(after > 2 * before);
  fs.writeFileSync(path.join(folder, "own.machine"), "[link]\nlatency_s = 1e-4\nbandwidth_bytes_per_s = 1e8\n[processor]\nflops_per_s = 1e9\n");
  const said = JSON.parse(command("sim", "cannon", "--grid", "4x4", "-n", "1000", "--machine", "./own.machine", "--json"));
  assert.ok(Math.abs(after / said.time_s - 1) < 1e-9, `${after} and ${said.time_s}`);
  await page.done();
}

/* Rates by size, rates without limit, sections in another order. */
async function machines() {
  const page = await open(["cannon", "--grid", "2x2", "-n", "4096", "--machine", "h200x4"]);
  assert.match(await page.textContent(".sliders"), /Flop rate: by size/);
  assert.equal(await page.$$eval(".sliders input", (inputs) => inputs.length), 3);
  await page.done();
  const file = path.join(folder, "odd.machine");
  fs.writeFileSync(file, "[link.0]\nlatency_s = 5e-6\n[link]\nlatency_s = 1e-5\nbandwidth_bytes_per_s = inf\n[processor]\nflops_per_s = inf\n");
  const odd = await open(["cannon", "--grid", "2x2", "-n", "4096", "--machine", "./odd.machine"]);
  const said = JSON.parse(command("sim", "cannon", "--grid", "2x2", "-n", "4096", "--machine", "./odd.machine", "--json"));
  assert.ok(Math.abs((await odd.$eval("[data-time]", (one) => Number(one.dataset.time))) / said.time_s - 1) < 1e-9);
  assert.match(await odd.textContent(".sliders"), /Latency10 µs.*without limit.*without limit/s);
  const move = (value) => odd.$eval('.sliders input[aria-label="Latency"]', (input, to) => { input.value = to; input.dispatchEvent(new Event("input")); }, value);
  await move("-3");
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("latency_s = 1e-5", "latency_s = 1e-3"));
  const slower = JSON.parse(command("sim", "cannon", "--grid", "2x2", "-n", "4096", "--machine", "./odd.machine", "--json"));
  assert.ok(Math.abs((await odd.$eval("[data-time]", (one) => Number(one.dataset.time))) / slower.time_s - 1) < 1e-9);
  await odd.done();
}

async function numbersAreTheSame() {
  const page = await open(["cannon", "--grid", "4x4"]);
  await page.keyboard.press("End");
  await settled(page);
  const shown = await page.$$eval(".matrices table:nth-child(3) td", (cells) => cells.map((cell) => Number(cell.textContent)));
  command("step", "cannon", "--grid", "4x4", "-n", "8", "--integers", "--type", "f64", "--c", "c.mtx", "-q");
  const lines = fs.readFileSync(path.join(folder, "c.mtx"), "utf8").split("\n").filter((line) => line && !line.startsWith("%"));
  const columns = lines.slice(1).map(Number); /* array format: column by column */
  assert.equal(columns.length, 64);
  assert.deepEqual(shown, shown.map((_, i) => columns[(i % 8) * 8 + Math.floor(i / 8)]));
  await page.done();
}

/* --- wrong schedules ---------------------------------------------------------------------------------------------- */

async function editing() {
  const page = await open(["cannon", "--grid", "4x4", "--step", "1"]);
  const text = await page.inputValue(".text");
  await page.fill(".text", text.replace("C += A * B", "C += A * Q"));
  await page.waitForSelector(".behind .wrong");
  assert.match(await page.textContent(".verdict"), /line 14, column \d+: .*Q/);
  assert.equal(await page.getAttribute(".text", "aria-invalid"), "true");
  await page.fill(".text", text.replace("move B to (i-j, j)", "move B to (i-j-1, j)"));
  await page.waitForFunction(() => document.querySelector(".verdict").textContent.startsWith("Wrong"));
  await page.fill(".text", text.replace("(i, j-i)", "(i, j-i+1)").replace("(i-j, j)", "(i-j+1, j)"));
  await page.waitForFunction(() => document.querySelector(".verdict").textContent.startsWith("Proved"));
  await page.fill(".grid", "3x3");
  await page.waitForFunction(() => document.querySelectorAll(".bar").length === 9);
  await page.fill(".grid", "3x");
  await page.waitForFunction(() => document.querySelector(".verdict").classList.contains("bad"));
  await page.fill(".grid", "3x4");
  await page.waitForFunction(() => /q/.test(document.querySelector(".verdict").textContent));
  await page.done();
}

async function mutated() {
  for (const seed of [3, 7, 11]) {
    command("mutate", "cannon", "--grid", "4x4", "--seed", String(seed), "-o", `ex${seed}.sched`);
    let verdict = "";
    try {
      command("verify", `./ex${seed}.sched`, "--grid", "4x4");
    } catch (error) {
      verdict = error.stderr + error.stdout;
    }
    const line = /sched:(\d+)/.exec(verdict)?.[1];
    const page = await open([`./ex${seed}.sched`, "--grid", "4x4"]);
    await page.keyboard.press("End");
    assert.ok(await page.isVisible(".failure"), `seed ${seed}`);
    if (line) assert.equal(await page.getAttribute(".behind .wrong", "data-n"), line, `seed ${seed}`);
    assert.ok((await page.$$("g.failed")).length > 0, `seed ${seed}: the processor is marked`);
    await page.click(".suspects button");
    assert.ok(await page.isVisible(".follow"));
    await page.keyboard.press("Home");
    assert.ok(await page.isHidden(".failure"));
    await page.done();
  }
}

/* --- for everybody ------------------------------------------------------------------------------------------------- */

async function accessible() {
  for (const colorScheme of ["light", "dark"]) {
    for (const words of [["cannon", "--grid", "4x4", "--step", "2"], ["dns", "--grid", "4x4x4", "--step", "2"], ["cannon", "--grid", "64x64"]]) {
      const page = await open(words, { colorScheme });
      await page.addScriptTag({ content: axe.source }).catch(() => page.evaluate(axe.source));
      const { violations } = await page.evaluate(() => window.axe.run());
      const serious = violations.filter((one) => ["serious", "critical"].includes(one.impact));
      assert.deepEqual(serious.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 200)} ${one.nodes[0].failureSummary}`), [], `${words.join(" ")} ${colorScheme}`);
      await page.done();
    }
  }
}

async function narrow() {
  for (const words of [["cannon", "--grid", "4x4"], ["summa", "--beside", "cannon", "--grid", "4x4"], ["fox", "--grid", "8x8"]]) {
    const page = await open(words, { viewport: { width: 390, height: 800 } });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), words.join(" "));
    await page.done();
  }
}

async function still() {
  const moving = await open(["cannon", "--grid", "2x2", "--step", "1"], { reducedMotion: "no-preference" });
  await moving.click("#play");
  assert.notEqual(await moving.$eval("g.edge path", (path) => getComputedStyle(path).animationName), "none");
  await moving.done();
  const page = await open(["cannon", "--grid", "2x2", "--step", "1"], { reducedMotion: "reduce" });
  await page.click("#play");
  assert.equal(await page.$eval("g.edge path", (path) => getComputedStyle(path).animationName), "none");
  await page.emulateMedia({ media: "print" });
  assert.ok(await page.isHidden("#transport"));
  await settled(page);
  assert.ok(await page.isVisible(".words"));
  await page.done();
}

async function withoutScripts() {
  const page = await open(["cannon", "--grid", "2x2", "--step", "1"], { javaScriptEnabled: false });
  assert.match(await page.textContent("noscript h2"), /Cannon on a 2×2 torus — step 1/);
  assert.equal(await page.$$eval("noscript g.edge[id^=s0-m-1-]", (arrows) => arrows.length), 4);
  assert.ok((await page.$$("noscript td")).length >= 12);
  await page.done();
}

async function odd() {
  fs.writeFileSync(path.join(folder, "odd.sched"), fs.readFileSync(path.join(folder, "ex3.sched"), "utf8").replace('"L. E.', '"</script><b>L. E. & <!-- \'').replace(/^step "align"/m, 'step "<i>&amp;</i> ü"'));
  const page = await open(["./odd.sched", "--grid", "2x2", "--step", "1"]);
  assert.match(await page.textContent("#status"), /<i>&amp;<\/i> ü/);
  assert.match(await page.textContent("#citation"), /<\/script><b>L\. E\. & <!-- '/);
  await page.done();
}

async function large() {
  const page = await open(["cannon", "--grid", "64x64", "--step", "1"]);
  const box = await (await page.$(".picture canvas")).boundingBox();
  await page.mouse.click(box.x + box.width * (13.5 / 64), box.y + box.height * (1.5 / 64));
  assert.match(await page.textContent(".follow"), /P\(1,13\).*Holds A = A1,14, B = B14,13/s);
  const pixels = () => page.$eval(".picture canvas", (canvas) => canvas.toDataURL());
  const before = await pixels();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await pixels(), before);
  await page.done();
}

/* A map marks where it goes wrong, and what is followed; its buttons follow blocks as those of cells do. */
async function wrongMaps() {
  command("mutate", "cannon", "--seed", "3", "--grid", "4x4", "-o", "wrong.sched", "-q");
  const small = await open(["./wrong.sched", "--grid", "4x4", "--step", "0"], { hash: "#block=A00" });
  assert.equal(await small.textContent("#of"), "of 2");
  assert.equal(await small.$$eval(".follow li", (stops) => stops.length), 3);
  await small.done();
  const page = await open(["./wrong.sched", "--grid", "16x16", "--step", "2"]);
  await page.selectOption(".map", "3");
  assert.equal(await page.$$eval(".spot.failed", (spots) => spots.length), 1);
  const [spot, canvas] = [await (await page.$(".spot.failed")).boundingBox(), await (await page.$(".picture canvas")).boundingBox()];
  assert.equal(Math.floor(((spot.x + spot.width / 2 - canvas.x) / canvas.width) * 16), 1); /* P(0,1) */
  assert.equal(Math.floor(((spot.y + spot.height / 2 - canvas.y) / canvas.height) * 16), 0);
  await page.click(".suspects button >> nth=1");
  assert.match(await page.textContent(".follow"), /Following B15,1.*P\(.*\(line/s);
  assert.ok(await page.$$eval(".spot.followed", (spots) => spots.length) > 0);
  assert.match(await page.textContent(".times"), /Not predicted: the schedule is wrong/);
  assert.equal(await page.textContent("#of"), "of 2"); /* known before one has gone there */
  assert.deepEqual(await page.$$eval(".behind .now", (lines) => lines.map((line) => line.dataset.n)), ["14"]);
  await page.fill(".grid", "64x64");
  await page.waitForFunction(() => document.querySelector(".name").textContent.includes("64×64"));
  assert.match(await page.textContent(".suspects"), /Follow P\(0,1\)/);
  await page.done();
}

/* A page that has gone about shows what one shows that opens there. */
async function reuses() {
  for (const [name, grid, walk] of [["mmt", "3", [1, 3, 4]], ["cannon", "4x4", [3, 1, 2]], ["dns", "2x2x2", [4, 0, 3]], ["fox", "3x3", [1, 2]], ["cannon", "12x12", [1, 2, 5, 4, 0, 3]], ["cannon", "9x9", [0, 1, 2]], ["summa", "10x10", [2, 1, 3]], ["cannon25d", "8x8x2", [3, 1, 2]]]) {
    const seen = (page) => page.$eval(".lab", (lab) => [".picture", ".bars", ".words", ".matrices", ".times"].map((part) => lab.querySelector(part).innerHTML));
    const walker = await open([name, "--grid", grid]);
    for (const step of walk) {
      await walker.evaluate((to) => { location.hash = `#step=${to}`; }, step);
      await walker.waitForSelector(`html[data-settled="${step}"]`);
    }
    const fresh = await open([name, "--grid", grid], { hash: `#step=${walk.at(-1)}` });
    assert.deepEqual(await seen(walker), await seen(fresh), name);
    await walker.done();
    await fresh.done();
  }
}

/* Cells to 32x32, as the command draws them, a map beyond and by choice; the grid chooses again, a person's choice stays. */
async function cellsOrMap() {
  const page = await open(["cannon", "--grid", "16x16", "--step", "2"]);
  const kind = () => page.$eval(".picture svg, .picture canvas", (picture) => picture.nodeName);
  const onGrid = async (grid) => {
    await page.fill(".grid", grid);
    await page.waitForFunction((text) => document.querySelector(".name").textContent.includes(text), grid.replace("x", "×"));
    return kind();
  };
  assert.equal(await kind(), "svg");
  assert.equal(await onGrid("32x32"), "svg");
  assert.equal(await onGrid("33x33"), "CANVAS");
  assert.equal(await onGrid("12x12"), "svg");
  const said = () => page.$eval(".reading", (reading) => getComputedStyle(reading, "::after").content);
  await page.click(".smaller");
  await page.click(".smaller");
  assert.match(await said(), /Words too small/);
  await page.selectOption(".map", "4");
  assert.equal(await said(), "none"); /* a map has none */
  assert.equal(await kind(), "CANVAS");
  const width = () => page.$eval(".picture canvas", (canvas) => canvas.getBoundingClientRect().width);
  const before = await width();
  for (let i = 0; i < 8; i++) await page.click(".larger");
  assert.ok(await width() > 3 * before);
  const large = await width();
  await page.selectOption(".map", "cells");
  await page.selectOption(".map", "4");
  assert.equal(await width(), large);
  await page.click(".fit");
  assert.equal(await onGrid("16x16"), "CANVAS");
  await page.selectOption(".map", "cells");
  assert.equal(await kind(), "svg");
  assert.equal(await onGrid("4x4"), "svg");
  await page.done();
  const asked = await open(["cannon", "--grid", "16x16", "--heat", "held"]);
  assert.equal(await asked.$eval(".map", (map) => map.value), "2");
  await asked.done();
}

/* A processor is followed under its coordinates, also on another grid; where there is none such, no more. */
async function followsOnGrids() {
  const page = await open(["cannon", "--grid", "4x4"]);
  const following = () => page.$eval(".follow", (follow) => (follow.hidden ? "" : follow.textContent));
  await page.fill(".whom", "P(1,2)");
  await page.press(".whom", "Enter");
  assert.match(await following(), /Following P\(1,2\)/);
  await page.fill(".grid", "5x5");
  await page.waitForFunction(() => document.querySelector(".name").textContent.includes("5×5"));
  assert.match(await following(), /Following P\(1,2\)/);
  await page.fill(".grid", "2x2");
  await page.waitForFunction(() => document.querySelector(".name").textContent.includes("2×2"));
  assert.equal(await following(), "");
  await page.done();
}

/* Names of the picture come a moment after it, but never too late: what is clicked at once is what it is now. */
async function followsAtOnce() {
  const page = await open(["cannon", "--grid", "12x12", "--step", "2"]);
  const followed = await page.evaluate(() => {
    const arrow = document.getElementById("m-2-5").querySelector("polygon").getBoundingClientRect();
    document.getElementById("next").click();
    const at = { clientX: arrow.x + arrow.width / 2, clientY: arrow.y + arrow.height / 2, bubbles: true };
    document.elementFromPoint(at.clientX, at.clientY).dispatchEvent(new MouseEvent("click", at));
    return document.querySelector(".picture .edge.followed").outerHTML;
  });
  const block = /<title>([^:]*):/.exec(followed)[1];
  assert.match(followed, /id="m-3-/);
  assert.match(await page.textContent(".follow"), new RegExp(`Following ${block} `));
  await page.done();
}

/* What each processor multiplies is written where that can be read. */
async function smallWords() {
  const page = await open(["cannon", "--grid", "8x8", "--step", "2"]);
  const shown = () => page.$eval("#p-3-3-product text", (text) => getComputedStyle(text).display !== "none");
  assert.equal(await shown(), false);
  assert.equal(await page.textContent("#p-3-3-product text"), "C₃₃ += A₃₆ B₆₃");
  for (let i = 0; i < 3; i++) await page.click(".larger");
  assert.equal(await shown(), true);
  await page.click(".fit");
  assert.equal(await shown(), false);
  await page.setViewportSize({ width: 2400, height: 1600 });
  await page.waitForFunction(() => getComputedStyle(document.querySelector("#p-3-3-product text")).display !== "none");
  await page.done();
}

/* Too much for the page is refused, and the page goes on. */
async function tooLarge() {
  const page = await open(["cannon", "--grid", "4x4"]);
  for (const [field, text] of [[".network", "torus:4096x4096"], [".network", "switch:16777216"], [".grid", "4096x4096"]]) {
    const before = await page.inputValue(field);
    await page.fill(field, text);
    await page.waitForFunction(() => document.querySelector(".verdict").textContent.includes("the page supports"));
    await page.fill(field, before);
    await page.waitForFunction(() => document.querySelector(".verdict").textContent.startsWith("Proved"));
  }
  await page.done();
}

/* Steps from a worker: the address, a step ahead and back, what a processor holds, other colours, an error. */
async function larger() {
  const page = await open(["cannon", "--grid", "256x256", "--step", "2"]);
  const reaches = (step) => page.waitForSelector(`html[data-settled="${step}"]`);
  await reaches(2);
  const box = await (await page.$(".picture canvas")).boundingBox();
  await page.mouse.click(box.x + box.width * (13.5 / 256), box.y + box.height * (1.5 / 256));
  const holds = (words) => page.waitForFunction((text) => document.querySelector(".follow").textContent.includes(text), words);
  await holds("P(1,13) EndHolds A = A1,15, B = B15,13, C = C1,13 of 1 of 256 terms.Receives 2 blocks");
  const seen = async () => [await page.$eval(".picture canvas", (canvas) => canvas.toDataURL()), await page.textContent(".totals"), await page.textContent("#status")];
  const second = await seen();
  await page.keyboard.press("ArrowRight");
  await reaches(3);
  await holds("A = A1,16, B = B16,13, C = C1,13 of 2 of 256 terms");
  assert.notDeepEqual(await seen(), second);
  await page.keyboard.press("ArrowLeft");
  await reaches(2);
  assert.deepEqual(await seen(), second);
  await holds("A = A1,15");
  await page.selectOption(".map", { label: "terms in C" });
  await page.waitForFunction(() => document.querySelector(".picture canvas").getAttribute("aria-label").includes("terms in the sum"));
  assert.match(await page.getAttribute(".picture canvas", "aria-label"), /at most 1$/);
  await page.fill(".text", (await page.inputValue(".text")).replace("move B to (i-1, j)", "move B to (i-2, j)"));
  await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Step 2 of 257"));
  await page.focus("#next");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(".failure:not([hidden])");
  assert.match(await page.textContent(".failure"), /inner indices .* differ \(line 14\)/);
  assert.match(await page.textContent("#status"), /^Step 3 of 3/);
  /* The worker knows before the page does where it ends, and a long way is given up for a short one. */
  await page.fill(".grid", "300x300");
  await page.waitForFunction(() => document.querySelector(".name").textContent.includes("300×300"));
  await page.focus("#scrub");
  await page.keyboard.press("Home");
  await reaches(0);
  await page.keyboard.press("ArrowRight");
  await reaches(1);
  await page.waitForTimeout(2000);
  await page.keyboard.press("End");
  await reaches(3);
  await page.fill(".text", (await page.inputValue(".text")).replace("move B to (i-2, j)", "move B to (i-1, j)"));
  await page.waitForFunction(() => document.getElementById("of").textContent === "of 301");
  await page.focus("#scrub");
  await page.keyboard.press("End");
  await page.waitForTimeout(300);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector('html[data-settled="2"]', { timeout: 10000 });
  await page.done();
}

async function sizes() {
  assert.ok(fs.statSync(pageFile(["cannon", "--grid", "4x4"])).size <= 440e3);
  assert.ok(fs.statSync(pageFile(["cannon", "--grid", "64x64"])).size <= 1e6);
}

try {
  await runCases([
    ["modules run on Node 18", modulesRunOnNode18],
    ["steps to the end and back", stepsToTheEnd],
    ["keys", keys],
    ["address", address],
    ["follows a block and a processor", follows],
    ["side by side", besides],
    ["one plane", onePlane],
    ["ids and titles as in draw", idsAreTheSame],
    ["times as of sim", timesAreTheSame],
    ["sliders", slidersPredict],
    ["machines", machines],
    ["numbers as of step", numbersAreTheSame],
    ["editing", editing],
    ["mutated schedules", mutated],
    ["axe", accessible],
    ["narrow", narrow],
    ["small words", smallWords],
    ["walked and fresh", reuses],
    ["cells or a map", cellsOrMap],
    ["follows at once", followsAtOnce],
    ["follows on grids", followsOnGrids],
    ["reduced motion and print", still],
    ["without scripts", withoutScripts],
    ["odd texts", odd],
    ["large grids", large],
    ["larger grids", larger],
    ["maps of wrong schedules", wrongMaps],
    ["too large", tooLarge],
    ["sizes", sizes],
  ]);
} finally {
  await end();
}
