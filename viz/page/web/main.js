/* The page: one clock for all schedules on it, keys, and the address. */

const setup = JSON.parse(document.getElementById("setup").textContent);
const at = (id) => document.getElementById(id);
const labs = [];
let now = 0;
let timer = 0;
let machine;
let loop = null; /* first and last step of those that are played again and again */
let notice = ""; /* said before the step, until the next one */
let theme = ""; /* that the address asks for; "": the reader's own */

/* Schedules next to each other advance step by step. In a race the slider counts the times at which any step of any schedule
 * ends. */
const racing = () => labs.length > 1 && at("modelled").checked && labs.every((lab) => lab.cost?.step?.length > 0);
const lastStep = () => (racing() ? raceTimes().length : Math.max(0, ...labs.map((lab) => lab.last)));

/* For each step, the time by which it and all earlier steps have ended (steps can overlap). */
function endsOf(lab) {
  let most = 0;
  return lab.cost.step.map((step) => (most = Math.max(most, step[1])));
}

const raceTimes = () => [...new Set(labs.flatMap(endsOf))].sort((a, b) => a - b);

/* The lab's current step just before the given race time; its last step + 1 after it has finished. */
function raceStep(lab, number) {
  const until = raceTimes()[number - 1];
  return number === 0 ? 0 : 1 + endsOf(lab).filter((end) => end < until).length;
}

const stepOf = (lab) => (racing() ? raceStep(lab, now) : now);

function readAddress(url) {
  const values = addressValues(url);
  const number = Number(values.get("step"));
  if (values.has("step") && Number.isInteger(number) && number >= 0) now = number;
  labs[0].view.widen(values.has("wide"));
  const range = /^(\d+)-(\d+)$/.exec(values.get("loop") ?? "");
  loop = range && Number(range[1]) < Number(range[2]) ? [Number(range[1]), Number(range[2])] : null;
  dress(values.get("theme") ?? "");
  for (const lab of labs) readFollowed(lab, values);
}

const address = () => addressOf({ step: now, loop, theme, wide: labs[0].view.wider, lecture: lecturing(), machine: machine.changes(), labs });
const editsOf = (url) => [...addressValues(url)].filter(([name]) => /^(text|grid|set|network|collective)\d*$/.test(name)).sort().join();
const writeAddress = () => putAddress(address());

/* The rules of the style sheet that depend on what the reader's system prefers, each with its condition. */
const preferred = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => /prefers-(color|contrast)/.test(rule.media?.mediaText))
  .map((rule) => ({ rule, own: rule.media.mediaText, theme: /contrast/.test(rule.media.mediaText) ? "contrast" : "dark" }));

/* Colours for a bright room, a dark one, or a projector that shows few of them. */
function dress(wanted) {
  theme = ["light", "dark", "contrast"].includes(wanted) ? wanted : "";
  for (const one of preferred) one.rule.media.mediaText = theme === "" ? one.own : one.theme === theme ? "all" : "not all";
  document.documentElement.style.colorScheme = theme === "contrast" ? "light" : theme;
}

const distinct = (words) => [...new Set(words.filter(Boolean))];

/* Title and citations of all schedules, without duplicates. */
function writeHeading() {
  const title = distinct(labs.map((lab) => lab.heading)).join(" and ");
  writeText(at("title"), title || at("title").textContent);
  writeText(at("citation"), distinct(labs.map((lab) => lab.setup.task ?? lab.facts?.citation)).join(" · "));
  document.title = at("title").textContent;
}

function statusText() {
  const first = labs.find((lab) => lab.now);
  if (!first) return "";
  const label = distinct(labs.map((lab) => (lab.ended ? "" : lab.now?.label)));
  if (labs.some((lab) => lab.pending)) return `Step ${now} of ${lastStep()} is being made …`;
  if (racing()) return `${secondsText(now ? raceTimes()[now - 1] : 0)} of ${secondsText(raceTimes().at(-1))}`;
  return `Step ${now} of ${lastStep()}${label.length ? ": " + label.join(" / ") : ""}`;
}

