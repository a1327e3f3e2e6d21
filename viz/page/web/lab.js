/* One schedule with its settings: text, picture, panels. */

const collectives = ["native", "auto", "binomial", "ring", "chain", "recursive-doubling", "scatter-allgather", "pairwise"];

const settingTitles = { grid: "Grid", set: "Set", network: "Network", collective: "Collectives" };
const settingNames = Object.keys(settingTitles);
const MOST_TEXT = 64 * 1024; /* characters */
const MOST_LINES = 2000;
const limits = `This page accepts up to ${MOST_TEXT / 1024} KB and ${MOST_LINES} lines; use topogemm draw for longer schedules.`;
const QUICK_WORK = 200000; /* largest product of executed statements and processors that is handled immediately, without a worker */

/* The lines down to the last `place`, without comments and with single spaces. */
function declarations(text) {
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim().replace(/\s+/g, " ")).filter(Boolean);
  return lines.slice(0, 1 + lines.findLastIndex((line) => line.startsWith("place"))).join("\n");
}

class Lab {
  /* `changed` is told when something of the lab is; `go` goes to a step. */
  constructor(core, setup, number, changed, go) {
    this.core = core;
    this.go = go;
    this.prefix = number === 0 ? "" : `l${number + 1}-`;
    this.number = number;
    this.changed = changed;
    this.root = document.getElementById("lab").content.firstElementChild.cloneNode(true);
    const parts = new Map(); /* looking for one takes as long as the picture has elements */
    this.part = (name) => parts.get(name) ?? parts.set(name, this.root.querySelector("." + name)).get(name);
    this.root.dataset.lab = number;
    this.handle = 0;
    this.facts = null;
    this.followed = null;
    this.details = new Map();
    this.tables = new Map();
    this.setup = setup;
    this.questions = new Questions();
    this.view = new View(this);
    for (const name of collectives) this.part("collective").append(make("option", { value: name }, name));
    this.saveAs = "SVG";
    this.begunWith = { schedule: setup.schedule, grid: setup.grid, set: (setup.set ?? []).join(" "), network: setup.network ?? "", collective: setup.collective };
    this.listen();
  }

  /* Takes text and settings, those of the page where there are no others. */
  begin(edits = {}) {
    this.put({ ...this.begunWith, ...edits });
  }

  /* Takes those of them that are given. */
  put({ schedule, ...settings }) {
    if (schedule !== undefined) this.part("text").value = schedule;
    for (const name of settingNames) {
      const choices = this.part(name).options;
      if (settings[name] !== undefined && (!choices || [...choices].some((one) => one.value === settings[name]))) this.part(name).value = settings[name];
    }
    this.open();
  }

  get edited() {
    return this.part("text").value !== this.begunWith.schedule;
  }

  /* For the address. */
  packEdits() {
    const text = this.part("text").value;
    const done = (packed) => {
      if (text !== this.part("text").value || packed === this.packed) return;
      this.packed = packed;
      this.changed(this, true);
    };
    if (!this.edited || this.isTooLong) done("");
    else packText(text).then(done);
  }

  /* A file of the text, named as the schedule is. */
  download() {
    const text = this.part("text").value;
    const name = /^\s*schedule\s+([\w-]+)/m.exec(text)?.[1] ?? "edited";
    saveFile(`${name}.sched`, "text/plain", text);
  }

  /* The picture as it is shown, in a file of its own; a map is a bitmap in any case. */
  savePicture() {
    const picture = this.view.picture;
    const name = `${this.heading ?? "picture"} step ${this.now?.step ?? 0}`.replace(/[^\w]+/g, "-").toLowerCase();
    const bitmap = (canvas) => canvas.toBlob((blob) => saveFile(`${name}.png`, "image/png", blob));
    if (!(picture instanceof SVGElement)) {
      bitmap(enlarged(picture, this.part("picture").querySelector(".map-key").textContent.trim().replace(/^0\s+/, "0 (blue) to ")));
      return;
    }
    const svg = new XMLSerializer().serializeToString(withMarks(picture));
    const save = {
      SVG: () => saveFile(`${name}.svg`, "image/svg+xml", svg),
      PNG: () => drawn(svg, picture.viewBox.baseVal).then(bitmap),
      PDF: () => printed(svg, picture.viewBox.baseVal, name),
      TikZ: () => saveFile(`${name}.tex`, "text/plain", this.core.tikz(this.handle)),
    };
    save[this.part("save-as").value]();
  }

