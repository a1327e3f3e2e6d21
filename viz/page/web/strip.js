/* Under the slider: the steps in the order of the predicted time, each as wide as it is long, products below and the rest above.
 * A schedule beside another one has a strip of its own, on the same axis. */

const STRIP_STEPS = 400;

/* Of each step: when the one before and it itself have ended, and what part of it is products. */
function stripOf(lab) {
  let begin = 0;
  return endsOf(lab).map((end, s) => {
    const parts = lab.cost.step[s][5];
    const all = Object.values(parts).reduce((sum, part) => sum + part, 0);
    const one = { begin, end, products: all > 0 ? (parts.products_s + parts.additions_s) / all : 0 };
    begin = end;
    return one;
  });
}

function makeStrip(lab, whole) {
  const bars = stripOf(lab).map(({ begin, end, products }, s) => {
    const bar = make("i", { title: `Step ${s + 1}: ${secondsText(end - begin)}, ${Math.round(100 * products)} % of it products` });
    Object.assign(bar.style, { left: `${(begin / whole) * 100}%`, width: `${((end - begin) / whole) * 100}%` });
    bar.style.setProperty("--products", `${100 * products}%`);
    bar.addEventListener("click", () => go(racing() ? raceTimes().indexOf(end) + 1 : s + 1));
    return bar;
  });
  return make("div", { role: "img", "aria-label": `${lab.heading}: predicted time of each step` }, ...bars);
}

/* Makes the strips where a time has changed, and marks the steps that are shown. */
function showStrips(box, labs) {
  const known = labs.every((lab) => lab.cost?.step?.length > 0 && lab.cost.step.length <= STRIP_STEPS);
  box.hidden = !known;
  if (!known) return;
  const whole = Math.max(...labs.map((lab) => endsOf(lab).at(-1)));
  const of = labs.map((lab) => lab.cost);
  if (box.of?.length !== of.length || of.some((cost, i) => cost !== box.of[i])) {
    box.of = of;
    box.replaceChildren(...labs.map((lab) => makeStrip(lab, whole)), make("p", {}, make("span", {}, "0"), make("span", {}, secondsText(whole))));
  }
  labs.forEach((lab, i) => {
    const now = stepOf(lab);
    [...box.children[i].children].forEach((bar, s) => bar.classList.toggle("now", s + 1 === now));
  });
}
