/* Following a block or a processor: what was meant, where it is in the picture, and its journey. */

/* --- what was meant: { block } or { processor }, or null ------------------------------------------------------------ */

/* Of an id in the picture: a processor, or the block in the slot or on the arrow. */
function whatIs(lab, id) {
  const arrow = /^m-(\d+)-(\d+)$/.exec(id);
  if (arrow) return { block: plain(lab.whole.message[Number(arrow[2])][2]) };
  const dims = lab.facts.extents.length;
  const parts = id.split("-");
  if (parts[0] !== "p" || parts.length < dims + 1) return null;
  let rank = 0;
  for (let c = 0; c < dims; c++) rank = rank * lab.facts.extents[c] + Number(parts[c + 1]);
  if (parts.length === dims + 1) return { processor: rank };
  const slot = parts.slice(dims + 1);
  const nameOf = ([buffer, index]) => (index === undefined ? buffer : `${buffer}[${index}]`);
  let number = lab.facts.slots.indexOf(nameOf(slot));
  if (number < 0 && slot.at(-2) === "panel") number = lab.facts.slots.indexOf(nameOf(slot.slice(0, -2))); /* one of several faces */
  const held = lab.whole.hold[rank]?.[number];
  return held && held[1] ? { block: plain(held[1]) } : { processor: rank };
}

/* Under the pointer. */
function whatIsAt(lab, event) {
  if (!lab.cells) {
    const rank = processorAt(lab, event);
    return rank >= 0 ? { processor: rank } : null;
  }
  namePicture(lab);
  const box = lab.part("picture");
  /* What lies on top may be a name or a frame: the first that stands for something counts. */
  for (const element of document.elementsFromPoint(event.clientX, event.clientY)) {
    const group = element.closest("g.node, g.edge");
    const id = group && box.contains(group) ? group.id.slice(lab.prefix.length) : "";
    const what = /^[pm]-/.test(id) ? whatIs(lab, id) : null;
    if (what) return what;
  }
  /* Frames have no inside: the cell round the point. */
  const contains = (around) => around.left <= event.clientX && event.clientX <= around.right && around.top <= event.clientY && event.clientY <= around.bottom;
  const cell = [...box.querySelectorAll("g[data-cell]")].find((group) => contains(group.getBoundingClientRect()));
  return cell ? whatIs(lab, cell.id.slice(lab.prefix.length)) : null;
}

/* What is still there on the lab's grid, or null. */
function whatFits(lab, what) {
  if (!what || !lab.facts) return null;
  if (what.processor !== undefined) return Number.isInteger(what.processor) && what.processor >= 0 && what.processor < lab.facts.processors ? what : null;
  const block = blockOf(what.block);
  const blocks = block && lab.facts.blocks[block.matrix];
  return blocks && block.row < blocks[0] && block.column < blocks[1] ? what : null;
}

/* Of coordinates that a person wrote. */
function processorOf(lab, at) {
  const { extents } = lab.facts;
  const fits = at.length === extents.length && at.every((x, c) => x < extents[c]);
  return fits ? { processor: at.reduce((rank, x, c) => rank * extents[c] + x, 0) } : null;
}

/* "A01", "A₀₁", "B3,12" or "P(1,2)". */
function whatIsWritten(lab, written) {
  const text = written.trim().toUpperCase();
  const known = blockOf(text);
  if (known) return { block: blockName(known.matrix, known.row, known.column) };
  const block = /^([ABC])\s*(?:(\d)(\d)|\(?(\d+)\s*,\s*(\d+)\)?)$/.exec(text);
  if (block) return { block: blockName(block[1], Number(block[2] ?? block[4]), Number(block[3] ?? block[5])) };
  const processor = /^P?\(?(\d+(?:\s*,\s*\d+)*)\)?$/.exec(text);
  return processor ? processorOf(lab, processor[1].split(",").map(Number)) : null;
}

/* --- in the picture -------------------------------------------------------------------------------------------------- */

function markFollowed(lab) {
  const box = lab.part("picture");
  for (const group of box.querySelectorAll(".followed")) group.classList.remove("followed");
  const followed = lab.followed;
  box.classList.toggle("following", Boolean(followed));
  const panel = lab.part("follow");
  panel.hidden = !followed;
  if (lab.now && !lab.cells) markSpots(lab);
  if (!followed || !lab.now) return;
  if (!lab.cells) {
    if (lab.facts.detail) showFollow(lab, panel);
    else if (followed.processor !== undefined) showHolding(lab, panel);
    else panel.replaceChildren(make("p", {}, "A block can be followed on grids of up to 1024 processors: write a smaller one above the text."));
    return;
  }
  namePicture(lab);
  if (followed.block) markBlock(lab, followed.block);
  else markProcessor(lab, followed.processor);
  showFollow(lab, panel);
}

