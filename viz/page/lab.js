/* One schedule with its settings: text, picture, panels. */

const collectives = ["native", "auto", "binomial", "ring", "chain", "recursive-doubling", "scatter-allgather", "pairwise"];

class Lab {
  constructor(core, setup, number, changed) {
    this.core = core;
    this.prefix = number === 0 ? "" : `l${number + 1}-`;
    this.number = number;
    this.changed = changed;
    this.root = document.getElementById("lab").content.firstElementChild.cloneNode(true);
    this.part = (name) => this.root.querySelector("." + name);
    this.root.dataset.lab = number;
    this.handle = 0;
    this.facts = null;
    this.followed = null;
    this.details = new Map();
    this.setup = setup;
    this.fill(setup);
    this.listen();
    this.open();
  }

  fill(setup) {
    this.part("text").value = setup.schedule;
    this.part("grid").value = setup.grid;
    this.part("set").value = (setup.set ?? []).join(" ");
    this.part("network").value = setup.network ?? "";
    for (const name of collectives) this.part("collective").append(make("option", { value: name, selected: name === setup.collective }, name));
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
    text.addEventListener("scroll", () => this.scrollBehind());
    this.part("picture").addEventListener("click", (event) => this.click(event));
    this.part("picture").addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.click(event);
    });
  }

  settings() {
    const lines = [`grid=${this.part("grid").value.trim()}`, `network=${this.part("network").value.trim()}`];
    for (const one of this.part("set").value.trim().split(/[\s,]+/)) if (one) lines.push(`set=${one}`);
    lines.push(`collective=${this.part("collective").value}`, `embed=${this.setup.embed ?? ""}`, `heat=${this.setup.heat ?? "auto"}`);
    return lines.join("\n");
  }

  get last() {
    return this.facts ? this.facts.last : 0;
  }

  /* Reads the text again. Where it is wrong, the last picture stays and says so. */
  open() {
    const { lab, facts } = this.core.open(this.part("text").value, this.settings());
    this.error = facts.error ?? null;
    if (lab) {
      if (this.handle) this.core.shut(this.handle);
      this.handle = lab;
      this.facts = facts;
      this.details.clear();
      this.proof = facts.processors <= 4096 ? this.core.prove(lab) : null;
      this.part("name").textContent = `${facts.title} on ${facts.grid}${facts.network === "torus:" + facts.grid ? " torus" : ", " + facts.network}`;
    }
    this.root.classList.toggle("stale", !lab);
    this.verdict();
    this.changed(this);
  }

  verdict() {
    const verdict = this.part("verdict");
    let words;
    let good = false;
    if (this.error) {
      const at = this.error.line ? `line ${this.error.line}, column ${this.error.column}: ` : "";
      words = `${at}${this.error.message}`;
    } else if (!this.proof) {
      words = "Not proved here: the grid is large; use topogemm verify.";
      good = true;
    } else if (this.proof.ok) {
      words = `Proved on this grid: every block of C gets each of its ${this.facts.inner} terms exactly once, in place.`;
      good = true;
    } else {
      words = `Wrong: ${this.proof.failure.message}`;
    }
    verdict.textContent = words;
    verdict.className = `verdict ${good ? "good" : "bad"}`;
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
    const step = this.detail(number);
    this.now = step;
    this.facts.last = step.last;
    this.drawPicture(step);
    const listed = this.facts.steps[step.step - 1];
    this.part("note").textContent = step.step === 0 ? "The blocks on their first places." : step.note;
    this.lines = new Set(listed ? listed.lines : []);
    this.behind();
    this.showFailure(step);
    showProgress(this, step);
    showWords(this, step);
    showNumbers(this, step);
    this.markFollowed();
  }

  drawPicture(step) {
    const box = this.part("picture");
    const scroll = [box.scrollLeft, box.scrollTop];
    box.innerHTML = this.core.picture(this.handle, step.step, this.prefix);
    [box.scrollLeft, box.scrollTop] = scroll;
    const words = this.core.words(this.handle, step.step);
    this.part("reading").textContent = words.reading;
    this.part("totals").textContent = words.totals;
    for (const group of box.querySelectorAll("g.node")) {
      const id = group.id.slice(this.prefix.length);
      if (id.startsWith("p-")) group.dataset.p = id;
    }
  }

  /* Lines that the step executes, and the line that is wrong. */
  behind() {
    const pre = this.part("behind");
    const text = this.part("text").value.split("\n");
    const wrong = this.error ? this.error.line : this.now && this.now.failure ? this.now.failure.line : this.proof && !this.proof.ok ? this.proof.failure.line : 0;
    pre.replaceChildren(
      ...text.map((line, i) => {
        const kind = ["l", this.lines && this.lines.has(i + 1) && !this.error ? "now" : "", i + 1 === wrong ? "wrong" : ""];
        return make("span", { class: kind.join(" ").trim(), "data-n": i + 1 }, line + "\n");
      }),
    );
    this.part("text").style.height = `${Math.min(Math.max(text.length, 8), 34) * 1.5 * 13 + 30}px`;
    this.part("text").setAttribute("aria-invalid", this.error ? "true" : "false");
    this.scrollBehind();
  }

  scrollBehind() {
    const text = this.part("text");
    this.part("behind").scrollTop = text.scrollTop;
    this.part("behind").scrollLeft = text.scrollLeft;
  }

  showFailure(step) {
    const box = this.part("failure");
    const failure = step.failure;
    box.hidden = !failure;
    if (!failure) return;
    box.textContent = `It goes wrong here: ${failure.message}${failure.line ? ` (line ${failure.line})` : ""}`;
    if (failure.id) {
      const group = document.getElementById(this.prefix + failure.id);
      if (group) group.classList.add("failed");
    }
  }

  /* --- following ------------------------------------------------------------------------------------------------ */

  click(event) {
    const group = event.target.closest ? event.target.closest("g.node, g.edge") : null;
    if (!group || !this.facts.detail) return;
    const id = group.id.slice(this.prefix.length);
    const what = this.whatIs(id);
    if (what) this.follow(what);
  }

  /* Of an id in the picture: a processor, or the block in the slot or on the arrow. */
  whatIs(id) {
    const arrow = /^m-(\d+)-(\d+)$/.exec(id);
    if (arrow) return { block: plain(this.now.message[Number(arrow[2])][2]) };
    const dims = this.facts.extents.length;
    const parts = id.replace(/-panel-\d+$/, "").split("-");
    if (parts[0] !== "p" || parts.length < dims + 1) return null;
    let rank = 0;
    for (let c = 0; c < dims; c++) rank = rank * this.facts.extents[c] + Number(parts[c + 1]);
    if (parts.length === dims + 1) return { processor: rank };
    const slot = parts.slice(dims + 1);
    const name = slot.length > 1 ? `${slot[0]}[${slot[1]}]` : slot[0];
    const held = this.now.hold[rank]?.[this.facts.slots.indexOf(name)];
    return held && held[2] ? { block: plain(held[2]) } : { processor: rank };
  }

  follow(what) {
    const same = this.followed && this.followed.block === what?.block && this.followed.processor === what?.processor;
    this.followed = same ? null : what;
    this.markFollowed();
    this.changed(this, true);
  }

  markFollowed() {
    const box = this.part("picture");
    for (const group of box.querySelectorAll(".followed")) group.classList.remove("followed");
    const followed = this.followed;
    box.classList.toggle("following", Boolean(followed));
    const panel = this.part("follow");
    panel.hidden = !followed;
    if (!followed || !this.now || !this.facts.detail) return;
    if (followed.block) this.markBlock(followed.block);
    else this.markProcessor(followed.processor);
    showFollow(this, panel);
  }

  mark(id) {
    for (const suffix of ["", "-panel-2", "-panel-3"]) {
      const group = document.getElementById(this.prefix + id + suffix);
      if (group) group.classList.add("followed");
    }
  }

  markBlock(name) {
    this.now.hold.forEach((slots, rank) => {
      slots.forEach((held, s) => {
        if (plain(held[2]) !== name) return;
        const slot = this.facts.slots[s].replace("[", "-").replace("]", "");
        const id = `${processorId(this.facts, rank)}-${slot}`;
        this.mark(document.getElementById(this.prefix + id) ? id : processorId(this.facts, rank));
      });
    });
    this.markMessages((message) => plain(message[2]) === name);
  }

  markProcessor(rank) {
    this.mark(processorId(this.facts, rank));
    this.markMessages((message) => message[0] === rank || message[1] === rank);
  }

  /* An arrow is one flow of messages between two processors and has the id of its first. */
  markMessages(wanted) {
    const firsts = new Map();
    this.now.message.forEach((message, i) => {
      const key = `${message[0]} ${message[1]} ${message[2][0]}`;
      if (!firsts.has(key)) firsts.set(key, i);
      if (wanted(message)) for (const m of [i, firsts.get(key)]) this.mark(`m-${this.now.step}-${m}`);
    });
  }
}
