/* Grids too large for cells: a map with one value a processor, drawn on a canvas; a click asks what is there. */

const maps = [
  { name: "link load", words: "blocks over the busiest link that leaves the processor in this step" },
  { name: "received", words: "blocks that the processor receives in this step" },
  { name: "held", words: "blocks that the processor holds as the step ends" },
  { name: "row of A", words: "block row of the A that the processor holds" },
  { name: "column of A", words: "block column of the A that the processor holds" },
  { name: "row of B", words: "block row of the B that the processor holds" },
  { name: "column of B", words: "block column of the B that the processor holds" },
  { name: "terms in C", words: "terms in the sum that the processor holds" },
];

/* Sixteen equidistant colours of cividis (Nuñez, Anderton, Renslow 2018), as the pictures have them. */
const cividis = [[0, 34, 78], [0, 46, 108], [30, 58, 111], [53, 69, 108], [71, 81, 108], [87, 93, 109], [102, 105, 112], [117, 117, 117], [132, 130, 121], [148, 142, 119], [165, 156, 116], [183, 169, 110], [200, 184, 102], [219, 199, 90], [238, 214, 73], [254, 232, 56]];

/* 256 colours as little-endian pixels. */
const pixels = Uint32Array.from({ length: 256 }, (_, i) => {
  const at = (i / 255) * (cividis.length - 1);
  const low = Math.min(Math.floor(at), cividis.length - 2);
  const [r, g, b] = cividis[low].map((value, c) => Math.round(value + (at - low) * (cividis[low + 1][c] - value)));
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
});
const nothing = 0xff9a9a9a;

/* Rows, columns and planes of the map; a line of processors is folded into rows. */
function shapeOf(facts) {
  const [rows, columns = 0, planes = 1, more = 1] = facts.extents;
  if (facts.extents.length > 1) return { rows, columns, panels: planes * more, across: Math.ceil(Math.sqrt(planes * more)) };
  const wide = Math.ceil(Math.sqrt(rows));
  return { rows: Math.ceil(rows / wide), columns: wide, panels: 1, across: 1 };
}

const GAP = 2;

/* Fills a canvas of one pixel a processor, planes beside each other. */
function paint(canvas, facts, values, most) {
  const { rows, columns, panels, across } = shapeOf(facts);
  const down = Math.ceil(panels / across);
  const width = across * (columns + GAP) - GAP;
  const height = down * (rows + GAP) - GAP;
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const pixel = new Uint32Array(image.data.buffer);
  const scale = most > 0 ? 255 / most : 0;
  const colour = (value) => (value < 0 ? nothing : pixels[Math.min(255, (value * scale + 0.5) | 0)]);
  for (let panel = 0; panel < panels; panel++) {
    const corner = Math.floor(panel / across) * (rows + GAP) * width + (panel % across) * (columns + GAP);
    for (let row = 0, rank = panel; row < rows; row++) {
      let at = corner + row * width;
      for (let column = 0; column < columns && rank < values.length; column++, rank += panels) pixel[at++] = colour(values[rank]);
    }
  }
  context.putImageData(image, 0, 0);
}

function drawMap(lab, step) {
  const box = lab.part("picture");
  let canvas = box.querySelector("canvas");
  if (!canvas) {
    canvas = make("canvas", { role: "img" });
    box.replaceChildren(make("span", { class: "sheet" }, canvas), make("p", { class: "map-key" }));
  }
  const what = Number(lab.part("map").value);
  const values = lab.valuesAt(step.step, what);
  let most = 0;
  for (const value of values) if (value > most) most = value;
  paint(canvas, lab.facts, values, most);
  canvas.setAttribute("aria-label", `${step.title}: ${maps[what].words}, at most ${most}`);
  const room = Math.min(lab.view.room / canvas.width, lab.view.highest / canvas.height, 640 / Math.max(canvas.width, canvas.height));
  const side = room > 1 ? Math.floor(room) : room;
  lab.view.wide = canvas.width * side;
  lab.view.zoomAgain();
  const bar = make("i", {});
  bar.style.background = `linear-gradient(to right, ${cividis.map((rgb) => `rgb(${rgb})`).join(",")})`;
  box.querySelector(".map-key").replaceChildren("0 ", bar, ` ${most} ${maps[what].words}`);
  lab.part("reading").textContent = "One pixel or square is one processor; click it to see what it holds.";
}

