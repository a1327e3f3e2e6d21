/* What stands beside the picture: sums, words, numbers. Elements stay from step to step, and only those that say something
 * else are written: a browser's time goes into making, styling and laying out. */

/* Puts nodes into a box, of which some may be there. */
function fillWith(box, nodes) {
  nodes.forEach((node, i) => {
    const old = box.childNodes[i];
    if (!old) box.append(node);
    else if (old.nodeName === "P" && node.nodeName === "P") writeText(old, node.textContent);
    else if (old !== node) old.replaceWith(node);
  });
  while (box.childNodes.length > nodes.length) box.lastChild.remove();
}

function writeText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/* A table of the lab, by its name, with other words in its cells; `build` makes one of another shape. */
function keptTable(lab, name, shape, words, build) {
  let kept = lab.tables.get(name);
  if (kept?.shape !== shape || kept.cells.length !== words.length) {
    const table = build();
    kept = { shape, table, cells: [...table.querySelectorAll("td")] };
    kept.words = kept.cells.map(() => "");
    lab.tables.set(name, kept);
  }
  words.forEach((word, i) => {
    if (kept.words[i] !== word) kept.cells[i].textContent = word;
  });
  kept.words = words;
  return kept.table;
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

const BARS_MOST = 256;

/* Terms of every block of C: those in place, and those in sums elsewhere. */
function termsOf(lab, step) {
  const sums = new Map();
  step.hold.forEach((slots, rank) => {
    slots.forEach((held, s) => {
      if (!held[2]) return;
      if (!sums.has(held[0])) sums.set(held[0], []);
      sums.get(held[0]).push({ rank, slot: s, terms: held[2] });
    });
  });
  return sums;
}

function showProgress(lab, step) {
  const box = lab.part("bars");
  lab.part("progress").hidden = step.complete === undefined;
  if (step.complete === undefined) return;
  const [rows, columns] = lab.facts.blocks.C;
  const said = make("p", {}, `${countText(step.complete, "block", "blocks")} of ${step.c_blocks.toLocaleString("en")} complete in place.`);
  if (!lab.facts.detail || rows * columns > BARS_MOST || lab.facts.inner > 128) {
    const all = step.c_blocks * lab.facts.inner;
    box.style.gridTemplateColumns = "";
    fillWith(box, [said, make("progress", { max: all, value: step.terms, "aria-label": "Terms in place" })]);
    return;
  }
  const shape = `${rows} ${columns} ${lab.facts.inner}`;
  if (lab.bars?.shape !== shape) lab.bars = { shape, bars: makeBars(rows, columns, lab.facts.inner) };
  const sums = termsOf(lab, step);
  lab.bars.bars.forEach((bar, b) => {
    const own = sums.get(bar.name) ?? [];
    const [at, slot] = lab.facts.c_place?.[b] ?? [];
    const here = own.filter((sum) => sum.rank === at && sum.slot === slot);
    fillBar(bar, Array.from(bar.terms, (term, t) => stateOf(here, own, t)));
  });
  box.style.gridTemplateColumns = `repeat(${columns}, minmax(3.2rem, 1fr))`;
  fillWith(box, [said, ...lab.bars.bars.map((bar) => bar.element)]);
}

const stateOf = (here, own, t) =>
  here.some((sum) => sum.terms[t] === "2") ? "twice" : here.some((sum) => sum.terms[t] === "1") ? "in" : own.some((sum) => sum.terms[t] !== "0") ? "away" : "";

/* A bar of `inner` terms for every block of C. */
function makeBars(rows, columns, inner) {
  return Array.from({ length: rows * columns }, (_, b) => {
    const name = blockName("C", Math.floor(b / columns), b % columns);
    const terms = Array.from({ length: inner }, () => make("i", { class: "" }));
    const k = make("div", { class: "k", "aria-hidden": "true" }, ...terms);
    return { name, terms, states: terms.map(() => ""), element: make("div", { role: "img" }, make("span", {}, name), k) };
  });
}

/* States of its terms: "in" place, "twice" there, "away" in a sum elsewhere, or none of these. */
function fillBar(bar, states) {
  const { element, terms, name } = bar;
  if (element.title && bar.states.every((state, t) => state === states[t])) return;
  states.forEach((state, t) => {
    if (bar.states[t] !== state) terms[t].className = state;
  });
  bar.states = states;
  const count = (what) => states.filter((state) => state === what).length;
  const away = count("away");
  const twice = states.indexOf("twice");
  element.title = `${name}: ${count("in") + count("twice")} of ${terms.length} terms in place${twice < 0 ? "" : `, term ${twice} twice`}${away ? `, ${away} elsewhere` : ""}`;
  element.setAttribute("aria-label", element.title);
  element.className = count("in") === terms.length ? "bar done" : "bar";
}

/* --- words -------------------------------------------------------------------------------------------------------- */

const ROWS_MOST = 400;

function tableOf(heads, rows) {
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))));
  const body = make("tbody");
  for (const row of rows) body.append(make("tr", {}, ...row.map((cell) => make("td", {}, String(cell)))));
  table.append(body);
  return table;
}

