/* The picture of a step put into the page. The module writes a group a line; a line that is as it was keeps its element,
 * because a browser's time goes into laying texts out again. */

const idOfLine = (line) => line.slice(7, line.indexOf('"', 7)); /* <g id="… */

/* New elements of some lines. */
function parseGroups(lines) {
  const holder = document.createElement("div");
  holder.innerHTML = `<svg xmlns="http://www.w3.org/2000/svg">${lines.join("")}</svg>`;
  return [...holder.firstElementChild.children];
}

/* Replaces what differs; `kept` has the line of every element by its id. */
function patch(svg, lines, kept) {
  const now = new Map(lines.map((line) => [idOfLine(line), line]));
  const old = new Map([...svg.children].map((group) => [group.id, group]));
  for (const [id, group] of old) if (now.get(id) !== kept.get(id)) group.remove();
  const changed = lines.filter((line) => kept.get(idOfLine(line)) !== line);
  const made = new Map(parseGroups(changed).map((group) => [group.id, group]));
  let at = svg.firstElementChild;
  for (const id of now.keys()) {
    const group = made.get(id) ?? old.get(id);
    if (group === at) at = at.nextElementSibling;
    else svg.insertBefore(group, at);
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
    lab.drawn = patch(svg, lines, lab.drawn);
  } else {
    box.innerHTML = `${opening}${lines.join("")}</svg>`;
    lab.drawn = new Map(lines.map((line) => [idOfLine(line), line]));
  }
  lab.frame = frame;
  for (const group of box.querySelectorAll("g.node:not([data-p])")) {
    const id = group.id.slice(lab.prefix.length);
    if (id.startsWith("p-")) group.dataset.p = id;
  }
}
