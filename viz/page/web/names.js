/* Names of blocks and processors, as the pictures and texts have them. */

const subscripts = "₀₁₂₃₄₅₆₇₈₉";
const matrices = ["A", "B", "C"];

function blockName(matrix, row, column) {
  return row < 10 && column < 10 ? matrix + subscripts[row] + subscripts[column] : `${matrix}${row},${column}`;
}

/* Blocks of a message as the picture has them: A(0, 1) is A₀₁. */
function inOneNotation(words) {
  return words.replace(/\b([ABC])\((\d+), (\d+)\)/g, (_, matrix, row, column) => blockName(matrix, Number(row), Number(column)));
}

/* "A₀₁'" or "A0,12" back to matrix, row and column; null for what is no block. */
function blockOf(name) {
  const found = /^([ABC])(?:([₀-₉])([₀-₉])|(\d+),(\d+))('?)$/.exec(name);
  if (!found) return null;
  const [, matrix, r, c, row, column, transposed] = found;
  return {
    matrix,
    row: r ? subscripts.indexOf(r) : Number(row),
    column: c ? subscripts.indexOf(c) : Number(column),
    transposed: transposed !== "",
  };
}

function coordinates(facts, rank) {
  const at = [];
  for (let c = facts.extents.length - 1; c >= 0; c--) {
    at[c] = rank % facts.extents[c];
    rank = Math.floor(rank / facts.extents[c]);
  }
  return at;
}

const processorId = (facts, rank) => "p-" + coordinates(facts, rank).join("-");
const processorName = (facts, rank) => `P(${coordinates(facts, rank).join(",")})`;

/* The block without its transposition: it is followed under one name. */
const plain = (name) => name.replace(/'$/, "");

function secondsText(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  for (const [unit, scale] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6]])
    if (seconds >= scale) return `${Number((seconds / scale).toPrecision(4))} ${unit}`;
  return `${Number((seconds * 1e9).toPrecision(4))} ns`;
}

function countText(count, one, many) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

function bytesText(bytes) {
  for (const [unit, scale] of [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]])
    if (bytes >= scale) return `${Number((bytes / scale).toPrecision(4))} ${unit}`;
  return `${bytes} B`;
}

/* Gives the reader a file. */
function saveFile(name, type, content) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/* A canvas with the picture at twice its size, on white. */
async function drawn(svg, { width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = make("canvas", { width: Math.ceil(2 * width), height: Math.ceil(2 * height) });
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/* Returns a copy of the picture with the marks of followed and failed elements as inline styles: a file has no style sheet. */
function withMarks(picture) {
  const copy = picture.cloneNode(true);
  const marked = "g.edge, .followed > *, .failed > *";
  const copies = copy.querySelectorAll(marked);
  for (const [at, element] of picture.querySelectorAll(marked).entries()) {
    const { opacity, stroke, strokeWidth } = getComputedStyle(element);
    Object.assign(copies[at].style, element.nodeName === "g" ? { opacity } : { stroke, strokeWidth });
  }
  return copy;
}

/* Opens the browser's print dialog, which can save a PDF, for the picture alone, on a page of its size. */
function printed(svg, { width, height }, name) {
  const frame = make("iframe", { style: "position:fixed;width:0;height:0;border:0" });
  frame.srcdoc = `<title>${name}</title><style>@page{size:${width}px ${height + 1}px;margin:0}body{margin:0}svg{display:block}</style>${svg}`;
  frame.onload = () => {
    frame.contentWindow.onafterprint = () => frame.remove();
    frame.contentWindow.print();
  };
  document.body.append(frame);
}

/* An element with attributes and children. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes))
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
