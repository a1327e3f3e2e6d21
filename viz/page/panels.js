/* What stands beside the picture: sums, words, numbers. */

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
  box.style.gridTemplateColumns = "";
  if (!lab.facts.detail || rows * columns > BARS_MOST || lab.facts.inner > 128) {
    const all = step.c_blocks * lab.facts.inner;
    box.replaceChildren(said, make("progress", { max: all, value: step.terms, "aria-label": "Terms in place" }));
    return;
  }
  const sums = termsOf(lab, step);
  const bars = [];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const name = blockName("C", i, j);
      const own = sums.get(name) ?? [];
      const [at, slot] = lab.facts.c_place?.[i * columns + j] ?? [];
      const here = own.filter((sum) => sum.rank === at && sum.slot === slot);
      const k = make("div", { class: "k", "aria-hidden": "true" });
      let done = 0;
      let away = 0;
      for (let t = 0; t < lab.facts.inner; t++) {
        const isIn = here.some((sum) => sum.terms[t] === "1");
        const isAway = !isIn && own.some((sum) => sum.terms[t] === "1");
        done += isIn;
        away += isAway;
        k.append(make("i", { class: isIn ? "in" : isAway ? "away" : "" }));
      }
      const complete = done === lab.facts.inner;
      const words = `${name}: ${done} of ${lab.facts.inner} terms in place${away ? `, ${away} elsewhere` : ""}`;
      bars.push(make("div", { class: complete ? "bar done" : "bar", title: words, role: "img", "aria-label": words }, make("span", {}, name), k));
    }
  }
  box.style.gridTemplateColumns = `repeat(${columns}, minmax(3.2rem, 1fr))`;
  said.style.gridColumn = "1 / -1";
  box.replaceChildren(said, ...bars);
}

/* --- words -------------------------------------------------------------------------------------------------------- */

const ROWS_MOST = 400;

function tableOf(heads, rows) {
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))));
  const body = make("tbody");
  for (const row of rows.slice(0, ROWS_MOST)) body.append(make("tr", {}, ...row.map((cell) => make("td", {}, String(cell)))));
  table.append(body);
  return table;
}

function showWords(lab, step) {
  const box = lab.part("words");
  const { facts } = lab;
  const parts = [make("p", {}, `${countText(step.messages, "message", "messages")}, ${countText(step.products, "product", "products")}.`)];
  if (facts.detail && step.message.length > 0) {
    const rows = step.message.map(([from, to, block, round, piece, pieces, add, line]) => [
      block + (pieces > 1 ? ` part ${piece + 1}/${pieces}` : ""),
      processorName(facts, from),
      processorName(facts, to) + (add ? " (added)" : ""),
      round + 1,
      line,
    ]);
    parts.push(tableOf(["Block", "From", "To", "Round", "Line"], rows));
    if (rows.length > ROWS_MOST) parts.push(make("p", {}, `and ${rows.length - ROWS_MOST} more`));
  }
  if (facts.detail && step.product.length > 0) {
    const rows = step.product.map(([at, result, left, right, replace]) => [processorName(facts, at), `${result} ${replace ? "=" : "+="} ${left} · ${right}`]);
    parts.push(tableOf(["Processor", "Product"], rows));
  }
  if (facts.detail && step.message.length === 0 && step.product.length === 0) {
    const rows = step.hold.map((slots, rank) => [processorName(facts, rank), slots.map((held) => held[0]).filter(Boolean).join(" ") || "–"]);
    parts.push(tableOf(["Processor", "Holds"], rows));
  }
  if (!facts.detail) parts.push(make("p", {}, "The grid is too large for a table; click a processor in the map for what it holds."));
  box.replaceChildren(...parts);
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

const NUMBERS_MOST = 16;

/* The matrices that `topogemm step --integers --seed 1` draws for n x n. */
function matricesOf(lab, n) {
  const draw = (b) => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => lab.core.integer(2 + b, i * n + j)));
  return [draw(0), draw(1)];
}

const begin = (size, parts, i) => Math.floor((size * i) / parts);

function numberTable(name, n, blocks, at) {
  const [rows, columns] = blocks;
  const edges = (parts) => new Set(Array.from({ length: parts }, (_, i) => begin(n, parts, i)));
  const across = edges(columns);
  const down = edges(rows);
  const table = make("table", {}, make("caption", {}, name));
  for (let i = 0; i < n; i++) {
    const row = make("tr", { class: down.has(i) && i ? "e" : "" });
    for (let j = 0; j < n; j++) row.append(make("td", { class: across.has(j) && j ? "e" : "" }, at(i, j)));
    table.append(row);
  }
  return table;
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
    let sum = 0;
    for (let t = 0; t < n; t++) if (terms[blockAt(t, facts.inner)] === "1") sum += l(i, t) * r(t, j);
    return String(sum);
  };
  const tables = [numberTable("A", n, facts.blocks.A, (i, j) => String(drawn[0][i][j]))];
  if (left === 1 || right === 1) tables.push(numberTable("B", n, facts.blocks.B, (i, j) => String(drawn[1][i][j])));
  tables.push(numberTable("C so far, in place", n, facts.blocks.C, c));
  lab.part("matrices").replaceChildren(...tables);
}