  listen() {
    let timer;
    const later = () => {
      clearTimeout(timer);
      this.behind();
      timer = setTimeout(() => this.open(), 120);
    };
    for (const name of ["text", "grid", "set", "network"]) this.part(name).addEventListener("input", later);
    this.part("collective").addEventListener("change", later);
    const text = this.part("text");
    /* A browser takes seconds to lay out megabytes: they are refused before. What a program types, Chromium inserts line by
     * line, each taking longer than the last. */
    text.addEventListener("beforeinput", (event) => {
      const more = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
      const fits = more.length + text.value.length <= MOST_TEXT;
      if (fits && (event.inputType !== "insertText" || more.length < 1000)) return;
      event.preventDefault();
      if (fits) {
        text.setRangeText(more, text.selectionStart, text.selectionEnd, "end");
        later();
        return;
      }
      this.error = { message: `Not inserted: the text would be too long. ${limits}` };
      this.verdict();
    });
    text.addEventListener("scroll", () => this.scrollBehind());
    this.part("map").addEventListener("change", () => {
      this.view.listPlanes();
      this.changed(this, false);
    });
    this.part("reset").addEventListener("click", () => this.begin());
    this.part("save-as").addEventListener("change", () => {
      this.saveAs = this.part("save-as").value;
    });
    this.part("save").addEventListener("click", () => this.savePicture());
    this.part("download").addEventListener("click", () => this.download());
    this.part("picture").addEventListener("click", (event) => this.followIf(whatIsAt(this, event)));
    this.part("whom").addEventListener("change", () => this.followWritten());
  }

  settings() {
    const lines = [`grid=${this.part("grid").value.trim().replace(/\s*[x×]\s*/g, "x")}`, `network=${this.part("network").value.trim()}`];
    for (const one of this.part("set").value.trim().split(/[\s,]+/)) if (one) lines.push(`set=${one}`);
    lines.push(`collective=${this.part("collective").value}`, `embed=${this.setup.embed ?? ""}`, `heat=${this.setup.heat ?? "auto"}`);
    return lines.join("\n");
  }

  get last() {
    return this.facts ? this.facts.last : 0;
  }

  /* Reads the text again. Where it is wrong, the last picture stays and says so. */
  open() {
    this.behind();
    const { lab, facts } = this.openCore();
    this.error = facts.error ?? null;
    if (lab) {
      namePicture(this);
      const at = this.followed?.processor === undefined ? null : coordinates(this.facts, this.followed.processor);
      if (this.handle) this.core.shut(this.handle);
      this.handle = lab;
      this.facts = facts;
      this.details.clear();
      this.prove();
      this.part("network").placeholder = facts.network;
      this.journey = null;
      this.followed = at ? processorOf(this, at) : whatFits(this, this.followed);
      if (!this.followed) this.part("whom").value = "";
      this.goAhead();
      this.listMaps();
      this.view.listPlanes();
    }
    this.root.classList.toggle("stale", !lab);
    this.part("reset").disabled = !this.edited && settingNames.every((name) => this.part(name).value.trim() === this.begunWith[name]);
    this.packEdits();
    this.verdict();
    this.changed(this);
  }

  /* Whether what takes long is left to a worker. */
  get takesLong() {
    return this.facts.work > QUICK_WORK;
  }

  get isTooLong() {
    const text = this.part("text").value;
    return text.length > MOST_TEXT || text.split("\n", MOST_LINES + 1).length > MOST_LINES;
  }