function showWords(lab, step) {
  const box = lab.part("words");
  const { facts } = lab;
  const table = (name, heads, rows) => {
    const shown = rows.slice(0, ROWS_MOST);
    return keptTable(lab, name, heads.join(), shown.flat().map(String), () => tableOf(heads, shown));
  };
  const parts = [make("p", {}, `${countText(step.messages, "message", "messages")}, ${countText(step.products, "product", "products")}.`)];
  if (facts.detail && step.message.length > 0) {
    const rows = step.message.map(([from, to, block, round, piece, pieces, add, line]) => [
      block + (pieces > 1 ? ` part ${piece + 1}/${pieces}` : ""),
      processorName(facts, from),
      processorName(facts, to) + (add ? " (added)" : ""),
      round + 1,
      line,
    ]);
    parts.push(table("messages", ["Block", "From", "To", "Round", "Line"], rows));
    if (rows.length > ROWS_MOST) parts.push(make("p", {}, `and ${rows.length - ROWS_MOST} more`));
  }
  if (facts.detail && step.product.length > 0) {
    const rows = step.product.map(([at, result, left, right, replace]) => [processorName(facts, at), `${result} ${replace ? "=" : "+="} ${left} · ${right}`]);
    parts.push(table("products", ["Processor", "Product"], rows));
  }
  if (facts.detail && step.message.length === 0 && step.product.length === 0) {
    const rows = step.hold.map((slots, rank) => [processorName(facts, rank), slots.map((held) => held[0]).filter(Boolean).join(" ") || "–"]);
    parts.push(table("blocks", ["Processor", "Holds"], rows));
  }
  if (!facts.detail) parts.push(make("p", {}, "The grid is too large for a table; click a processor in the map for what it holds."));
  fillWith(box, parts);
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

const NUMBERS_MOST = 16;

/* The matrices that `topogemm step --integers --seed 1` draws for n x n. */
function matricesOf(lab, n) {
  const draw = (b) => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => lab.core.integer(2 + b, i * n + j)));
  return [draw(0), draw(1)];
}

const begin = (size, parts, i) => Math.floor((size * i) / parts);

function numberTable(lab, name, n, blocks, at) {
  const [rows, columns] = blocks;
  const words = Array.from({ length: n * n }, (_, e) => at(Math.floor(e / n), e % n));
  return keptTable(lab, name, `${n} ${rows} ${columns}`, words, () => {
    const edges = (parts) => new Set(Array.from({ length: parts }, (_, i) => begin(n, parts, i)));
    const across = edges(columns);
    const down = edges(rows);
    const table = make("table", {}, make("caption", {}, name));
    for (let i = 0; i < n; i++) {
      const row = make("tr", { class: down.has(i) && i ? "e" : "" });
      for (let j = 0; j < n; j++) row.append(make("td", { class: across.has(j) && j ? "e" : "" }));
      table.append(row);
    }
    return table;
  });
}

function showNumbers(lab, step) {
  const section = lab.part("numbers");
  const { facts } = lab;
  const most = Math.max(...facts.blocks.A, ...facts.blocks.B, ...facts.blocks.C);
  const [left, leftTransposed, right, rightTransposed] = facts.computes;
  section.hidden = !facts.detail || most > NUMBERS_MOST || right > 1;
  if (section.hidden) return;
  const n = most * Math.max(1, Math.floor(8 / most));
  const drawn = matricesOf(lab, n);
  const l = (i, t) => (leftTransposed ? drawn[left][t][i] : drawn[left][i][t]);
  const r = (t, j) => (rightTransposed ? drawn[right][j][t] : drawn[right][t][j]);
  const [rows, columns] = facts.blocks.C;
  const sums = termsOf(lab, step);
  const inPlace = new Map();
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const [at, slot] = facts.c_place[i * columns + j];
      const sum = (sums.get(blockName("C", i, j)) ?? []).find((one) => one.rank === at && one.slot === slot);
      inPlace.set(i * columns + j, sum ? sum.terms : "");
    }
  const blockAt = (x, parts) => Math.floor(((x + 1) * parts - 1) / n);
  const c = (i, j) => {
    const terms = inPlace.get(blockAt(i, rows) * columns + blockAt(j, columns));
    if (!terms) return "·";
    if (terms.includes("2")) return "✗"; /* how often a term is in it is not known */
    let sum = 0;
    for (let t = 0; t < n; t++) if (terms[blockAt(t, facts.inner)] === "1") sum += l(i, t) * r(t, j);
    return String(sum);
  };
  const tables = [numberTable(lab, "A", n, facts.blocks.A, (i, j) => String(drawn[0][i][j]))];
  if (left === 1 || right === 1) tables.push(numberTable(lab, "B", n, facts.blocks.B, (i, j) => String(drawn[1][i][j])));
  tables.push(numberTable(lab, "C so far, in place", n, facts.blocks.C, c));
  fillWith(lab.part("matrices"), tables);
}