function show() {
  now = Math.min(now, lastStep());
  for (const lab of labs) lab.show(stepOf(lab));
  if (labs.length > 1) sameScale();
  now = Math.min(now, lastStep());
  const last = lastStep();
  at("scrub").max = last;
  at("scrub").value = now;
  at("scrub").setAttribute("aria-valuetext", statusText());
  at("jump").max = last;
  at("jump").value = now;
  at("of").textContent = `of ${last}`;
  for (const [id, off] of [["first", now === 0], ["back", now === 0], ["next", now === last], ["last", now === last]]) at(id).disabled = off;
  writeText(at("status"), notice + statusText());
  writeHeading();
  markFailures();
  if (!at("strip").hidden) showStrips(at("strip"), labs);
  settleSoon();
}

/* Pictures beside each other have the scale of the one that needs the smallest. */
function sameScale() {
  const svgs = labs.map((lab) => lab.view.picture);
  if (!svgs.every((svg) => svg instanceof SVGElement) || labs.some((lab) => lab.view.zoom)) return;
  const scale = Math.min(...labs.map((lab, i) => lab.view.scaleOf(svgs[i])));
  labs.forEach((lab, i) => {
    svgs[i].style.width = `${lab.view.wide * scale}px`;
  });
}

/* On the slider, where a schedule goes wrong. */
function markFailures() {
  const steps = racing() ? [] : labs.filter((lab) => !lab.error && lab.proof && !lab.proof.ok && lab.proof.failure.step >= 0).map((lab) => lab.proof.failure.step);
  at("marks").replaceChildren(...steps.map((step) => {
    const mark = make("i", {});
    mark.style.left = `${(step / Math.max(1, lastStep())) * 100}%`;
    return mark;
  }));
}

/* What the schedules beside each other need, in one table. */
function compareLabs() {
  at("versus").hidden = labs.length < 2;
  if (labs.length < 2) return;
  const rows = labs.map((lab) => {
    const { messages, bytes, time_s } = lab.cost?.error ? {} : (lab.cost ?? {});
    const known = time_s === undefined ? ["–", "–", "–"] : [messages.toLocaleString("en"), bytesText(bytes), secondsText(time_s)];
    return [lab.heading ?? "", lab.last, lab.facts ? lab.facts.processors.toLocaleString("en") : "–", ...known];
  });
  at("versus").replaceChildren(tableOf(["", "Steps", "Processors", "Messages", "Bytes", "Predicted time"], rows));
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
  compareLabs();
  showStrips(at("strip"), labs);
  document.documentElement.dataset.settled = now;
  tellParent("state", state());
}

function go(step) {
  notice = "";
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
  const times = racing() ? [0, ...raceTimes()] : [];
  const step = racing() ? (times[now] ?? 0) - (times[now - 1] ?? 0) : Math.max(...labs.map((lab) => modelledStep(lab, now)));
  return Math.max(0.15, ((step / whole) * 2 * lastStep()) / speed);
}

function playing(on) {
  clearTimeout(timer);
  timer = 0;
  at("play").setAttribute("aria-pressed", String(on));
  at("play-sign").querySelector("path").setAttribute("d", on ? "M3 2h4v12H3zM9 2h4v12H9z" : "M3 2l11 6-11 6z");
  at("play-word").textContent = on ? "Pause" : "Play";
  for (const lab of labs) {
    lab.part("picture").classList.toggle("moving", on);
    if (on) glide(lab, 0.8 * pause());
    else endGliding(lab);
  }
  if (!on) return;
  const goOn = () => {
    if (labs.some((lab) => lab.pending)) {
      timer = setTimeout(goOn, 30);
      return;
    }
    go(loop && now >= loop[1] ? loop[0] : now + 1);
    playing(loop !== null || now < lastStep());
  };
  timer = setTimeout(goOn, pause() * 1000);
}

function toggle() {
  if (!timer && loop) go(Math.max(loop[0], Math.min(now, loop[1])));
  else if (!timer && now === lastStep()) go(0);
  playing(!timer);
}

/* --- in a lecture -------------------------------------------------------------------------------------------------- */

const lecturing = () => document.documentElement.classList.contains("lecture");

/* The picture fills the screen; what is about the schedule is left out. */
function lecture(on) {
  document.documentElement.classList.toggle("lecture", on);
  at("lecture").setAttribute("aria-pressed", String(on));
  if (on && document.fullscreenEnabled && navigator.userActivation?.isActive) document.documentElement.requestFullscreen().catch(() => {});
  if (!on && document.fullscreenElement) document.exitFullscreen();
  for (const lab of labs) lab.view.fill(on);
  writeAddress();
}