  prove() {
    this.proof = null;
    this.questions.end();
    this.proving = this.facts.processors <= 4096;
    if (!this.proving) return;
    if (!this.takesLong) {
      this.takeProof(this.core.prove(this.handle));
      return;
    }
    const later = (proof) => {
      this.takeProof(proof);
      this.verdict();
      this.changed(this);
    };
    this.questions.open(this.part("text").value, this.settings(), () => later(this.core.prove(this.handle)));
    this.questions.ask("prove", [], later);
  }

  takeProof(proof) {
    this.proving = false;
    this.proof = proof;
    this.facts.last = proof.last ?? this.facts.last; /* a wrong schedule ends where it fails */
  }

  /* Memory may end in ways that the module does not survive. */
  openCore() {
    if (this.isTooLong) return { lab: 0, facts: { error: { message: `Text too long. ${limits}` } } };
    try {
      return this.core.open(this.part("text").value, this.settings());
    } catch (error) {
      return { lab: 0, facts: { error: { message: `This is too much for the page (${error.message}); load it again.` } } };
    }
  }

  /* Steps of a large grid come from a worker; a browser that gives a page none makes them here, more slowly. */
  goAhead() {
    this.pending = false;
    if (!this.facts.large) return;
    const without = () => {
      this.facts.large = false;
      this.changed(this);
    };
    try {
      this.ahead ??= new Ahead(() => this.changed(this), without);
      this.ahead.open(this.part("text").value, this.settings());
    } catch {
      this.facts.large = false;
    }
  }

  verdict() {
    const verdict = this.part("verdict");
    let words;
    let kind = "bad";
    for (const name of settingNames) this.part(name).setAttribute("aria-invalid", String(this.error?.stage === name));
    if (this.error) {
      const field = settingTitles[this.error.stage];
      const at = field ? `${field}: ` : this.error.line ? `line ${this.error.line}, column ${this.error.column}: ` : "";
      words = `${at}${this.error.message}`;
    } else if (this.proving) {
      const end = make("button", { type: "button" }, "Cancel");
      end.addEventListener("click", () => {
        this.questions.end();
        this.proving = false;
        this.verdict();
      });
      verdict.replaceChildren("Proving … ", end);
      verdict.className = "verdict open";
      return;
    } else if (!this.proof && this.facts.processors <= 4096) {
      words = "Proof cancelled. Edit the schedule to restart it, or use topogemm verify.";
      kind = "open";
    } else if (!this.proof) {
      words = "Not proved here: the grid is large; use topogemm verify.";
      kind = "open";
    } else if (this.proof.ok) {
      words = `Proved on this grid: every block of C gets each of its ${this.facts.inner} terms exactly once, in place.`;
      kind = "good";
      if (this.setup.task) [words, kind] = this.handIn(words);
    } else {
      words = `Wrong: ${inOneNotation(this.proof.failure.message)}`;
    }
    verdict.replaceChildren(words);
    verdict.className = `verdict ${kind}`;
    if (this.error || !this.proof || this.proof.ok || !(this.proof.failure.step >= 0)) return;
    const go = make("button", { type: "button" }, `Go to step ${this.proof.failure.step}`);
    go.addEventListener("click", () => this.go(this.proof.failure.step));
    verdict.append(" ", go);
  }

  /* What is still to be done with an exercise whose text is right on this grid. */
  handIn(proved) {
    const text = this.part("text").value;
    if (declarations(text) !== declarations(this.begunWith.schedule))
      return ["Proved, but not the exercise: restore the lines down to the last `place`.", "bad"];
    return [`${proved} Try other grids, too; then use Save .sched, and hand in that file.`, "good"];
  }

  /* The step that is shown, with everything in it. */
  get whole() {
    return this.detail(this.now.step);
  }

  /* A step with everything in it, remembered. */
  detail(number) {
    const step = Math.min(number, this.last);
    if (!this.details.has(step)) {
      if (this.details.size > 64) this.details.clear();
      this.details.set(step, this.core.step(this.handle, step, this.facts.detail));
    }
    return this.details.get(step);
  }

