/* While the page plays, blocks travel along their arrows. */

const GLIDE_MOST = 200; /* arrows; with more the picture is too full to follow one */
const SVG = "http://www.w3.org/2000/svg";

function makeSvg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/* A block with its name on the arrow's path. */
function makeGlider(edge, name, seconds) {
  const path = edge.querySelector("path");
  const block = makeSvg("rect", { x: -15, y: -9, width: 30, height: 18, rx: 2, fill: path.getAttribute("stroke") });
  const words = makeSvg("text", { "text-anchor": "middle", y: 4, "font-size": 11.5, fill: "white" }, name);
  const motion = makeSvg("animateMotion", { path: path.getAttribute("d"), dur: `${seconds}s`, begin: "indefinite", fill: "freeze" });
  const glider = makeSvg("g", { class: "glider", "aria-hidden": "true" }, block, words, motion);
  return { glider, motion };
}

function endGliding(lab) {
  for (const glider of lab.part("picture").querySelectorAll(".glider")) glider.remove();
}

/* The messages of the step, in so many seconds; where motion is not wanted, the picture appears softly. */
function glide(lab, seconds) {
  const svg = lab.view.picture;
  endGliding(lab);
  if (!(svg instanceof SVGElement) || lab.ended) return;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    svg.animate([{ opacity: 0.4 }, { opacity: 1 }], { duration: 300 });
    return;
  }
  namePicture(lab);
  const edges = [...svg.querySelectorAll("g.edge")].filter((edge) => /^(l\d+-)?m-\d+-\d+$/.test(edge.id) && edge.querySelector("path"));
  if (edges.length === 0 || edges.length > GLIDE_MOST) return;
  const made = edges.map((edge) => makeGlider(edge, lab.whole.message[Number(edge.id.split("-").at(-1))][2], seconds));
  svg.append(...made.map(({ glider }) => glider));
  for (const { motion } of made) motion.beginElement();
}