function keys(event) {
  const writes = event.target.matches("textarea, select, input:not([type=range], [type=checkbox])");
  if (event.key === "Escape" && lecturing()) lecture(false);
  else if (event.key === "Escape") for (const lab of labs) if (lab.followed) lab.follow(lab.followed);
  if (writes || event.ctrlKey || event.metaKey || event.altKey) return;
  const slides = event.target.matches("input[type=range]");
  if (slides && event.target !== at("scrub")) return;
  const moves = { ArrowLeft: () => go(now - 1), ArrowRight: () => go(now + 1), Home: () => go(0), End: () => go(lastStep()), PageUp: () => go(now - 1), PageDown: () => go(now + 1), l: () => lecture(!lecturing()), "?": () => at("help").showModal() };
  if (event.key === " " && !event.target.matches("button, input")) moves[" "] = toggle;
  const move = moves[event.key] ?? moves[event.key.toLowerCase()];
  if (!move) return;
  event.preventDefault();
  move();
}

async function copyLink() {
  const copied = await copyText(location.href.split("#")[0] + address());
  at("link").focus();
  notice = copied ? "Link copied. " : "The browser blocked copying. Copy the address from the address bar instead. ";
  writeText(at("status"), notice + statusText());
}

function listen() {
  at("link").hidden = location.protocol === "about:"; /* in srcdoc a page has no address */
  at("first").addEventListener("click", () => go(0));
  at("back").addEventListener("click", () => go(now - 1));
  at("next").addEventListener("click", () => go(now + 1));
  at("last").addEventListener("click", () => go(lastStep()));
  at("play").addEventListener("click", toggle);
  at("link").addEventListener("click", copyLink);
  at("lecture").addEventListener("click", () => lecture(!lecturing()));
  at("ask").addEventListener("click", () => at("help").showModal());
  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement && lecturing()) lecture(false);
  });
  at("scrub").addEventListener("input", () => go(Number(at("scrub").value)));
  at("jump").addEventListener("change", () => go(Math.round(Number(at("jump").value)) || 0));
  document.addEventListener("keydown", keys);
  /* The address itself may have been written anew meanwhile. Another text or other settings are a new beginning. */
  window.addEventListener("hashchange", (event) => {
    if (editsOf(event.newURL) !== editsOf(address())) {
      putAddress(event.newURL);
      location.reload();
      return;
    }
    readAddress(event.newURL);
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

/* --- within another page ---------------------------------------------------------------------------------------- */

const state = () => ({ step: now, last: lastStep(), label: labs[0]?.now?.label ?? "", hash: address() });

function actFor(data) {
  if (data.topogemm === "step") go(now + (Number.isInteger(data.by) ? data.by : 1));
  if (data.topogemm !== "set") return;
  const edits = Object.fromEntries(["schedule", ...settingNames].filter((name) => typeof data[name] === "string").map((name) => [name, data[name]]));
  if (Object.keys(edits).length > 0) labs[0].put(edits);
  if (Number.isInteger(data.step)) go(data.step);
}

async function start() {
  const core = await startCore(at("core").textContent);
  const values = addressValues(location.href);
  machine = new Machine(setup, values, () => {
    for (const lab of labs) machine.show(lab);
    settleSoon();
  });
  at("page").hidden = false;
  for (const [i, one] of setup.labs.entries()) {
    const lab = new Lab(core, one, i, changed, go);
    const edits = await readEdits(lab, values);
    if (edits.damaged) notice = "The link is damaged, perhaps truncated. Showing the original text. ";
    lab.begin(edits);
    at("labs").append(lab.root);
    labs.push(lab);
  }
  at("labs").classList.toggle("beside", labs.length > 1);
  at("clock-choice").hidden = false;
  if (labs.length > 1) at("clock-words").textContent = "race, by predicted time";
  at("modelled").addEventListener("change", () => go(racing() ? 0 : Math.min(now, lastStep())));
  now = setup.step ?? 0;
  readAddress(location.href);
  listen();
  for (const lab of labs) machine.show(lab);
  show();
  if (values.has("lecture")) lecture(true);
  if (embeds()) {
    document.documentElement.classList.add("embed");
    for (const lab of labs) lab.view.fill(true);
  }
  listenToParent(state, actFor);
  tellParent("ready", state());
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  at("page").hidden = false;
  at("status").textContent = `This browser cannot run the page: ${error.message}`;
});
