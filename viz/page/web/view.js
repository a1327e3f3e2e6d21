/* How large a lab's picture is drawn, how wide it stands, and which plane of it is shown. */

/* What is left out where its letters, of so many units of the picture, would be fewer pixels high. */
const leastPixels = [
  { name: "no-products", units: 12, pixels: 6 },
  { name: "no-asides", units: 10, pixels: 5 },
  { name: "no-names", units: 12, pixels: 5 },
  { name: "no-blocks", units: 15, pixels: 5 },
];

const REM = 15; /* page.css */

class View {
  constructor(lab) {
    this.lab = lab;
    this.zoom = 0; /* points of the screen a unit of the picture; 0: as there is room */
    this.wide = 1; /* units that the picture is wide */
    this.wider = false;
    this.room = innerWidth;
    const on = (name, what, call) => lab.part(name).addEventListener(what, call);
    on("planes", "change", () => this.cropPlane());
    on("fit", "click", () => this.fill(true));
    on("larger", "click", () => this.zoomTo((this.zoom || this.fitted()) * 1.3));
    on("smaller", "click", () => this.zoomTo((this.zoom || this.fitted()) / 1.3));
    on("widen", "click", () => {
      this.widen(!this.wider);
      this.fill(this.wider);
      lab.changed(lab, true);
    });
    new ResizeObserver(([box]) => {
      this.room = box.contentRect.width;
      if (this.fills) this.fill(true);
      else this.leaveOutSmall();
    }).observe(lab.part("picture"));
  }

  get picture() {
    return this.lab.part("picture").querySelector("svg, canvas");
  }

  /* Points a picture's unit is drawn with now. */
  fitted() {
    const picture = this.picture;
    return picture ? picture.getBoundingClientRect().width / this.wide : 1;
  }

  /* Points a unit with which the picture fills its room: the width, and the height from where it begins. */
  filling() {
    const box = this.lab.part("picture").getBoundingClientRect();
    const picture = this.picture;
    if (!picture) return 0;
    const shape = picture instanceof SVGElement ? picture.viewBox.baseVal : picture;
    const high = innerHeight - Math.max(0, box.top + scrollY) - 2.2 * REM;
    const zoom = Math.min(box.width / this.wide, Math.max(high, innerHeight / 2) / ((shape.height / shape.width) * this.wide));
    return Math.floor(zoom * 1000) / 1000;
  }

  /* As large as there is room, also when there is more or less; or as it is drawn. */
  fill(on) {
    this.zoomTo(on ? this.filling() : 0);
    this.fills = on;
  }

  /* The picture over the whole width, or beside the text. */
  widen(wider) {
    this.wider = wider;
    this.lab.root.classList.toggle("wide", wider);
    this.lab.part("widen").setAttribute("aria-pressed", String(wider));
  }

  /* Pixels that a picture may be high, as page.css has it: controls, legend and verdict stay on the screen, too. */
  get highest() {
    return innerWidth > 800 ? Math.max(20 * REM, innerHeight - 25 * REM) : Infinity;
  }

  /* On a telephone letters stay readable, and the picture is moved. */
  get least() {
    return innerWidth > 800 ? 0 : 0.6;
  }

  /* Pixels a unit, as page.css lets it be. */
  scaleOf(svg) {
    const { width, height } = svg.viewBox.baseVal;
    return this.zoom || Math.max(this.least, Math.min(1, this.room / width, this.highest / height));
  }

  /* Words of the picture that would be too small to read are left out until there is room: they cost time. */
  leaveOutSmall() {
    const picture = this.picture;
    const scale = picture instanceof SVGElement ? this.scaleOf(picture) : Infinity; /* a map has no words */
    for (const { name, units, pixels } of leastPixels) {
      picture?.classList.toggle(name, units * scale < pixels);
      this.lab.part("reading").classList.toggle(name, units * scale < pixels);
    }
  }

  zoomTo(zoom) {
    this.zoom = zoom && Math.max(0.1, Math.min(zoom, 6));
    this.fills = false;
    const picture = this.picture;
    if (!picture) return;
    const narrow = picture instanceof SVGElement && this.room < this.least * this.wide;
    picture.style.maxWidth = picture.style.maxHeight = this.zoom || narrow ? "none" : "";
    const fits = picture instanceof SVGElement ? (narrow ? `${this.least * this.wide}px` : "") : `${this.wide}px`; /* a canvas has a point a processor of its own */
    picture.style.width = this.zoom ? `${this.wide * this.zoom}px` : fits;
    this.leaveOutSmall();
  }

  /* Of a grid of three dimensions, the planes of its last coordinate. */
  listPlanes() {
    const { extents, axes } = this.lab.facts;
    const choice = this.lab.part("planes-choice");
    const many = extents.length === 3 && this.lab.cells && extents[2] > 1;
    choice.hidden = !many;
    const select = this.lab.part("planes");
    const chosen = select.value;
    select.replaceChildren(make("option", { value: "" }, "all planes"));
    for (let k = 0; many && k < extents[2]; k++) select.append(make("option", { value: k }, `plane ${axes[2]} = ${k}`));
    select.value = many && chosen !== "" && Number(chosen) < extents[2] ? chosen : "";
  }

  cropPlane() {
    const svg = this.picture;
    if (!(svg instanceof SVGElement)) return;
    if (!svg.dataset.whole) svg.dataset.whole = svg.getAttribute("viewBox");
    const plane = this.lab.part("planes").value;
    if (plane === "" && svg.getAttribute("viewBox") === svg.dataset.whole) {
      this.wide = svg.viewBox.baseVal.width;
      this.zoomAgain();
      return;
    }
    let view = svg.dataset.whole.split(" ").map(Number);
    if (plane !== "") {
      namePicture(this.lab);
      const boxes = [];
      for (let p = Number(plane); p < this.lab.facts.processors; p += this.lab.facts.extents[2]) {
        for (const panel of ["", "-panel-2", "-panel-3"]) { /* where each matrix has a panel of its own */
          const group = document.getElementById(this.lab.prefix + processorId(this.lab.facts, p) + panel);
          if (group) boxes.push(group.getBBox());
        }
      }
      const margin = 60;
      const left = Math.min(...boxes.map((box) => box.x)) - margin;
      const top = Math.min(...boxes.map((box) => box.y)) - margin;
      const right = Math.max(...boxes.map((box) => box.x + box.width)) + margin;
      const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + margin;
      if (boxes.length > 0) view = [left, top, right - left, bottom - top];
    }
    svg.setAttribute("viewBox", view.join(" "));
    svg.setAttribute("width", view[2]);
    svg.setAttribute("height", view[3]);
    this.wide = view[2];
    this.zoomAgain();
  }

  /* For another picture. */
  zoomAgain() {
    if (this.fills) this.fill(true);
    else this.zoomTo(this.zoom);
  }
}