/* Outlines on the map: where it goes wrong, the processor that is followed, and those that hold the block that is. */
function markSpots(lab) {
  const sheet = lab.part("picture").querySelector(".sheet");
  if (!sheet) return;
  for (const spot of sheet.querySelectorAll(".spot")) spot.remove();
  const { rows, columns, panels, across } = shapeOf(lab.facts);
  const { width, height } = sheet.querySelector("canvas");
  const mark = (rank, kind) => {
    const panel = rank % panels;
    const cell = (rank - panel) / panels;
    const x = (panel % across) * (columns + GAP) + (cell % columns);
    const y = Math.floor(panel / across) * (rows + GAP) + Math.floor(cell / columns);
    const spot = make("i", { class: `spot ${kind}` });
    Object.assign(spot.style, { left: `${((x + 0.5) / width) * 100}%`, top: `${((y + 0.5) / height) * 100}%`, width: `${100 / width}%`, height: `${100 / height}%` });
    sheet.append(spot);
  };
  const followed = lab.followed;
  if (followed?.processor !== undefined) mark(followed.processor, "followed");
  if (followed?.block && lab.facts.detail)
    lab.whole.hold.forEach((slots, rank) => {
      if (slots.some((held) => plain(held[0]) === followed.block)) mark(rank, "followed");
    });
  if (lab.now.failure?.processor >= 0) mark(lab.now.failure.processor, "failed");
}

/* The processor under the pointer, or -1. */
function processorAt(lab, event) {
  const canvas = lab.view.picture;
  if (!canvas || event.target !== canvas) return -1;
  const box = canvas.getBoundingClientRect();
  const x = Math.floor(((event.clientX - box.left) / box.width) * canvas.width);
  const y = Math.floor(((event.clientY - box.top) / box.height) * canvas.height);
  const { rows, columns, panels, across } = shapeOf(lab.facts);
  const column = x % (columns + GAP);
  const row = y % (rows + GAP);
  const panel = Math.floor(y / (rows + GAP)) * across + Math.floor(x / (columns + GAP));
  if (column >= columns || row >= rows || panel >= panels) return -1;
  const rank = (row * columns + column) * panels + panel;
  return rank < lab.facts.processors ? rank : -1;
}

async function showHolding(lab, panel) {
  const rank = lab.followed.processor;
  if (lab.facts.large) panel.replaceChildren(make("p", {}, `${processorName(lab.facts, rank)}: being looked up …`));
  const step = lab.now.step;
  const { hold, received, busiest } = await lab.holdsAt(step, rank);
  if (lab.followed?.processor !== rank || lab.now.step !== step) return; /* gone on meanwhile */
  const end = make("button", { type: "button" }, "End");
  end.addEventListener("click", () => lab.follow(null));
  const words = hold.map(([buffer, index, name, terms]) => `${buffer}${index >= 0 ? `[${index}]` : ""} = ${name}${terms >= 0 ? ` of ${terms} of ${lab.facts.inner} terms` : ""}`);
  panel.replaceChildren(
    make("p", {}, make("strong", {}, `${processorName(lab.facts, rank)} `), end),
    make("p", {}, `Holds ${words.slice(0, 40).join(", ") || "nothing"}${words.length > 40 ? ` and ${words.length - 40} more` : ""}.`),
    make("p", {}, `Receives ${countText(received, "block", "blocks")} in this step; its busiest link carries ${busiest}.`),
  );
}

/* A map for a file: squares that can be seen, and the key below. */
function enlarged(map, key) {
  const side = Math.max(1, Math.floor(640 / Math.max(map.width, map.height)));
  const canvas = make("canvas", { width: Math.max(map.width * side, 320), height: map.height * side + 28 });
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingEnabled = false;
  context.drawImage(map, 0, 0, map.width * side, map.height * side);
  context.fillStyle = "black";
  context.font = "15px sans-serif";
  context.fillText(key, 4, canvas.height - 9);
  return canvas;
}
