/* The page: one clock for all schedules on it, keys, and the address. */

const setup = JSON.parse(document.getElementById("setup").textContent);
const at = (id) => document.getElementById(id);
const labs = [];
let now = 0;
let timer = 0;
let machine;

const lastStep = () => Math.max(0, ...labs.map((lab) => lab.last));

function readAddress(url) {
  const values = new URLSearchParams(new URL(url).hash.slice(1));
  const number = Number(values.get("step"));
  if (values.has("step") && Number.isInteger(number) && number >= 0) now = number;
  labs[0].view.widen(values.has("wide"));
  labs.forEach((lab, i) => {
    const suffix = i ? String(i + 1) : "";
    const block = values.get("block" + suffix);
    const processor = values.get("processor" + suffix);
    const what = block ? whatIsWritten(lab, block) : /^\d+$/.test(processor ?? "") ? { processor: Number(processor) } : null;
    lab.followed = whatFits(lab, what);
  });
}

function writeAddress() {
  const values = new URLSearchParams();
  values.set("step", now);
  if (labs[0].view.wider) values.set("wide", "");
  labs.forEach((lab, i) => {
    const suffix = i ? String(i + 1) : "";
    if (lab.followed?.block) values.set("block" + suffix, lab.followed.block);
    else if (lab.followed) values.set("processor" + suffix, lab.followed.processor);
  });
  history.replaceState(null, "", "#" + values);
}

function statusText() {
  const first = labs.find((lab) => lab.now);
  if (!first) return "";
  const label = labs.map((lab) => (lab.now ? lab.now.label : "")).filter((text, i, all) => text && all.indexOf(text) === i);
  if (labs.some((lab) => lab.pending)) return `Step ${now} of ${lastStep()} is being made …`;
  return `Step ${now} of ${lastStep()}${label.length ? ": " + label.join(" / ") : ""}`;
}

function show() {
  now = Math.min(now, lastStep());
  for (const lab of labs) lab.show(now);
  now = Math.min(now, lastStep());
  const last = lastStep();
  at("scrub").max = last;
  at("scrub").value = now;
  at("scrub").setAttribute("aria-valuetext", statusText());
  at("jump").max = last;
  at("jump").value = now;
  at("of").textContent = `of ${last}`;
  for (const [id, off] of [["first", now === 0], ["back", now === 0], ["next", now === last], ["last", now === last]]) at(id).disabled = off;
  if (at("status").textContent !== statusText()) at("status").textContent = statusText();
  settleSoon();
}

/* Panels follow once the picture is on the screen, and no further step comes at once. */
const SETTLE_MS = 40;
let settling = 0;

function settleSoon() {
  delete document.documentElement.dataset.settled;
  clearTimeout(settling);
  settling = setTimeout(settle, SETTLE_MS);
}

function settle() {
  if (labs.some((lab) => lab.pending)) return;
  writeAddress();
  for (const lab of labs) {
    lab.settle();
    machine.showAt(lab);
  }
  document.documentElement.dataset.settled = now;
}

function go(step) {
  now = Math.max(0, Math.min(step, lastStep()));
  show();
}

/* --- playing ------------------------------------------------------------------------------------------------------ */

/* Seconds by which a step ends later than all before it, as the machine predicts: steps overlap. */
function modelledStep(lab, number) {
  const ends = (lab.cost?.step ?? []).slice(0, number).map((step) => step[1]);
  return ends.length < number || number === 0 ? 0 : Math.max(...ends) - Math.max(0, ...ends.slice(0, -1));
}

/* Seconds that a step stays: all alike, or as predicted, of the slowest of the schedules beside each other, 2 s a step on
 * average. */
function pause() {
  const speed = Number(at("speed").value);
  const whole = Math.max(0, ...labs.map((lab) => lab.cost?.time_s ?? 0));
  if (!at("modelled").checked || !(whole > 0)) return 1.2 / speed;
  const step = Math.max(...labs.map((lab) => modelledStep(lab, now)));
  return Math.max(0.15, ((step / whole) * 2 * lastStep()) / speed);
}

function playing(on) {
  clearTimeout(timer);
  timer = 0;
  at("play").setAttribute("aria-pressed", String(on));
  at("play-sign").querySelector("path").setAttribute("d", on ? "M3 2h4v12H3zM9 2h4v12H9z" : "M3 2l11 6-11 6z");
  at("play-word").textContent = on ? "Pause" : "Play";
  for (const lab of labs) lab.part("picture").classList.toggle("moving", on);
  if (!on) return;
  const goOn = () => {
    if (labs.some((lab) => lab.pending)) {
      timer = setTimeout(goOn, 30);
      return;
    }
    go(now + 1);
    playing(now < lastStep());
  };
  timer = setTimeout(goOn, pause() * 1000);
}

function toggle() {
  if (!timer && now === lastStep()) go(0);
  playing(!timer);
}

function keys(event) {
  const writes = event.target.matches("textarea, select, input:not([type=range], [type=checkbox])");
  if (event.key === "Escape") for (const lab of labs) if (lab.followed) lab.follow(lab.followed);
  if (writes || event.ctrlKey || event.metaKey || event.altKey) return;
  const slides = event.target.matches("input[type=range]");
  if (slides && event.target !== at("scrub")) return;
  const moves = { ArrowLeft: () => go(now - 1), ArrowRight: () => go(now + 1), Home: () => go(0), End: () => go(lastStep()) };
  if (event.key === " " && !event.target.matches("button, input")) moves[" "] = toggle;
  const move = moves[event.key];
  if (!move) return;
  event.preventDefault();
  move();
}

function listen() {
  at("first").addEventListener("click", () => go(0));
  at("back").addEventListener("click", () => go(now - 1));
  at("next").addEventListener("click", () => go(now + 1));
  at("last").addEventListener("click", () => go(lastStep()));
  at("play").addEventListener("click", toggle);
  at("scrub").addEventListener("input", () => go(Number(at("scrub").value)));
  at("jump").addEventListener("change", () => go(Math.round(Number(at("jump").value)) || 0));
  document.addEventListener("keydown", keys);
  window.addEventListener("hashchange", (event) => {
    readAddress(event.newURL); /* the address itself may have been written anew meanwhile */
    show();
  });
}

/* A lab's text or settings changed, or only what is followed in it. */
function changed(lab, followed = false) {
  if (labs.length < setup.labs.length) return; /* still being made */
  if (!followed) machine.show(lab);
  if (followed) writeAddress();
  else show();
}

async function start() {
  const core = await startCore(at("core").textContent);
  machine = new Machine(setup, () => labs.forEach((lab) => machine.show(lab)));
  at("page").hidden = false;
  setup.labs.forEach((one, i) => {
    const lab = new Lab(core, one, i, changed);
    at("labs").append(lab.root);
    labs.push(lab);
  });
  at("labs").classList.toggle("beside", labs.length > 1);
  at("clock-choice").hidden = false;
  now = setup.step ?? 0;
  readAddress(location.href);
  listen();
  for (const lab of labs) machine.show(lab);
  show();
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  at("page").hidden = false;
  at("status").textContent = `This browser cannot run the page: ${error.message}`;
});