function mark(lab, id) {
  for (const suffix of ["", "-panel-2", "-panel-3"]) {
    const group = document.getElementById(lab.prefix + id + suffix);
    if (group) group.classList.add("followed");
  }
}

function markBlock(lab, name) {
  lab.whole.hold.forEach((slots, rank) => {
    slots.forEach((held, s) => {
      if (plain(held[1]) !== name) return;
      const slot = lab.facts.slots[s].replace("[", "-").replace("]", "");
      const id = `${processorId(lab.facts, rank)}-${slot}`;
      mark(lab, document.getElementById(lab.prefix + id) ? id : processorId(lab.facts, rank));
    });
  });
  markMessages(lab, (message) => plain(message[2]) === name);
}

function markProcessor(lab, rank) {
  mark(lab, processorId(lab.facts, rank));
  markMessages(lab, (message) => message[0] === rank || message[1] === rank);
}

/* An arrow is one flow of messages between two processors and has the id of its first. */
function markMessages(lab, wanted) {
  const firsts = new Map();
  lab.whole.message.forEach((message, i) => {
    const key = `${message[0]} ${message[1]} ${message[2][0]}`;
    if (!firsts.has(key)) firsts.set(key, i);
    if (wanted(message)) for (const m of [i, firsts.get(key)]) mark(lab, `m-${lab.now.step}-${m}`);
  });
}

/* --- the journey ----------------------------------------------------------------------------------------------------- */

/* Where a block is at every step, or what a processor does. */
function journeyOf(lab) {
  const { block, processor } = lab.followed;
  const stops = [];
  for (let s = 0; s <= lab.last; s++) {
    const step = lab.detail(s);
    const words = [];
    if (block) {
      for (const [from, to, name, , , , add, line] of step.message)
        if (plain(name) === block) words.push(`${processorName(lab.facts, from)} → ${processorName(lab.facts, to)}${add ? ", added" : ""} (line ${line})`);
      for (const [at, result, left, right, replace, , , line] of step.product)
        if ([result, left, right].some((name) => plain(name) === block)) words.push(`${result} ${replace ? "=" : "+="} ${left}·${right} on ${processorName(lab.facts, at)} (line ${line})`);
      if (s === 0 || words.length === 0) words.push(...placesOf(lab, step, block).slice(0, 4).map((at) => `on ${at}`));
    } else {
      for (const [from, to, name, , , , , line] of step.message) {
        if (from === processor) words.push(`sends ${name} to ${processorName(lab.facts, to)} (line ${line})`);
        if (to === processor) words.push(`receives ${name} from ${processorName(lab.facts, from)} (line ${line})`);
      }
      for (const [at, result, left, right, replace, , , line] of step.product)
        if (at === processor) words.push(`${result} ${replace ? "=" : "+="} ${left}·${right} (line ${line})`);
      if (s === 0) words.push(`holds ${step.hold[processor].map((held) => held[0]).filter(Boolean).join(", ") || "nothing"}`);
    }
    stops.push({ step: s, words });
  }
  return stops;
}

function placesOf(lab, step, block) {
  const places = [];
  step.hold.forEach((slots, rank) => {
    if (slots.some((held) => plain(held[0]) === block)) places.push(processorName(lab.facts, rank));
  });
  return places;
}

const JOURNEY_STEPS = 130;

function showFollow(lab, panel) {
  const { block, processor } = lab.followed;
  const name = block ?? processorName(lab.facts, processor);
  const end = make("button", { type: "button" }, "End");
  end.addEventListener("click", () => lab.follow(null));
  const title = make("p", {}, make("strong", {}, `Following ${name} `), end);
  const list = make("ol", { start: "0" });
  if (lab.last <= JOURNEY_STEPS) {
    if (!lab.journey || lab.journey.of !== `${name} ${lab.last}`) lab.journey = { of: `${name} ${lab.last}`, stops: journeyOf(lab) };
    for (const { step, words } of lab.journey.stops) {
      const label = step === 0 ? "start" : (lab.facts.steps[step - 1]?.label ?? "");
      const said = words.length > 6 ? [...words.slice(0, 6), `and ${words.length - 6} more`] : words;
      list.append(make("li", { class: step === lab.now.step ? "here" : "" }, `${label ? label + ": " : ""}${said.join("; ") || "–"}`));
    }
  }
  panel.replaceChildren(title, list);
  writeText(lab.part("said"), `${name}: ${list.querySelector(".here")?.textContent ?? ""}`);
}
