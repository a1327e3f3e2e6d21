/* The picture of a step put into the page. The module writes a group a line; a line that is as it was keeps its element, and
 * one that differs in its words alone gives it to them, because a browser's time goes into styling and laying out anew. */

/* Of a line <g id="…" class="…">…</g>: its id, the words in it, and all the rest. */
function readGroup(line) {
  const end = line.indexOf('"', 7);
  const words = [];
  const rest = line.slice(end).replace(/>([^<]+)</g, (all, word) => {
    words.push(word);
    return "><";
  });
  return { line, id: line.slice(7, end), words, rest };
}

const entities = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const decoded = (word) => (word.includes("&") ? word.replace(/&(?:#(\d+)|(\w+));/g, (all, code, name) => (code ? String.fromCodePoint(Number(code)) : entities[name] ?? all)) : word);

/* Makes the elements of some groups, and finds the texts in them. */
function makeGroups(groups) {
  const holder = document.createElement("div");
  holder.innerHTML = `<svg xmlns="http://www.w3.org/2000/svg">${groups.map((group) => group.line).join("")}</svg>`;
  takeElements(groups, [...holder.firstElementChild.children]);
}

function takeElements(groups, elements) {
  groups.forEach((group, i) => {
    group.element = elements[i];
    group.texts = [];
    const texts = document.createTreeWalker(group.element, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) group.texts.push(texts.currentNode);
  });
}

/* Gives the group the element of `old`, with its own words. */
function reword(group, old) {
  group.element = old.element;
  group.texts = old.texts;
  if (old.id !== group.id) {
    group.element.id = group.id;
    delete group.element.dataset.p;
  }
  group.words.forEach((word, i) => {
    if (old.words[i] !== word) group.texts[i].data = decoded(word);
  });
}

/* Makes the SVG show `groups`, of what `kept` has by id; returns what is to be kept. */
function patch(svg, groups, kept) {
  const now = new Map(groups.map((group) => [group.id, group]));
  const spare = new Map(); /* by all but the words */
  for (const [id, old] of kept) {
    const same = now.get(id);
    if (same?.line === old.line) {
      same.element = old.element;
      same.texts = old.texts;
    } else if (spare.has(old.rest)) spare.get(old.rest).push(old);
    else spare.set(old.rest, [old]);
  }
  const anew = [];
  for (const group of groups) {
    if (group.element) continue;
    const old = spare.get(group.rest)?.shift();
    if (old) reword(group, old);
    else anew.push(group);
  }
  for (const olds of spare.values()) for (const old of olds) old.element.remove();
  if (anew.length > 0) makeGroups(anew);
  let at = svg.firstElementChild;
  for (const { element } of groups) {
    if (element === at) at = at.nextElementSibling;
    else svg.insertBefore(element, at);
  }
  return now;
}

/* Draws `text`, an SVG of one group a line, into the lab's box. */
function putPicture(lab, text) {
  const box = lab.part("picture");
  const lines = text.split("\n");
  const opening = lines.shift();
  lines.pop(); /* </svg> */
  const svg = box.querySelector("svg");
  const frame = /viewBox="[^"]*"/.exec(opening)[0];
  if (svg && lab.frame === frame) {
    svg.setAttribute("aria-label", lab.now.title);
    for (const group of svg.querySelectorAll(".failed, .followed")) group.classList.remove("failed", "followed");
    lab.drawn = patch(svg, lines.map(readGroup), lab.drawn);
  } else {
    box.innerHTML = `${opening}${lines.join("")}</svg>`;
    const groups = lines.map(readGroup);
    takeElements(groups, [...box.querySelector("svg").children]);
    lab.drawn = new Map(groups.map((group) => [group.id, group]));
  }
  lab.frame = frame;
  for (const group of box.querySelectorAll("g.node:not([data-p])")) {
    const id = group.id.slice(lab.prefix.length);
    if (id.startsWith("p-")) group.dataset.p = id;
  }
}