  show(number) {
    if (!this.handle) {
      this.behind();
      return;
    }
    const step = this.stepAt(Math.min(number, this.last));
    this.ended = number > this.last;
    this.root.classList.toggle("ended", this.ended);
    this.pending = !step;
    this.root.classList.toggle("pending", this.pending);
    if (!step) {
      this.part("reading").textContent = `Step ${number} is being made …`;
      if (this.followed) this.part("follow").replaceChildren(make("p", {}, "…"));
      return;
    }
    this.now = step;
    this.facts.last = Math.min(this.facts.last, step.last);
    this.drawPicture(step);
    const listed = this.facts.steps[step.step - 1];
    this.heading = step.title.split(" — ")[0];
    writeText(this.part("name"), this.heading);
    const note = step.step === 0 ? "The blocks on their first places." : step.note;
    writeText(this.part("note"), this.ended ? `Finished at step ${this.last}.` : note);
    /* In the step that fails, the lines up to where it does. */
    const all = listed ? listed.lines : [];
    this.lines = new Set(step.failure?.line && all.includes(step.failure.line) ? all.slice(0, all.indexOf(step.failure.line) + 1) : all);
    this.behind();
    this.showFailure(step);
    markFollowed(this);
  }

  /* Undefined where it is still being made. */
  stepAt(number) {
    if (!this.facts.large) return this.core.step(this.handle, number, false);
    const got = this.ahead.ask(number, Number(this.part("map").value));
    this.values = got?.values;
    if (got?.facts.error) this.error = got.facts.error;
    if (got?.facts.error) this.verdict();
    return got?.facts.error ? undefined : got?.facts;
  }

  /* One number a processor. */
  valuesAt(step, what) {
    return this.facts.large ? this.values : this.core.values(this.handle, step, what, this.facts.processors);
  }

  async holdsAt(step, processor) {
    return this.facts.large ? this.ahead.holds(step, processor) : this.core.holds(this.handle, step, processor);
  }

  /* What stands beside the picture, which is painted before it. */
  settle() {
    if (!this.handle || !this.now || this.pending) return;
    namePicture(this);
    const step = this.facts.detail ? this.whole : this.now;
    showProgress(this, step);
    showWords(this, this.ended ? { ...step, messages: 0, products: 0, message: [], product: [] } : step);
    showNumbers(this, step);
  }

  drawPicture(step) {
    this.part("totals").textContent = step.totals;
    this.part("save-as").disabled = !this.cells;
    this.part("save-as").value = this.cells ? this.saveAs : "PNG";
    if (!this.cells) {
      drawMap(this, step);
      return;
    }
    putPicture(this, step);
    this.part("reading").textContent = this.core.reading(this.handle);
    this.view.cropPlane();
  }

  /* Cells, as the command draws them, where there are details; maps where asked for, and beyond. */
  listMaps() {
    const { cells, detail } = this.facts;
    this.part("map-choice").hidden = cells;
    const select = this.part("map");
    const chosen = select.value;
    select.replaceChildren(...(detail ? [make("option", { value: "cells" }, "cells")] : []), ...maps.map((map, i) => make("option", { value: i }, map.name)));
    const asked = { link: 0, received: 1, held: 2 }[this.setup.heat];
    const first = asked ?? (detail ? "cells" : this.tellingMap());
    select.value = chosen && (chosen !== "cells" || detail) && this.hadDetail === detail ? chosen : first;
    this.hadDetail = detail;
  }

  /* Where blocks of A, or of B, are, as far as that differs. */
  tellingMap() {
    const { A, B } = this.facts.blocks;
    return A[1] > 1 ? 4 : A[0] > 1 ? 3 : B[0] > 1 ? 5 : 6;
  }

  get cells() {
    return this.facts.cells || this.part("map").value === "cells";
  }

