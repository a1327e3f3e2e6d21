/* The picture of a step put into the page. The module says how it differs from the one before, as scene-change.h has it, and
 * elements stay: a browser's time goes into making, styling and laying out. */

/* A group of the picture, and its parts once they are asked for. What is multiplied, and what else stands for something in a
 * cell, is marked by an attribute of its own: after every new id a browser would look again at rules for ids. */
class Group {
  constructor(element) {
    this.element = element;
    if (element.classList.contains("node")) this.markKind();
  }

  markKind() {
    const { id, dataset } = this.element;
    const cell = /^(l\d+-)?p-/.test(id);
    const product = cell && id.endsWith("-product");
    if (product) dataset.product = "";
    else delete dataset.product;
    if (cell && !product) dataset.cell = "";
    else delete dataset.cell;
  }

  find() {
    this.lines = [];
    for (const child of this.element.children) {
      if (child.nodeName === "title") this.title = child;
      else if (child.nodeName === "text") this.lines.push(child);
      else this.outline ??= child;
    }
  }

  /* A field of a record: a letter, for a line of text its number, and what it is now. */
  change(field) {
    if (!this.lines) this.find();
    const ofLine = lineFields[field[0]];
    if (ofLine) ofLine(this.lines[field[1]], field.slice(2));
    else groupFields[field[0]](this, field.slice(1));
  }
}

function writeData(element, text) {
  if (element.firstChild) element.firstChild.data = text;
  else element.textContent = text;
}

const groupFields = {
  i: (group, id) => {
    group.element.id = id;
    if (group.element.classList.contains("node")) group.markKind();
  },
  t: (group, title) => writeData(group.title, title),
  f: (group, colour) => group.outline.setAttribute("fill", colour),
  s: (group, colour) => group.outline.setAttribute("stroke", colour),
  w: (group, width) => group.outline.setAttribute("stroke-width", width),
};
const lineFields = {
  d: (line, words) => writeData(line, words),
  y: (line, y) => line.setAttribute("y", y),
  z: (line, size) => line.setAttribute("font-size", size),
  k: (line, colour) => line.setAttribute("fill", colour),
};

/* Elements of new groups. */
function makeGroups(lines) {
  const holder = document.createElement("div");
  holder.innerHTML = `<svg xmlns="http://www.w3.org/2000/svg">${lines.join("")}</svg>`;
  return [...holder.firstElementChild.children];
}

/* Of a record: ~, the group's number, fields. */
function changeGroup(groups, record) {
  let at = record.indexOf("\x1f");
  const group = groups[Number(record.slice(1, at))];
  while (at >= 0) {
    const next = record.indexOf("\x1f", at + 1);
    group.change(next >= 0 ? record.slice(at + 1, next) : record.slice(at + 1));
    at = next;
  }
  return group;
}

/* "WIDTH HEIGHT" */
function resize(svg, size) {
  const [width, height] = size.split(" ");
  svg.dataset.whole = `0 0 ${size}`;
  svg.setAttribute("viewBox", svg.dataset.whole);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
}

/* Makes the SVG what the records say; returns its groups. */
function patch(svg, records, before) {
  const groups = [];
  const anew = records.filter((record) => record[0] === "<");
  const made = anew.length > 0 ? makeGroups(anew) : [];
  let next = 0;
  for (const record of records) {
    if (record[0] === "!") {
      resize(svg, record.slice(1));
    } else if (record[0] === "@") {
      svg.setAttribute("aria-label", record.slice(1));
    } else if (record[0] === "=") {
      const comma = record.indexOf(",");
      const first = Number(record.slice(1, comma));
      const end = first + Number(record.slice(comma + 1));
      for (let g = first; g < end; g++) groups.push(before[g]);
    } else if (record[0] === "~") {
      groups.push(changeGroup(before, record));
    } else {
      groups.push(new Group(made[next++]));
    }
  }
  if (made.length > 0 || groups.length < before.length) {
    const stay = new Set(groups);
    for (const group of before) if (!stay.has(group)) group.element.remove();
  }
  let at = svg.firstElementChild;
  for (const { element } of groups) {
    if (element === at) at = at.nextElementSibling;
    else svg.insertBefore(element, at);
  }
  return groups;
}

/* Draws the step into the lab's box. Names, which one does not see, come later. */
function putPicture(lab, step) {
  const box = lab.part("picture");
  const svg = box.querySelector("svg");
  endGliding(lab);
  namePicture(lab);
  const answer = lab.core.picture(lab.handle, step.step, lab.prefix, !svg);
  if (answer.startsWith("<svg")) {
    box.innerHTML = answer.replaceAll("\n", "");
    lab.groups = [...box.firstElementChild.children].map((element) => new Group(element));
    return;
  }
  for (const group of svg.querySelectorAll(".failed, .followed")) group.classList.remove("failed", "followed");
  lab.groups = patch(svg, answer.split("\x1e").slice(1), lab.groups);
  lab.unnamed = true;
}

/* Ids and titles of the picture, where they are those of the step before still. */
function namePicture(lab) {
  if (!lab.unnamed) return;
  lab.unnamed = false;
  for (const record of lab.core.pictureNames(lab.handle).split("\x1e").slice(1)) changeGroup(lab.groups, record);
}
