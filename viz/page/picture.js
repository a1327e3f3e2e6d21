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
const decoded = (word) => (word.includes("&") ? word.replace(/&(\w+);/g, (all, name) => entities[name] ?? all) : word);

/* New elements of some groups. */
function parseGroups(groups) {
  const holder = document.createElement("div");
  holder.innerHTML = `<svg xmlns="http://www.w3.org/2000/svg">${groups.map((group) => group.line).join("")}</svg>`;
  return [...holder.firstElementChild.children];
}

/* Gives an element, which says what `old` says, the words of `group`. */
function reword(element, old, group) {
  if (element.id !== group.id) {
    element.id = group.id;
    delete element.dataset.p;
  }
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let i = 0; texts.nextNode(); i++) if (old.words[i] !== group.words[i]) texts.currentNode.data = decoded(group.words[i]);
}

/* Replaces what differs from `kept`, which has what every element says by its id. */
function patch(svg, groups, kept) {
  const elements = new Map([...svg.children].map((element) => [element.id, element]));
  const now = new Map(groups.map((group) => [group.id, group]));
  const spare = new Map(); /* by all but the words */
  for (const [id, old] of kept) {
    if (now.get(id)?.line === old.line) continue;
    if (!spare.has(old.rest)) spare.set(old.rest, []);
    spare.get(old.rest).push(old);
  }
  const made = new Map();
  const anew = [];
  for (const group of groups) {
    if (kept.get(group.id)?.line === group.line) {
      made.set(group.id, elements.get(group.id));
      continue;
    }
    const old = spare.get(group.rest)?.shift();
    if (!old) {
      anew.push(group);
      continue;
    }
    const element = elements.get(old.id);
    reword(element, old, group);
    made.set(group.id, element);
  }
  for (const olds of spare.values()) for (const old of olds) elements.get(old.id).remove();
  for (const element of parseGroups(anew)) made.set(element.id, element);
  let at = svg.firstElementChild;
  for (const id of now.keys()) {
    const element = made.get(id);
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
    lab.drawn = new Map(lines.map(readGroup).map((group) => [group.id, group]));
  }
  lab.frame = frame;
  for (const group of box.querySelectorAll("g.node:not([data-p])")) {
    const id = group.id.slice(lab.prefix.length);
    if (id.startsWith("p-")) group.dataset.p = id;
  }
}