  /* Lines that the step executes, and the line that is wrong. */
  behind() {
    const pre = this.part("behind");
    const text = this.isTooLong ? [] : this.part("text").value.split("\n");
    const wrong = this.error ? this.textIsWrong && this.error.line : this.now && this.now.failure ? this.now.failure.line : this.proof && !this.proof.ok ? this.proof.failure.line : 0;
    if (pre.childElementCount !== text.length || this.shownText !== this.part("text").value) {
      pre.replaceChildren(...text.map((line, i) => make("span", { "data-n": i + 1 }, line + "\n")));
      this.shownText = this.part("text").value;
      this.part("text").style.height = `${Math.min(Math.max(text.length, 8), 34) * 1.5 * 13 + 30}px`;
    }
    [...pre.children].forEach((span, i) => {
      const runs = this.lines && this.lines.has(i + 1) && !this.error;
      const name = `l${runs ? " now" : ""}${i + 1 === wrong ? " wrong" : ""}`;
      if (span.className !== name) span.className = name;
    });
    this.part("text").setAttribute("aria-invalid", String(this.textIsWrong));
    if (this.scrolled) this.scrollBehind();
  }

  /* Whether the error is the text's, and not a setting's. */
  get textIsWrong() {
    return Boolean(this.error && !settingTitles[this.error.stage]);
  }

  scrollBehind() {
    const text = this.part("text");
    this.scrolled = true;
    this.part("behind").scrollTop = text.scrollTop;
    this.part("behind").scrollLeft = text.scrollLeft;
  }

  showFailure(step) {
    const box = this.part("failure");
    const failure = this.error ? null : step.failure;
    box.hidden = !failure;
    if (!failure) return;
    box.firstElementChild.textContent = `It goes wrong here: ${inOneNotation(failure.message)}${failure.line ? ` (line ${failure.line})` : ""}`;
    this.listSuspects(failure);
    if (failure.id && this.cells) {
      namePicture(this);
      const group = document.getElementById(this.prefix + failure.id);
      const apart = document.getElementById(`${this.prefix}${failure.id}-panel-2`); /* a picture for each matrix has its own marks */
      if (group && !apart) group.classList.add("failed");
    }
  }

  /* The blocks that the sentence names, and the processor: where they came from says which line sent them there. */
  listSuspects(failure) {
    const suspects = this.part("suspects");
    suspects.replaceChildren();
    const found = new Set();
    if (this.facts.detail) for (const [, matrix, row, column] of failure.message.matchAll(/\b([ABC])\((\d+), (\d+)\)/g))
      found.add(blockName(matrix, Number(row), Number(column)));
    suspects.append("How did it come to this? Follow ");
    const button = (name, what) => {
      const one = make("button", { type: "button" }, name);
      one.addEventListener("click", () => this.follow(what));
      suspects.append(one, " ");
    };
    for (const name of found) button(name, { block: name });
    if (failure.processor >= 0) button(failure.name, { processor: failure.processor });
    if (!this.facts.detail) suspects.append("On a grid of up to 1024 processors blocks can be followed, too.");
  }

  followWritten() {
    const field = this.part("whom");
    const what = whatFits(this, whatIsWritten(this, field.value));
    const wrong = field.value.trim() !== "" && !what;
    field.setCustomValidity(wrong ? `There is no ${field.value.trim()} on this grid: a block is A01 or A(0, 1), a processor P(1,2).` : "");
    field.setAttribute("aria-invalid", String(wrong));
    this.followed = what;
    markFollowed(this);
    this.changed(this, true);
    if (wrong) field.reportValidity();
  }

  followIf(what) {
    if (what) this.follow(what);
  }

  /* The same again ends it. */
  follow(what) {
    const same = this.followed && this.followed.block === what?.block && this.followed.processor === what?.processor;
    this.followed = same ? null : what;
    if (!this.followed) this.part("whom").value = "";
    markFollowed(this);
    this.changed(this, true);
  }
}
